# SPDX-License-Identifier: MIT
set title "Random trees: time, and what work and span promise"
set xlabel "(work / workers + span), ms"
set ylabel "ms"
set xrange [0:*]
set yrange [0:*]
plot table("16-joins") using (only("workers", "1", "bound_ms")):"ms" with points title "1 worker" lc 1, \
    table("16-joins") using (only("workers", "2", "bound_ms")):"ms" with points title "2" lc 2, \
    table("16-joins") using (only("workers", "4", "bound_ms")):"ms" with points title "4" lc 3, \
    x with lines dt 2 lc rgb "#888888" notitle
