# SPDX-License-Identifier: MIT
set title "100 tasks that one worker has started: who ran what when"
set xlabel "ms since the first was submitted"
set ylabel "worker"
set yrange [-0.7:3.7]
set ytics 0,1,3
unset key
plot table("01-spread-tasks") using "begin_ms":"worker":"begin_ms":"end_ms":(column("worker")-0.35):(column("worker")+0.35):(int(column("task"))%8+1) \
    with boxxyerror lc variable
