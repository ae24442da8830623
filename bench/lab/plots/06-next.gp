# SPDX-License-Identifier: MIT
set title "Of 200 older tasks, how many run before a chain of 30 is done"
set xlabel "workers (number)"
set ylabel "older tasks (number)"
set yrange [0:*]
eval bars
eval errors
plot table("06-next") using "older_before_last":"before_last_p10":"before_last_p90":xtic(1) every 2 \
    title "without the run-next slot" lt 1, \
    table("06-next") using "older_before_last":"before_last_p10":"before_last_p90" every 2::1 title "with it" lt 2
