#!/bin/sh
# SPDX-License-Identifier: MIT
# thread-sanitizer.sh - ThreadSanitizer reports a data race inside a user's tasks, with the user's function and line on
# both sides (tests/sanitizers/races.c), and nothing in programs without races (ordered.c, handed.c, queued.c there). So
# with a library that is compiled with the sanitizer, too, and with that of this build: shared, and static by clang, or by
# the compiler of this build where there is no clang. Runs in the build directory; skipped where the compiler has no
# ThreadSanitizer. Environment: as sanitized; WSFJ_TEST_FULL: also static by this compiler, shared by clang.
#
# Catches: a switch that is not announced to the sanitizer; an order that the sanitizer misses, or that the library does
# not give; an order that is told though the library does not give it.
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

# The same, in one of three runs: two submits share a token by chance (lib/task/item.c).
reported_at_last() {
    reported "$1" || reported "$1" || reported "$1"
}

# programs WITH COMPILE...: the programs, compiled by COMPILE, tell what they should.
programs() {
    with=$1
    shift
    for program in races ordered handed queued; do
        check "$program.c compiles, $with" "$@" "$program"
    done
    for race in child group submitted; do
        check "the race is reported: $race, $with" reported "$race"
    done
    for program in ordered handed queued; do
        check "nothing of $program, $with" alone "$tmp/$program"
    done
}

# plain COMPILER LIBRARY: the same with the library of this build, which orders less than ThreadSanitizer sees of the other.
plain() {
    programs "$1 with ${2#.libs/}" compile_plain "$2"
    check "the race is reported: later, $with" reported_at_last later
}

# compile_plain LIBRARY NAME: as compile_program, with the library of this build.
compile_plain() {
    # shellcheck disable=SC2086
    $sanitized "-I$srcdir/include" "$srcdir/tests/sanitizers/$2.c" "$1" $LIBRARY_LIBS -Wl,-rpath,"$PWD/.libs" -o "$tmp/$2"
}

check 'the library compiles' compile_library
programs 'the library compiled so, too' compile_program
if [ -z "${SANITIZER_FLAGS-}" ]; then
    [ ! -e .libs/libwsfj.so ] || plain "$CC" .libs/libwsfj.so
    tried=
    if [ "$CC" != clang ] && choose_or_not -fsanitize=thread clang; then
        for library in .libs/libwsfj.a ${WSFJ_TEST_FULL:+.libs/libwsfj.so}; do
            [ ! -e $library ] || plain clang $library
        done
        tried=yes
    fi
    if [ -e .libs/libwsfj.a ] && [ "${WSFJ_TEST_FULL:+full}$tried" != yes ]; then
        choose -fsanitize=thread "$CC"
        plain "$CC" .libs/libwsfj.a
    fi
fi
finish
