#!/bin/sh
# SPDX-License-Identifier: MIT
# cpus.sh - virtual CPUs: speed-up, time slices, quota, and what the library makes of them. fib(20) has 10946 leaves of
# 10 us: 109.46 ms of work. Runs in the build directory. Environment: as `simulate` says.
#
# Catches: threads that run at the same time on one CPU, or not at all; a slice that does not end, or that loses time; a
# CPU that is idle while another has a queue; a quota that gives too much or too little; a mask that nobody
# obeys; a cache line that costs what it should not.
. "${srcdir:-.}/tests/sim/simulate"
work=109460000

between '1 worker' $work "$(fib_ns --workers 1 fib 20)" $((work + work / 100))
between '8 workers' $((work / 8)) "$(fib_ns --workers 8 fib 20)" $((work / 8 + work / 160))
between '64 workers' $((work / 64)) "$(fib_ns --workers 64 fib 20)" $((work / 64 * 5 / 4))
between 'as many workers as the machine has room for' $((work / 4)) \
    "$(fib_ns --machine 'core:4 pu:1' fib 20)" $((work / 4 + work / 80))
between '16 workers on 2 CPUs' $((work / 2)) "$(fib_ns --workers 16 --machine 'core:2 pu:1' fib 20)" \
    $((work / 2 + work / 10))
between '2 workers on 1 CPU' $work "$(fib_ns --workers 2 --machine 'core:1 pu:1' fib 20)" $((work + work / 20))

# 2 CPUs' worth: 200 ms in each period of 100 ms. fib(22) has 286.57 ms of work: 200 ms, a pause, 86.57 ms on 8 CPUs.
between 'quota, 8 workers' 110000000 "$(fib_ns --workers 8 --quota 200 fib 22)" 112000000
between 'quota of one and a half: the library takes one worker' $work \
    "$(fib_ns --machine 'core:8 pu:1' --quota 150 fib 20)" $((work + work / 100))
between 'a quota that is not used up' $((work / 8)) "$(fib_ns --workers 8 --quota 800 fib 20)" $((work / 8 + work / 100))

# Threads with work of their own: how the machine shares its CPUs out (threads.c).
program threads
threads() {
    # shellcheck disable=SC2086
    check "threads: $*" "$tmp/threads" --quiet --machine "core:$2 pu:1" $4 -- "$1" "$3"
}
threads share 2 ''
threads slices 1 ''
threads pull 2 ''
threads quota 2 '' '--quota 100'
threads mask 2 ''
threads moved 2 ''
threads sleep 1 ''
threads locals 2 ''
threads cycles 4 ''
for tier in core cache numa package machine; do
    echo "line.$tier 1 us"
done >"$tmp/lines"
threads lines 2 '' "--costs $tmp/lines"
WSFJ_DISPLAY=1 "$tmp/threads" --quiet --machine 'core:8 pu:1' follow >"$tmp/follow" 2>&1
check 'the library follows the quota' grep -qx 'libwsfj: the CPU quota now leaves 3 of 8 workers' "$tmp/follow"
finish
