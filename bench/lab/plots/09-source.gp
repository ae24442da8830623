# SPDX-License-Identifier: MIT
set title "4000 tasks on 4 workers"
set xlabel "worker"
set ylabel "tasks run"
set yrange [0:*]
set style data histogram
set style histogram clustered
plot table("09-source-workers") using "from_each":xtic(1) title "each submits its part" lc 1, \
    table("09-source-workers") using "from_one" title "one submits all" lc 2
