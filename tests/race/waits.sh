#!/bin/sh
# SPDX-License-Identifier: MIT
# waits.sh - wsfj-race knows what wsfj/wait.h orders: no race between what a mutex keeps apart, nor between the two sides of an
# event, a semaphore or a channel; a race without. Environment: CC.
#
# Catches: an object whose own memory is taken for the program's, an order that is not known, a race that an object hides; a wait
# that by a schedule is refused, or ends too early; a site that is not named.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/race/compiled"

check 'it compiles' "$race" "$CC" -O1 -g "$srcdir/tests/race/waits.c" -o "$tmp/waits"
for way in 0 2 3 4 5; do
    check "way $way: no race" ends 0 "$tmp/waits" $way
done
for way in 1 6; do
    check "way $way: a race" ends 66 "$tmp/waits" $way
done

# Waits of each kind, in an order that the serial run does not have.
for way in 0 2 3 4 5 7; do
    check "way $way: 100 schedules" ends 0 "$race" --schedules 100 "$tmp/waits" $way
done
check 'way 8: a deadlock' ends 66 "$race" --schedules 100 "$tmp/waits" 8
check 'way 8: is told' grep -Eq '^wsfj-race: seed [0-9]+: deadlock: locks_both waits for an object of wait.h at .*waits.c:[0-9]+, locks_both waits for' \
    "$tmp/stderr"

# What only a later task could end: one line, with the site.
check 'way 9: no race' ends 0 "$tmp/waits" 9
line=$(grep -n 'this line' "$srcdir/tests/race/waits.c" | cut -d: -f1)
check 'way 9: one line' test "$(grep -c EDEADLK "$tmp/stderr")" -eq 1
check 'way 9: the site' grep -q "^wsfj-race: ws_event_wait() at .*waits.c:$line waits for what only a later task could do: EDEADLK" "$tmp/stderr"
finish
