# SPDX-License-Identifier: MIT
set title "One steal of half a queue"
set xlabel "items in the victim's queue"
set ylabel "ns"
set yrange [0:*]
own = "its own"
other = "another thread's"
plot table("04-steal") using "length":(only("victim", other, "ns_per_steal")) title "per steal, another's" lc 1, \
    table("04-steal") using "length":(only("victim", own, "ns_per_steal")) title "per steal, its own" lc 2, \
    table("04-steal") using "length":(only("victim", other, "ns_per_item")) title "per item, another's" lc 1 dt 2, \
    table("04-steal") using "length":(only("victim", own, "ns_per_item")) title "per item, its own" lc 2 dt 2
