#!/bin/sh
# SPDX-License-Identifier: MIT
# cost.sh - `make bench-cost`: no operation takes 5 % more instructions than bench/cost/table says. Runs in the build
# directory. Skipped where there is no valgrind, with other compilers than the table's, and if the library is built for
# tests or sanitizers. Environment: srcdir, CC, SANITIZER_FLAGS, CFLAGS, TEST_EMULATOR.
#
# Catches: a spawn, a region, a submit, a wake-up, a steal, a start that has become more expensive; a script that takes
# any count for good.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

skip() {
    echo "$1"
    exit 77
}

command -v valgrind >/dev/null || skip 'valgrind is not here (Debian: valgrind)'
[ -z "${TEST_EMULATOR-}" ] || skip 'not under an emulator'
[ -z "${SANITIZER_FLAGS-}" ] || skip 'a sanitizer adds instructions'
! grep -Eq '^#define WSFJ_(CHAOS|DEBUG|SWITCH_PORTABLE)' config.h || skip 'the library is built for tests'
[ "$(uname -m)" = x86_64 ] || skip "not on $(uname -m)"
case "$($CC --version | head -n 1) ${CFLAGS-}" in
    gcc*' 12.'*-O2*) ;;
    *) skip 'the table is for gcc 12 and -O2' ;;
esac
table=$srcdir/bench/cost/table

# Each line of the report is a check.
is_not_worse() {
    cat "$tmp/line"
    ! grep -q 'worse$' "$tmp/line"
}

"$srcdir/bench/cost/run" ./wsfj-cost "$table" >"$tmp/report" 2>&1
while IFS= read -r line; do
    case $line in
        *' table '*) echo "$line" >"$tmp/line" && check "$line" is_not_worse ;;
    esac
done <"$tmp/report"
check 'every operation is counted' [ "$n" = "$(grep -c '^[a-z]' "$table")" ]

# A table from which a tenth is taken must fail.
awk '/^steal/ { $5 *= 0.9; print }' "$table" >"$tmp/less"
check 'a tenth more is seen' sh -c '! "$1" ./wsfj-cost "$2"' sh "$srcdir/bench/cost/run" "$tmp/less"
finish
