# SPDX-License-Identifier: MIT
set title "Items taken from one run queue"
set ylabel "items"
set logscale y
set yrange [1:*]
unset key
plot table("02-run-queue") using 0:"items":xtic(1) with boxes lc 1
