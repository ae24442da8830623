# SPDX-License-Identifier: MIT
set title "Speed-up by the length of a task, as many workers as processors"
set xlabel "length of a task (ns to ms)"
set ylabel "speed-up against a plain loop (times)"
set logscale x
set xrange [7:1.5e7]
set xtics ("10 ns" 1e1, "100 ns" 1e2, "1 us" 1e3, "10 us" 1e4, "100 us" 1e5, "1 ms" 1e6, "10 ms" 1e7)
set yrange [0:*]
y(kind) = only("kind", kind, "speedup")
plot table("12-grain") using "task_ns":(y("spawned")) with lines lt 1 notitle, \
    table("12-grain") using "task_ns":(y("spawned")):"speedup_p10":"speedup_p90" with yerrorbars lt 1 title "spawned", \
    table("12-grain") using (1.08 * column("task_ns")):(y("detached")) with lines lt 2 notitle, \
    table("12-grain") using (1.08 * column("task_ns")):(y("detached")):"speedup_p10":"speedup_p90" with yerrorbars lt 2 \
    title "detached", \
    1 with lines lt 9 title "the plain loop"
