# SPDX-License-Identifier: MIT
set title "10 000 tasks on 8 workers: the worker farthest from an even share"
set xlabel "length of a task (us)"
set ylabel "off an even share (%)"
set logscale x
set xrange [0.8:250]
set xtics (1, 10, 50, 100, 200)
set yrange [0:*]
plot table("03-share") using "task_us":"farthest_percent" with lines lt 1 notitle, \
    table("03-share") using "task_us":"farthest_percent":"farthest_p10":"farthest_p90" with yerrorbars lt 1 \
    title "median; eight of ten rounds"
