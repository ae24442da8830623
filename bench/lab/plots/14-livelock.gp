# SPDX-License-Identifier: MIT
eval pair("Seven thieves and one worker with little to give")
unset key
eval bars
set bmargin 2.5
set ylabel "looks at a victim, per task (number)"
set logscale y
set yrange [1:*]
plot table("14-livelock") using 0:"tries_per_task":xtic(1) with boxes lt 3
unset logscale y
set ylabel "until the work is done (ms)"
set yrange [0:*]
plot table("14-livelock") using 0:"ms":xtic(1) with boxes lt 2
unset multiplot
