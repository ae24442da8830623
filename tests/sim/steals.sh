#!/bin/sh
# SPDX-License-Identifier: MIT
# steals.sh - random programs on 2 to 64 workers: how many steals there are for P times the span, in tasks of the mean
# length. Blumofe and Leiserson's bound for attempts is O(P Tinf); what is reported here is the factor for steals.
# STEALS_GRAPHS: how many programs; 1000 take half a minute. Runs in the build directory. Environment: as `simulate` says.
#
# Catches: a thief that takes what it does not run; tasks that wander from worker to worker; and, as any run of the
# simulator, a broken invariant (tools/sim/check.h).
. "${srcdir:-.}/tests/sim/simulate"
graphs=${STEALS_GRAPHS:-40}

seed=0
while [ $seed -lt "$graphs" ]; do
    seed=$((seed + 1))
    workers=$((2 << seed % 6))
    tasks=$((100 + seed * 7919 % 3000))
    $sim --quiet --workers $workers --seed $seed random $tasks 2>&1 || echo "failed: --workers $workers --seed $seed random $tasks"
done >"$tmp/runs"
check 'all runs end well' sh -c "! grep -Ev '^random: [0-9]+ tasks?, .* steals?$' '$tmp/runs'"

# random: N tasks, work W ns, span S ns, in T ns with P workers, K steals
awk '{ c = $16 / ($14 * $8 / 1000); sum += c; if (c > most) most = c }
    END { printf "%d random programs: steals = c P Tinf, with c = %.3f on average and %.3f at most\n", NR, sum / NR, most
          exit !(NR > 0 && most <= 0.5) }' "$tmp/runs" >"$tmp/constant"
check "$(cat "$tmp/constant")" test $? -eq 0
cat "$tmp/constant"
finish
