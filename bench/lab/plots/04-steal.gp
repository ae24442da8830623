# SPDX-License-Identifier: MIT
set title "One steal of half a queue"
set xlabel "items in the victim's queue (number)"
set ylabel "time (ns)"
set bmargin 6
set logscale xy
set xtics (1, 10, 50, 100, 256)
set xrange [0.9:290]
own = "its own"
other = "another thread's"
plot table("04-steal") using "length":(only("victim", other, "ns_per_steal")) title "a steal, another's" lt 1, \
    table("04-steal") using "length":(only("victim", own, "ns_per_steal")) title "its own" lt 2, \
    table("04-steal") using "length":(only("victim", other, "ns_per_item")) \
    title "an item of it, another's" lt 1 dt (4,4), \
    table("04-steal") using "length":(only("victim", own, "ns_per_item")) title "its own" lt 2 dt (4,4)
