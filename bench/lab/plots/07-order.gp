# SPDX-License-Identifier: MIT
eval pair("A tree of tasks over an array: the owner's order")
eval bars
set xlabel "workers (number)"
set ylabel "tasks that wait at most (number)"
set logscale y
set yrange [1:*]
plot table("07-order") using "most_waiting":xtic(1) every 2 title "first in, first out" lt 1, \
    table("07-order") using "most_waiting" every 2::1 title "last in, first out" lt 2
unset logscale y
set yrange [0:*]
set ylabel "time against first in (times)"
eval errors
plot table("07-order") using "times_fifo":"least":"most":xtic(1) every 2::1 title "last in, 99.9 %" lt 2, \
    1 with lines lt 9 notitle
unset multiplot
