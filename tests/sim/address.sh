#!/bin/sh
# SPDX-License-Identifier: MIT
# address.sh - in a build with --enable-sanitizer=address: AddressSanitizer knows the stacks of virtual threads and of
# fibers. Runs in the build directory. Environment: as `simulate` says.
#
# Catches: a switch of stacks of which AddressSanitizer is not told: it then reports correct programs, or misses an error
# on a fiber's stack; memory that the simulator leaves behind.
. "${srcdir:-.}/tests/sim/simulate"
case ${SANITIZER_FLAGS-} in
*address*) ;;
*) exit 77 ;;
esac

program address
"$tmp/address" --quiet --workers 8 >"$tmp/good" 2>&1
check "a correct program: $(head -n 2 "$tmp/good" | tail -n 1)" test $? -eq 0
check 'its tasks are stolen' grep -qx '256, stolen' "$tmp/good"
"$tmp/address" --quiet --workers 8 wrong >"$tmp/wrong" 2>&1
check 'a wrong one fails' test $? -ne 0
check 'the array is named' grep -q "AddressSanitizer: stack-buffer-overflow" "$tmp/wrong"
check 'and the task' grep -q "'array'.* overflows this variable" "$tmp/wrong"
$sim --quiet --workers 64 fib 14 >"$tmp/fib" 2>&1
check 'no report of a run' sh -c "! grep -q Sanitizer '$tmp/fib'"
check 'its result' grep -q '^fib(14) = 377 in ' "$tmp/fib"
finish
