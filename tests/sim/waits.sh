#!/bin/sh
# SPDX-License-Identifier: MIT
# waits.sh - tasks that wait for times and each other (sleepers.c), in virtual time. Runs in the build directory. Environment: as
# `simulate` says.
#
# Catches: a deadline that comes early, late or by another clock; who waits and takes CPU; a wait that counts as stuck, or a stuck
# one that does not; a descriptor that is waited for in real time.
. "${srcdir:-.}/tests/sim/simulate"

# number WORD: of microseconds behind this word.
number() {
    sed -n "s/.* $1 \\([0-9]*\\) us.*/\\1/p" "$tmp/printed"
}

program sleepers
for workers in 1 4 32 6; do
    options="--workers $workers"
    set -- --workers $workers
    [ $workers -ne 6 ] || set -- "$@" --machine 'core:3 pu:1' --points=atomics
    "$tmp/sleepers" --quiet "$@" >"$tmp/printed" 2>&1
    check "$options: it ends well" test $? -eq 0
    check "$options: all are done" grep -q '^1000 done, 0 wrong, ' "$tmp/printed"
    between "$options: how late" 0 "$(number by)" 200
    between "$options: when" 100000 "$(number after)" 101500
    env MALLOC_PERTURB_=85 WSFJ_NUM_WORKERS=3 "$tmp/sleepers" --quiet "$@" >"$tmp/again" 2>&1
    check "$options: the same bytes" cmp "$tmp/printed" "$tmp/again"
done

# An hour, in which nothing happens.
"$tmp/sleepers" --workers 4 -- 3600000 >"$tmp/printed" 2>"$tmp/err"
check 'an hour: it ends well' test $? -eq 0
between 'an hour' 3600000000 "$(number after)" 3600000100
between 'an hour: points' 0 "$(sed -n 's/.* of virtual time, \([0-9]*\) points.*/\1/p' "$tmp/err")" 30000

"$tmp/sleepers" --quiet --workers 1 -- meanwhile >"$tmp/printed" 2>&1
check 'meanwhile: it ends well' test $? -eq 0

says 'a descriptor' 0 'wsfj-sim: descriptor 0 cannot be waited for in virtual time \(ENOSYS\)' \
    "$tmp/sleepers" --quiet --workers 2 -- descriptor
"$tmp/sleepers" --quiet --workers 2 -- stuck >"$tmp/printed" 2>&1
check 'for ever: exit 3' test $? -eq 3
check 'for ever: a deadlock' grep -q deadlock "$tmp/printed"
finish
