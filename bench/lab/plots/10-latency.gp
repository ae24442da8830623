# SPDX-License-Identifier: MIT
eval pair("From when a task was due to its start")
set key horizontal
set logscale x
set logscale y
set xlabel "tasks in a burst, 2 workers (number)"
set ylabel "p99 (ms)"
set xtics (100, 1000, 10000)
set xrange [80:12500]
burst(length) = strcol("arrival") eq "burst" && strcol("workers") eq "2" && strcol("interval") eq "due to begun" && \
    strcol("task_us") eq length ? column("p99_us") / 1000 : NaN
plot table("10-latency") using "tasks":(burst("1")) title "1 us" lt 1, \
    table("10-latency") using "tasks":(burst("10")) title "10 us" lt 2, \
    table("10-latency") using "tasks":(burst("100")) title "100 us" lt 3
set logscale x 2
set xlabel "workers, tasks on a schedule (number)"
set ylabel "latency (ms)"
set xtics (1, 2, 4, 8)
set xrange [0.9:9]
paced(p) = strcol("arrival") eq "paced" && strcol("interval") eq "due to begun" ? column(p) / 1000 : NaN
plot table("10-latency") using "workers":(paced("p50_us")) title "p50" lt 2, \
    table("10-latency") using "workers":(paced("p99_us")) title "p99" lt 3, \
    table("10-latency") using "workers":(paced("p999_us")) title "p99.9" lt 4
unset multiplot
