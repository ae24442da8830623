# SPDX-License-Identifier: MIT
set title "Speed-up by the length of a task"
set xlabel "length of a task, ns"
set ylabel "speed-up against a plain loop"
set logscale x
set yrange [0:*]
plot table("12-grain") using "task_ns":(only("kind", "spawned", "speedup")) title "spawned" lc 1, \
    table("12-grain") using "task_ns":(only("kind", "detached", "speedup")) title "detached" lc 2, \
    1 with lines dt 2 lc rgb "#888888" notitle
