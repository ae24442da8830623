# SPDX-License-Identifier: MIT
set title "Bursts of 1000 tasks: p99 from submission to start"
set xlabel "workers"
set ylabel "us"
set logscale x 2
set logscale y
pick(length) = strcol("arrival") eq "burst" && strcol("tasks") eq "1000" && strcol("task_us") eq length ? column("p99_us") : NaN
plot table("10-latency") using "workers":(pick("1")) title "1 us" lc 1, \
    table("10-latency") using "workers":(pick("10")) title "10 us" lc 2, \
    table("10-latency") using "workers":(pick("100")) title "100 us" lc 3
