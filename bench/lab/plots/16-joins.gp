# SPDX-License-Identifier: MIT
set title "Random trees: measured time, and what work and span promise"
set xlabel "work / workers + span (ms)"
set ylabel "measured (ms)"
set xrange [0:*]
set yrange [0:*]
set pointsize 0.8
plot table("16-joins") using (only("workers", "1", "bound_ms")):"ms" with points title "1 worker" lt 1, \
    table("16-joins") using (only("workers", "2", "bound_ms")):"ms" with points title "2 workers" lt 2, \
    table("16-joins") using (only("workers", "4", "bound_ms")):"ms" with points title "4 workers" lt 3, \
    x with lines lt 9 title "as promised"
