# SPDX-License-Identifier: MIT
set title "Trivial tasks, each thread with its part"
set ylabel "time for a task (ns)"
set yrange [0:*]
eval bars
set xrange [-0.6:4.6]
shape(queues) = queues eq "own with thieves" ? "own, thieves" : queues
set bmargin 5
plot table("17-queues") using "ns_1_thread":xtic(shape(strcol("queues"))."\n".strcol("kind")) \
    every ::0::4 title "1 thread" lt 1, \
    table("17-queues") using "ns_4_threads" every ::0::4 title "4 threads" lt 3
