# SPDX-License-Identifier: MIT
eval 'set terminal svg size 640,560'.look
set title "With the mistake, against the remedy"
set xlabel "mistake / remedy (times)"
set logscale x
set xtics (0.1, 1, 10, 100, 1000)
set lmargin 38
set yrange [*:1]
set offsets 0, 0, 0, 0.5
set grid noytics xtics lc rgb "#d9dee3" lt 1 lw 1 dt solid
unset key
set bmargin 3.5
ratio(a, b) = a > 0 && b > 0 ? a / b : NaN
r(x) = ratio(column("mistake"), column("remedy"))
least(x) = r(0) < 1 ? r(0) : 1
most(x) = r(0) < 1 ? 1 : r(0)
plot table("13-mistakes") using (r(0)):(-column(0)):(least(0)):(most(0)):(-column(0)-0.35):(-column(0)+0.35): \
    ytic(strcol("program")." ".strcol("figure")) with boxxyerror lt 1
