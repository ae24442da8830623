# SPDX-License-Identifier: MIT
# What the plots have in common. `results`: folder of the tables; `svg`: the file to write (../plot sets both).
# Colours are those of wsfj-view (tools/view/chart.css). Each axis with numbers has a title "quantity (unit)".
look = ' dynamic font "sans-serif,12" background "#ffffff" noenhanced'
eval 'set terminal svg size 640,360'.look
set output svg
ink = "#1c2126"
quiet = "#5d6873"
running = "#2f7d5b"
set linetype 1 lc rgb "#2b6cb0" lw 2 pt 7
set linetype 2 lc rgb running lw 2 pt 5
set linetype 3 lc rgb "#e0962a" lw 2 pt 9
set linetype 4 lc rgb "#c2255c" lw 2 pt 13
set linetype 5 lc rgb "#b48ead" lw 2 pt 11
set linetype 9 lc rgb quiet lw 1.5 dt (4,4)
set datafile separator ","
set datafile columnheaders
set datafile missing NaN
set title font "sans-serif:Bold,13" tc rgb ink
set xlabel tc rgb ink
set ylabel tc rgb ink
set key bmargin center horizontal tc rgb ink samplen 2
set tics nomirror tc rgb quiet
set border 3 lc rgb quiet
set grid ytics lc rgb "#d9dee3" lt 1 lw 1 dt solid
set format "%g"
set style data linespoints
set style fill solid 1 noborder
set style histogram clustered gap 1
set boxwidth 0.8 relative
set errorbars small lw 1.5
set pointsize 0.6
set tmargin 2.5
set bmargin 5
set rmargin 3
table(name) = results."/".name.".csv"
only(name, value, y) = strcol(name) eq value ? column(y) : NaN
# Bars with names below them instead of numbers.
bars = "set xtics scale 0; set style data histogram"
errors = "set style histogram errorbars gap 1 lw 1.5; set errorbars small lc rgb quiet"
# Two figures beside each other, in one picture.
halves = 'unset title; set tmargin 2; set bmargin 6; set key vertical'
pair(title) = 'set multiplot layout 1,2 title "'.title.'" font "sans-serif:Bold,13" tc rgb ink; '.halves
