#!/bin/sh
# SPDX-License-Identifier: MIT
# teaching.sh - the workloads that explain work stealing, where their figures are known: who has which tasks, how long
# tasks wait, how long workers search. Runs in the build directory. Environment: as `simulate` says.
#
# Catches: a task in another place than it was given to; figures that count what comes before the workload; a wait that
# is another task's; time of a sleeping worker that counts as search, or search after the last task.
. "${srcdir:-.}/tests/sim/simulate"

# figures OPTIONS... WORKLOAD...: to $tmp/csv and $tmp/table.
figures() {
    $sim --quiet --format csv "$@" >"$tmp/csv" 2>/dev/null
    $sim --quiet --report "$@" >"$tmp/table"
}
value() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' "$tmp/csv"
}
is() {
    check "$1 is $2, not $(value "$1")" test "$(value "$1")" = "$2"
}
# What the workers executed, in their order.
executed() {
    awk '/^worker / { rows = 1; next } rows { printf "%s ", $2 }' "$tmp/table"
}

# Nobody steals: each worker has the tasks that it was given.
figures --workers 4 --policy steal=never placed 3,0,2 1 fixed
check "3, 0, 2 and no tasks, not $(executed)" test "$(executed)" = '3 0 2 0 '
is tasks 5
is executed_least 0
is executed_most 3
is work_ns 5000
between 'the time of three tasks' 3000 "$(value time_ns)" 6000
figures --workers 3 --policy steal=never placed 4,1,2 1 fixed
is executed_least 1
is executed_most 4
figures --workers 2 --policy steal=never one-worker 7 1 fixed
check "7 tasks and none, not $(executed)" test "$(executed)" = '7 0 '
is all_busy_ns ''

# One worker: the second task waits for the first one, the third for both.
figures --workers 1 placed 3 1000 fixed
between 'the median wait' 1000000 "$(value latency_p50_ns)" 1002000
between 'the longest wait' 2000000 "$(value latency_p999_ns)" 2004000
# What is there later waits from then on.
figures --workers 1 bursts 2 1000 fixed 500
between 'the second burst waits half as long' 500000 "$(value latency_p999_ns)" 502000

# One worker: the first parent takes as long as all, its longest chain is the span.
figures --workers 1 --seed 6 waiting 1 1000 fixed 0.49
check "there are children: $(value tasks) tasks" test "$(value tasks)" -gt 3
late=$(($(value work_ns) - $(value span_ns)))
between 'the parent is late by the rest' $late "$(value latency_p999_ns)" $((late + late / 100))

# One of two workers has the only task for 1 ms; the other one searches all the time, or 50 us and sleeps. Without the cap: it
# may search, too, if the task was its own and was stolen.
export WSFJ_WAIT=100000
figures --workers 2 --policy search-part=0 placed 1,0 1000 fixed
check "one searches: $(value searching)" awk -v s="$(value searching)" 'BEGIN { exit !(s > 0.49 && s <= 0.5) }'
is idle 0.5000
export WSFJ_WAIT=50
figures --workers 2 --policy search-part=0 placed 1,0 1000 fixed
check "one searches and sleeps: $(value searching)" awk -v s="$(value searching)" 'BEGIN { exit !(s > 0.024 && s < 0.03) }'
is idle 0.5000
# What is after the last task does not count: the worker that had it searches then, and sleeps.
export WSFJ_WAIT=2
figures --workers 2 --policy search-part=0 placed 1,0 3 fixed
check "no search after the last task: $(value searching)" awk -v s="$(value searching)" 'BEGIN { exit !(s > 0.3 && s <= 0.5) }'
unset WSFJ_WAIT

wrong() {
    pattern=$1
    shift
    says "$*" 2 "wsfj-sim: placed: argument $pattern" $sim --workers 2 "$@"
}
wrong '1, 1,,2: expected numbers from 0 to 10000000 with commas between them' placed 1,,2
wrong '1, 1,x: expected numbers from 0 to 10000000 with commas between them' placed 1,x
wrong '1, 1,2,: expected numbers from 0 to 10000000 with commas between them' placed 1,2,
wrong '1, 10000001: expected numbers from 0 to 10000000 with commas between them' placed 10000001
wrong '1, 1,2,3: there are only 2 workers' placed 1,2,3
wrong '1, 0,0: there is no task' placed 0,0
wrong '4, 5: it takes 3 at most' placed 1 1 fixed 5
finish
