# SPDX-License-Identifier: MIT
# What the plots have in common. `results`: folder of the tables; `svg`: the file to write (../plot sets both).
set terminal svg size 640,400 dynamic font "sans-serif,12" background "white" noenhanced
set output svg
set datafile separator ","
set datafile columnheaders
set key bmargin center horizontal
set format y "%g"
set datafile missing NaN
set grid ytics lc rgb "#dddddd"
set border 3
set bmargin 6
set tics nomirror
set style data linespoints
set style fill solid 0.8 border -1
set boxwidth 0.8 relative
set pointsize 0.7
table(name) = results."/".name.".csv"
only(name, value, y) = strcol(name) eq value ? column(y) : NaN
