#!/bin/sh
# SPDX-License-Identifier: MIT
# minicheck.sh - the tests' own runner (tests/minicheck) counts failures as Check does, and reports them to make:
# minicheck.c has tests that fail in each way. Environment: srcdir, CC, SANITIZER_FLAGS, TEST_EMULATOR.
#
# Catches: a failure, a death, an endless test or an early exit that passes; a test that ends the runner or the tests
# after it; processes that a test leaves behind.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

# runs STATUS CHECKS FAILURES ERRORS WHICH: the program's exit status and its line of totals; its output is $tmp/said.
runs() {
    # A sanitizer would turn the signal into an exit.
    CHILD=$tmp/child ASAN_OPTIONS=handle_segv=0 TSAN_OPTIONS=handle_segv=0 UBSAN_OPTIONS=handle_segv=0 \
        ${TEST_EMULATOR-} "$tmp/run" "$5" >"$tmp/said" 2>&1
    [ $? -eq "$1" ] && grep -Eq "^[0-9]+%: Checks: $2, Failures: $3, Errors: $4\$" "$tmp/said" && return
    cat "$tmp/said"
    return 1
}

says() {
    grep -Eq -e "$1" "$tmp/said" && return
    cat "$tmp/said"
    return 1
}

# Killed, perhaps not yet reaped; that may take a moment.
gone() {
    read -r pid <"$tmp/child" || return
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        grep -q '^State:.[^ZX]' "/proc/$pid/status" 2>/dev/null || return 0
        sleep 1
    done
    grep '^State' "/proc/$pid/status"
    return 1
}

# shellcheck disable=SC2086
check 'it builds' $CC $SANITIZER_FLAGS -std=gnu11 -Wall -Wextra "-I$srcdir/tests/minicheck" -o "$tmp/run" -pthread \
    "$srcdir/tests/build/minicheck.c" "$srcdir/tests/minicheck/check.c" "$srcdir/tests/minicheck/child.c"
check 'all pass' runs 0 2 0 0 nothing
check 'comparisons fail' runs 1 7 5 0 compare
check 'with the values' says 'minicheck.c:[0-9]+:F:all:integers:0: .*2.* -3'
check 'with the text' says ':F:all:says:0: a number: 42$'
check 'ends are counted' runs 1 8 2 4 end
check 'a death has its signal' says ':E:all:dies:0: .*signal 11'
check 'an endless test ends' says ':E:all:hangs:0: .*5 seconds'
check 'an exit is none of a test' says ':E:all:leaves:0: .*before the end'
check 'an exit code is none, either' says ':E:all:leaves:1: .*exit code 1'
check 'failures in threads are seen' says ':F:all:thread_fails:0: in a thread$'
check 'and in children' says ':F:all:child_fails:0: in a child$'
check 'loops are counted' runs 1 5 1 0 loop
check 'the one of them that fails has its number' says ':F:all:every_second_fails:1: '
check 'expected ends are not failures, others are' runs 1 7 3 0 expected
check 'an end that has not come' says ':F:all:holds:0: .*instead of signal 15'
check 'a code that has not come' says ':F:all:holds:0: .*instead of 3'
check 'no process is left behind' gone
finish
