#!/bin/sh
# SPDX-License-Identifier: MIT
# memory-sanitizer.sh - a program with MemorySanitizer that links the library of this build: it says in one line that the
# reports may be false, and what to do instead. Compiled with -DWSFJ_SERIAL, the program has right reports: an uninitialised
# value that a task uses is found, and nothing is in a right program (tests/sanitizers/unset.c). Runs in the build directory;
# skipped where there is no clang or no shared library. Environment: as sanitized.
#
# Catches: a line that does not come, or comes again with each start; a serial program that calls the library for its tasks.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/sanitized"
choose -fsanitize=memory clang "$CC"
if [ -n "${SANITIZER_FLAGS-}" ] || ! use_library shared; then
    echo 'skipped: a shared library, no sanitizer'
    exit 77
fi

MSAN_OPTIONS=exitcode=66
export MSAN_OPTIONS

# The line, whatever follows.
warned() {
    alone "$tmp/unset" twice >"$tmp/report" 2>&1
    cat "$tmp/report"
    [ "$(grep -c '^libwsfj: this program has MemorySanitizer' "$tmp/report")" -eq 1 ]
}

quiet() {
    alone "$tmp/unset" >"$tmp/report" 2>&1
    status=$?
    cat "$tmp/report"
    [ $status -eq 0 ] && [ ! -s "$tmp/report" ]
}

reported() {
    alone "$tmp/unset" unset >"$tmp/report" 2>&1
    status=$?
    cat "$tmp/report"
    [ $status -eq 66 ] && grep -qE "#0 .* in use .*$(line_of unset '/* the use */')" "$tmp/report"
}

# MemorySanitizer sees false mistakes in hwloc, too: it shall go on.
check 'unset.c compiles' compile_program unset
MSAN_OPTIONS=halt_on_error=0
check 'the library says that the reports may be false, once' warned
MSAN_OPTIONS=exitcode=66
sanitized="$sanitized -DWSFJ_SERIAL"
check 'unset.c compiles as a serial program' compile_program unset
check 'nothing in a right program' quiet
check 'a value that was never set' reported
finish
