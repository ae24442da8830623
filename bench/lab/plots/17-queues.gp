# SPDX-License-Identifier: MIT
set title "Trivial tasks, each thread with its part: ns a task"
set ylabel "ns"
set yrange [0:*]
set style data histogram
set style histogram clustered
set key inside top left vertical
set xtics font ",10"
pick(y) = strcol("task_ns") eq "0" && strcol("tasks_from") eq "each thread" ? column(y) : NaN
plot [-0.6:4.6] table("17-queues") using (pick("ns_1_thread")):xtic(strcol("queues")."\n".strcol("kind")) title "1 thread" lc 1, \
    table("17-queues") using (pick("ns_4_threads")) title "4 threads" lc 2
