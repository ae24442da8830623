#!/bin/sh
# SPDX-License-Identifier: MIT
# address.sh - AddressSanitizer in a simulated program knows the stacks of virtual threads and of fibers, whether the
# simulator is compiled with it or not. Runs in the build directory. Environment: as `simulate` says. Skipped where the
# compiler has no AddressSanitizer, and in a build with another sanitizer.
#
# Catches: a switch of stacks of which AddressSanitizer is not told: it then reports correct programs, or misses an error
# on a fiber's stack; memory that the simulator leaves behind.
. "${srcdir:-.}/tests/sim/simulate"
SANITIZER_FLAGS=${SANITIZER_FLAGS:--fsanitize=address}
echo 'int main(void) { return 0; }' >"$tmp/try.c"
# shellcheck disable=SC2086
case $SANITIZER_FLAGS in
    *address*) $CC $SANITIZER_FLAGS -o "$tmp/try" "$tmp/try.c" 2>/dev/null && "$tmp/try" || exit 77 ;;
    *) exit 77 ;;
esac

program address
"$tmp/address" --quiet --workers 8 >"$tmp/good" 2>&1
check "a correct program: $(head -n 2 "$tmp/good" | tail -n 1)" test $? -eq 0
check 'its tasks are stolen' grep -qx '256, stolen' "$tmp/good"
"$tmp/address" --quiet --workers 8 wrong >"$tmp/wrong" 2>&1
check 'a wrong one fails' test $? -ne 0
check 'the array is named' grep -q "AddressSanitizer: stack-buffer-overflow" "$tmp/wrong"
check 'and the task' grep -q "'array[.i0-9]*'.* overflows this variable" "$tmp/wrong"
$sim --quiet --workers 64 fib 14 >"$tmp/fib" 2>&1
check 'no report of a run' sh -c "! grep -q Sanitizer '$tmp/fib'"
check 'its result' grep -q '^fib(14) = 377 in ' "$tmp/fib"
finish
