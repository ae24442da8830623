# SPDX-License-Identifier: MIT
set title "Victim policies: time, with near as 1"
set ylabel "times as long as near"
set yrange [0:*]
set style data histogram
set style histogram clustered
policies = "near uniform largest round-robin"
plot for [p=0:3] table("11-victims") using "times_near":xtic(sprintf("%s, %d", strcol("work"), int(column("workers")))) \
    every 4::p title word(policies, p + 1) lc p + 1
