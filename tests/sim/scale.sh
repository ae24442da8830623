#!/bin/sh
# SPDX-License-Identifier: MIT
# scale.sh - the runtime's policy works with 1024 workers: all of them wake soon, and a region of 20 ms with a parallelism
# of ten for each takes at most 1/0.95 of T1/P + T∞. doc/sim/scale.md and waking.md have the figures.
#
# Catches: a wake-up that looks at all workers; wakers that choose the same sleeper; a chain of single wake-ups; a policy
# of two wake-ups that changes anything for two workers.
. "${srcdir:-.}/tests/sim/simulate"

# value COLUMN OPTION...: of the only row.
value() {
    column=$1
    shift
    $sim --format csv "$@" 2>/dev/null |
        awk -F, -v name="$column" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) at = i; next} {print $at}'
}

# part NUMBER PERCENT WHOLE: NUMBER is at most PERCENT of WHOLE.
part() {
    [ -n "$1" ] && [ -n "$3" ] && [ "$(($1 * 100))" -le "$(($2 * $3))" ]
}

now=$(value all_busy_ns --workers 1024 fib 24)
one=$(value all_busy_ns --workers 1024 --policy wake-found=1 fib 24)
all=$(value all_busy_ns --workers 1024 --policy wake-looks=4096 fib 24)
check "two wake-ups: $now ns, one: $one ns" part "$now" 75 "$one"
check "eight sleepers compared: $now ns, all: $all ns" part "$now" 75 "$all"

for packages in 2 8; do
    time=$(value time_ns --machine "pack:$packages core:$((1024 / packages)) pu:1" fib 20 2000000)
    check "$packages packages: $time ns for the bound" part "$time" 105 "$((10946 * 2000000 / 1024 + 2000000))"
done

for found in 1 2; do
    value time_ns --workers 2 --runs 5 --policy wake-found=$found fib 16 >"$tmp/$found"
done
check 'two workers: the same time' cmp "$tmp/1" "$tmp/2"
finish
