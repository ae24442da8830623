# SPDX-License-Identifier: MIT
set terminal svg size 640,560
set title "Times as much with the mistake as with the remedy"
set logscale x
set lmargin 40
set yrange [*:1]
unset key
unset ylabel
ratio(a, b) = a > 0 && b > 0 ? a / b : NaN
r(x) = ratio(column("mistake"), column("remedy"))
plot table("13-mistakes") using (r(0)):(-column(0)):(1):(r(0)):(-column(0) - 0.35):(-column(0) + 0.35):\
    ytic(strcol("program")." ".strcol("figure")) with boxxyerror lc 1
