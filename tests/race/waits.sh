#!/bin/sh
# SPDX-License-Identifier: MIT
# waits.sh - wsfj-race knows what wsfj/wait.h orders: no race between what a mutex keeps apart, nor between the two sides of an
# event, a semaphore or a channel; a race without. Environment: CC.
#
# Catches: an object whose own memory is taken for the program's, an order that is not known, a race that an object hides.
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
finish
