# SPDX-License-Identifier: MIT
set title "Victim policies against the nearest first, with 99.9 % intervals"
set ylabel "time against near (times)"
set xtics scale 0
set bmargin 4
set xrange [-0.5:3.5]
name(x) = sprintf("%s, %d workers", strcol("work"), int(column("workers")))
plot table("11-victims") using ($0 - 0.2):"times_near":"least":"most" every 4::1 with yerrorbars lt 1 title "uniform", \
    table("11-victims") using 0:"times_near":"least":"most":xtic(name(0)) every 4::2 \
    with yerrorbars lt 2 title "largest", \
    table("11-victims") using ($0 + 0.2):"times_near":"least":"most" every 4::3 \
    with yerrorbars lt 3 title "round-robin", \
    1 with lines lt 9 notitle
