# SPDX-License-Identifier: MIT
set title "Seven thieves and one worker with little to give"
set ylabel "looks at a victim, per task"
set logscale y
set yrange [1:*]
unset key
plot table("14-livelock") using 0:"tries_per_task":xtic(1) with boxes lc 1
