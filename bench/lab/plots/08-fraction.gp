# SPDX-License-Identifier: MIT
eval pair("How much of a queue a thief takes: bursts of 250 tasks")
set xlabel "part that a thief takes (quarters)"
set xrange [0.7:4.3]
set xtics 1
set ylabel "steals, tasks (number in a burst)"
set logscale y
plot table("08-fraction") using (4 * column("fraction")):(only("task_us", "20", "steals")) title "steals" lt 1, \
    table("08-fraction") using (4 * column("fraction")):(only("task_us", "20", "moved_again")) \
    title "tasks moved again" lt 3
unset logscale y
set ylabel "time against a half (times)"
set yrange [0.8:*]
at(x) = 4 * column("fraction") + x
plot table("08-fraction") using (at(-0.05)):(only("task_us", "1", "times_half")):"least":"most" \
    with yerrorbars lt 4 title "tasks of 1 us", \
    table("08-fraction") using (at(0.05)):(only("task_us", "20", "times_half")):"least":"most" \
    with yerrorbars lt 2 title "20 us", \
    1 with lines lt 9 notitle
unset multiplot
