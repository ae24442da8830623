#!/bin/sh
# SPDX-License-Identifier: MIT
# limit.sh - a test that never ends is ended, and says who runs what and who waits for whom: tests/user/hang, and
# scripts. Runs in the build directory. Environment: srcdir, SHELL, TEST_EMULATOR.
#
# Catches: a test without a limit; a limit without a dump; a dump that does not reach the log or what `make check`
# prints; processes that a late script leaves behind.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
WSFJ_TEST_LIMIT=1
export WSFJ_TEST_LIMIT

# hangs WHERE: the test fails; its output is $tmp/WHERE.log.
hangs() {
    # shellcheck disable=SC2086
    ! ${TEST_EMULATOR-} tests/user/hang "$1" >"$tmp/$1.log" 2>&1 &&
        grep -q '^0%: Checks: 1, ' "$tmp/$1.log" && return
    cat "$tmp/$1.log"
    return 1
}

# says LOG PATTERN
says() {
    grep -Eq -e "$2" "$tmp/$1.log" && return
    cat "$tmp/$1.log"
    return 1
}

# ends STATUS COMMAND...: as a script of the tests; its output is $tmp/script.log.
ends() {
    status=$1
    shift
    sh "$srcdir/tests/support/limited" "$@" >"$tmp/script.log" 2>&1
    [ $? -eq "$status" ] && return
    cat "$tmp/script.log"
    return 1
}

# refuses COMMAND...: one line that names the setting and the value.
refuses() {
    WSFJ_TEST_LIMIT=1x
    "$@" >"$tmp/refused.log" 2>&1
    status=$?
    WSFJ_TEST_LIMIT=1
    [ "$status" -eq 2 ] && [ "$(wc -l <"$tmp/refused.log")" -eq 1 ] && says refused 'WSFJ_TEST_LIMIT=1x '
}

shows_dump() {
    ! sh "$srcdir/tests/support/totals" "$tmp/runtime.log" >"$tmp/totals.log" && says totals 'never_ends'
}

gone() {
    read -r pid <"$tmp/pid"
    [ ! -e "/proc/$pid" ] || grep '^State:.Z' "/proc/$pid/status"
}

# dump WHERE: whose child never ends, and that it waits for a signal.
dump() {
    check "$1: it is late" says "$1" '^out of time: process [0-9]+ has run for 1 s$'
    check "$1: there is a dump" says "$1" '^libwsfj: dump of process [0-9]+ after .* s: SIGALRM$'
    check "$1: it has who waits" says "$1" 'waits_for_it \(.*: waits at a sync for 1 child \(stack '
    check "$1: it has who runs" says "$1" 'worker [01]: running, .* never_ends \(.*, stolen from stack '
    check "$1: it is whole" says "$1" '^libwsfj: end of the dump$'
}

check 'in the runtime' hangs runtime
if [ -z "${TEST_EMULATOR-}" ]; then
    dump runtime
    check 'threads have been asked' sh -c "! grep -q WSFJ_DUMP_SIGNAL '$tmp/runtime.log'"
    echo ':test-result: FAIL' >"$tmp/runtime.trs"
    check 'make check shows it' shows_dump
    check 'in a child' hangs child
    dump child
fi
check 'without a runtime' hangs plain
check 'no dump then' says plain '^no dump: its runtime is not started$'
check 'an invalid limit of a program' refuses tests/user/hang plain
check 'an invalid limit of a script' refuses sh "$srcdir/tests/support/limited" true
check 'a script that ends has its status' ends 77 sh -c 'exit 77'
check 'and its output' ends 0 echo done
check 'which is all of it' says script '^done$'
check 'a script that does not end fails' ends 1 sh -c "echo begun; sleep 1000 & echo \$! >'$tmp/pid'; wait"
check 'its output is there' says script '^begun$'
check 'it is late' says script '^out of time: sh .* has run for 3 s; its processes:$'
check 'what it waits for' says script '^[0-9]+ S sleep 1000 $'
check 'which is gone' gone
finish
