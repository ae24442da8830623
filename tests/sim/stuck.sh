#!/bin/sh
# SPDX-License-Identifier: MIT
# stuck.sh - a run that does not end by itself: deadlock, livelock, crash. Each ends the process of that run, says why,
# and names who waits for what. Runs in the build directory. Environment: as `simulate` says.
#
# Catches: a simulation that hangs, or that ends as if all were well; a thread or a place that is not named; a long task
# that looks like a livelock.
. "${srcdir:-.}/tests/sim/simulate"
program stuck

ends() {
    status=$1
    shift
    "$@" >"$tmp/output" 2>&1
    check "$*: exit $status" test $? -eq "$status"
}
line() {
    check "a line: $1" grep -Eq -e "$1" "$tmp/output"
}
ends 3 "$tmp/stuck" --workers 3 deadlock
line '^wsfj-sim: deadlock: every thread waits for another one after [0-9.]+ ms of virtual time$'
line '^  thread 0 \(main\), waits in .*futex_wait \(.*futex\.h:[0-9]+\): syscall of SYS_futex$'
line '^  thread 2 \(wsfj-0\), '
line '^  thread [0-9]+ \(wsfj-[0-2]\), waits in nobody_wakes_me \(stuck\.c:7\): '
line '^libwsfj: dump of process 1000 after '
line '^  worker [0-2]: running, thread 100[0-9], .* waits \(.*stuck\.c:[0-9]+\), a root$'
line '^  thread [0-9]+ \(wsfj-[0-2]\), waits in wsfj_futex_wait .*, until worker [0-2] is woken$'
ends 3 "$tmp/stuck" --workers 2 mutex
thread=$(sed -n 's/^  thread \([0-9]*\) .* waits in locks_twice .*/\1/p' "$tmp/output")
line "^  thread $thread \(wsfj-[01]\), waits in locks_twice \(stuck.c:8\): lock of &mutex, which thread $thread has$"
ends 3 "$tmp/stuck" --workers 2 livelock
line '^wsfj-sim: livelock: threads run, but no task begins or ends after '
line '^  thread [0-9]+ \(wsfj-[01]\), on CPU [01]$'
# The root that yields runs, or waits in the global queue.
line '^  (worker [01]: running, .*|stack 1, )yields \(.*stuck\.c:[0-9]+\), a root'
ends 132 "$tmp/stuck" --workers 2 crash
line '^wsfj-sim: the run was killed by signal 4 \(.*\)$'
ends 7 "$tmp/stuck" --workers 2 status
ends 9 "$tmp/stuck" --workers 2 exit
# A long task, with a worker that searches all the time, is no livelock.
ends 0 env WSFJ_WAIT=active "$tmp/stuck" --workers 2 long
finish
