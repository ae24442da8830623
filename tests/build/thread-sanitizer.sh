#!/bin/sh
# SPDX-License-Identifier: MIT
# thread-sanitizer.sh - ThreadSanitizer reports a data race inside a user's tasks, with the user's function and line on
# both sides (tests/sanitizers/races.c), and nothing in a program without races (tests/sanitizers/ordered.c). Runs in
# the build directory; skipped where the compiler has no ThreadSanitizer. Environment: as sanitized.
#
# Catches: a switch that is not announced to the sanitizer; an order that the sanitizer misses, or that the library does
# not give.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/sanitized"
choose -fsanitize=thread "$CC"

TSAN_OPTIONS='exitcode=66 history_size=7'
export TSAN_OPTIONS

# reported RACE: the program ends with the report's status, and both stacks begin in the function with the race.
reported() {
    alone "$tmp/races" "$1" >"$tmp/report" 2>&1
    status=$?
    cat "$tmp/report"
    [ $status -eq 66 ] && grep -q 'WARNING: ThreadSanitizer: data race' "$tmp/report" &&
        [ "$(grep -cE "#0 add .*$(line_of races '/* the race */')" "$tmp/report")" -eq 2 ]
}

check 'the library compiles' compile_library
check 'races.c compiles' compile_program races
check 'ordered.c compiles' compile_program ordered
check 'a task and its child' reported child
check 'two detached tasks' reported group
check 'a thread and the task it has submitted' reported submitted
check 'nothing where all is ordered' alone "$tmp/ordered"
finish
