# SPDX-License-Identifier: MIT
eval pair("4000 tasks on 4 workers")
set yrange [0:*]
set xlabel "worker (number)"
set ylabel "tasks run, last round (number)"
eval bars
plot table("09-source-workers") using "from_each":xtic(1) title "each submits its part" lt 1, \
    table("09-source-workers") using "from_one" title "one submits all" lt 2
unset key
unset xlabel
set ylabel "run by another worker (%)"
set errorbars small lc rgb quiet
plot table("09-source") using 0:"ran_elsewhere_percent":"elsewhere_p10":"elsewhere_p90":(0.8): \
    xtic(column(0) > 0.5 ? "one submits all" : "each its part") with boxerrorbars lt 3
unset multiplot
