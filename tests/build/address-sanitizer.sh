#!/bin/sh
# SPDX-License-Identifier: MIT
# address-sanitizer.sh - AddressSanitizer with a fake stack for the variables of functions finds variables used after
# the return, over joins that are suspended and resume on another thread, and nothing in a correct program
# (tests/sanitizers/returned.c). Runs in the build directory; skipped where there is no clang. Environment: as
# sanitized.
#
# Catches: a fake stack that stays with the thread, or is freed, when its fiber is suspended.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/sanitized"
case $CC in
    *clang*) choose -fsanitize=address "$CC" ;;
    *) choose -fsanitize=address clang ;;
esac

ASAN_OPTIONS='exitcode=66 detect_stack_use_after_return=1'
export ASAN_OPTIONS

# reported WHICH: the report names the function and the line that uses the variable.
reported() {
    alone "$tmp/returned" "$1" >"$tmp/report" 2>&1
    status=$?
    cat "$tmp/report"
    [ $status -eq 66 ] && grep -q 'AddressSanitizer: stack-use-after-return' "$tmp/report" &&
        grep -qE "#0 .* in use .*$(line_of returned '/* the use */')" "$tmp/report"
}

check 'the library compiles' compile_library
check 'returned.c compiles' compile_program returned
check 'a variable from before the joins' reported before
check 'a variable from between the joins' reported between
check "a variable of a child's" reported child
check 'nothing in a right program' alone "$tmp/returned"
finish
