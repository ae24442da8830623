#!/bin/sh
# SPDX-License-Identifier: MIT
# bench-waits.sh - the tables of bench/waits with few tasks: each has its rows, with figures. Go is named if it is missing. Runs in
# the build directory. Environment: srcdir, SANITIZER_FLAGS, TEST_EMULATOR; WSFJ_TEST_FULL: also the rows of Go.
#
# Catches: a server that loses a request or a part of it; a task that is not resumed; a measurement without a figure.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
if [ -n "${TEST_EMULATOR-}${SANITIZER_FLAGS-}" ]; then
    echo 'skipped: the times of a sanitizer or emulator say nothing'
    exit 77
fi

[ -n "${WSFJ_TEST_FULL-}" ] || export GO=false

tables() {
    sh "$srcdir/bench/waits/run" --small --rounds 1 many timers echo fib idle >"$tmp/tables" && return
    cat "$tmp/tables"
    return 1
}
check 'the tables are made' tables

# has ROW PATTERN: the figure of our program.
has() {
    grep -Eq "^ *$1.*  wsfj $2" "$tmp/tables" && return
    cat "$tmp/tables"
    return 1
}
number='[1-9][0-9.e+]*|0\.[0-9]+'
for row in '300 tasks wait, 8M stacks: s' '300 tasks wait, 64K stacks: s' 'KiB each' 's until all are back' \
    '100 timers in 1 s, late: p50, ms' '20 connections, 500 echoes/s: p50, us' 'p99, us' 'CPU, s each second' \
    'the same beside fib: p50, us' "fib's calls, 10\^6/s" "fib's calls alone"; do
    check "$row" has "$row" "($number)"
done
check 'nothing comes, and no thread runs' has '30 waits, nothing comes: threads ran in 1 s' '0( |$)'
if grep -q '^go: left out' "$tmp/tables"; then
    check 'Go has no figures' sh -c '! grep -q "  go " "$1"' sh "$tmp/tables"
else
    check 'Go has as many rows' [ "$(grep -c '  go [0-9]' "$tmp/tables")" = "$(grep -c '  wsfj ' "$tmp/tables")" ]
fi
check 'an unknown table is refused' sh -c '! sh "$1" tables 2>"$2" && grep -q "no table or option tables" "$2"' sh \
    "$srcdir/bench/waits/run" "$tmp/message"
finish
