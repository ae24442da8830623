# SPDX-License-Identifier: MIT
eval pair("One run queue, its owner and two thieves")
unset key
eval bars
set bmargin 2.5
set ylabel "items taken (number)"
set logscale y
set yrange [1:*]
set ytics ("1" 1, "10" 10, "100" 100, "1000" 1e3, "10 000" 1e4, "100 000" 1e5, "1 million" 1e6, "10 million" 1e7)
plot table("02-run-queue") using 0:"items":xtic(1) with boxes lt 1
unset logscale y
set yrange [0:*]
set ytics auto
set ylabel "taken at once (items)"
plot table("02-run-queue") using 0:"items_per_take":xtic(1) with boxes lt 2
unset multiplot
