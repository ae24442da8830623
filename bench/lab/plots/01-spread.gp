# SPDX-License-Identifier: MIT
set title "100 tasks that one worker has started: who ran what when"
set xlabel "time since the first was submitted (ms)"
set ylabel "worker (number)"
set yrange [-0.6:3.6]
set ytics 0,1,3
unset grid
unset key
set bmargin 3.5
plot table("01-spread-tasks") using "begin_ms":"worker":"begin_ms":"end_ms":(column("worker")-0.35): \
    (column("worker")+0.35) \
    with boxxyerror fs solid 1 border rgb "#ffffff" lc rgb running lw 1
