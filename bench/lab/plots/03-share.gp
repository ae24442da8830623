# SPDX-License-Identifier: MIT
set title "10 000 tasks on 8 workers: the farthest from an even share"
set xlabel "length of a task, us"
set ylabel "%"
set logscale x
set yrange [0:*]
unset key
plot 20 with lines dt 2 lc rgb "#888888", table("03-share") using "task_us":"farthest_percent" lc 1
