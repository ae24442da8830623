# SPDX-License-Identifier: MIT
set title "20 tasks of 5 ms"
set xlabel "workers (number)"
set ylabel "time (ms)"
set xrange [0.7:8.3]
set yrange [0:*]
set samples 1000
plot table("15-few") using "workers":(only("tasks_that", "compute", "ms")) with lines lt 1 notitle, \
    table("15-few") using "workers":(only("tasks_that", "compute", "ms")):"p10_ms":"p90_ms" \
    with yerrorbars lt 1 title "tasks that compute", \
    table("15-few") using "workers":(only("tasks_that", "wait", "ms")) with lines lt 2 notitle, \
    table("15-few") using "workers":(only("tasks_that", "wait", "ms")):"p10_ms":"p90_ms" \
    with yerrorbars lt 2 title "tasks that wait", \
    [1:8] 100 / x with lines lt 9 title "100 ms / workers"
