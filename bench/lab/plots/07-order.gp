# SPDX-License-Identifier: MIT
set title "A tree of tasks over an array: the owner's order"
set ylabel "MiB read per ms"
set yrange [0:*]
unset key
plot table("07-order") using 0:"mib_per_ms":xtic(sprintf("%s\n%d worker%s", strcol("order"), int(column("workers")), \
    column("workers") > 1 ? "s" : "")) with boxes lc 1
