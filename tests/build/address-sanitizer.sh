#!/bin/sh
# SPDX-License-Identifier: MIT
# address-sanitizer.sh - AddressSanitizer and LeakSanitizer, by gcc and by clang, in programs that link the library of this
# build, shared and static, which is compiled without them: variables used after the return, over joins that are suspended
# and resume on another thread, and memory that a task has lost are found (tests/sanitizers/returned.c, held.c), and
# nothing is in right programs (thrown.cc, too). Then returned.c once more with a library that is compiled with the
# sanitizer. Runs in the build directory. Environment: as sanitized, and CXX;
# WSFJ_TEST_FULL: also gcc with the static library and clang with the shared one.
#
# Catches: a fake stack that stays with the thread, or is freed, when its fiber is suspended; a switch that is not told;
# pointers on the stack of a waiting task, or in a queue, that LeakSanitizer does not see; leaks that it no longer sees.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/sanitized"

# returned WHICH: the report names the function and the line that uses the variable.
returned() {
    ASAN_OPTIONS='exitcode=66 detect_stack_use_after_return=1' alone "$tmp/returned" "$1" >"$tmp/report" 2>&1
    status=$?
    cat "$tmp/report"
    [ $status -eq 66 ] && grep -q 'AddressSanitizer: stack-use-after-return' "$tmp/report" &&
        grep -qE "#0 .* in use .*$(line_of returned '/* the use */')" "$tmp/report"
}

# quiet PROGRAM ARGUMENT...: ends well and writes no word of a sanitizer.
quiet() {
    program=$1
    shift
    alone "$tmp/$program" "$@" >"$tmp/report" 2>&1
    status=$?
    cat "$tmp/report"
    [ $status -eq 0 ] && ! grep -qE 'Sanitizer|ASan' "$tmp/report"
}

try_returned() {
    check "$with: returned.c compiles" compile_program returned
    check "$with: a variable from before the joins" returned before
    check "$with: a variable from between the joins" returned between
    check "$with: a variable of a child's" returned child
    ASAN_OPTIONS=detect_stack_use_after_return=1
    check "$with: nothing in a right program" quiet returned
}

# The one leak, with the function and the line, in the task that has lost it.
lost() {
    LSAN_OPTIONS=exitcode=66 alone "$tmp/held" lost >"$tmp/report" 2>&1
    status=$?
    cat "$tmp/report"
    [ $status -eq 66 ] && grep -q 'SUMMARY: AddressSanitizer: 100 byte(s) leaked in 1 allocation' "$tmp/report" &&
        grep -qE "in lose .*$(line_of held '/* the leak */')" "$tmp/report" && grep -q 'in wsfj_.*_grandchild ' "$tmp/report"
}

# Not in containers that forbid ptrace().
leaks_are_found() {
    printf '#include <stdlib.h>\nint main(void) { char *volatile p = malloc(9); p = 0; return p != 0; }\n' >"$tmp/leak.c"
    # shellcheck disable=SC2086
    $sanitized -o "$tmp/leak" "$tmp/leak.c" && ! alone "$tmp/leak" >/dev/null 2>&1
}

try_held() {
    ASAN_OPTIONS=detect_stack_use_after_return=0
    if ! leaks_are_found; then
        echo "$with: LeakSanitizer does not work here"
        return
    fi
    check "$with: held.c compiles" compile_program held
    check "$with: all is held, at the end" quiet held
    check "$with: all is held, at an exit in a task" quiet held exit
    check "$with: a block that a task has lost" lost
}

try_thrown() {
    sanitized_cxx="$1 -std=c++17 -g -O1 -fno-omit-frame-pointer -fsanitize=address"
    echo 'int main() { return 0; }' >"$tmp/try.cc"
    # shellcheck disable=SC2086
    $sanitized_cxx -o "$tmp/try" "$tmp/try.cc" 2>/dev/null && "$tmp/try" 2>/dev/null || return
    check "$with: thrown.cc compiles" compile_with "$sanitized_cxx" thrown.cc
    for after_return in 0 1; do
        ASAN_OPTIONS=detect_stack_use_after_return=$after_return
        check "$with: exceptions and jumps, $after_return" quiet thrown
    done
}

export ASAN_OPTIONS
if [ -z "${SANITIZER_FLAGS-}" ]; then
    for compiler in gcc clang; do
        choose_or_not -fsanitize=address $compiler || continue
        for form in shared static; do
            case $compiler-$form in gcc-static | clang-shared) [ -n "${WSFJ_TEST_FULL-}" ] || continue ;; esac
            use_library $form || continue
            with="$compiler, $form"
            try_returned
            try_held
            case $compiler in
                gcc) try_thrown g++ ;;
                clang) try_thrown clang++ ;;
            esac
        done
    done
fi

if choose_or_not -fsanitize=address "$CC" clang; then
    with='compiled with the sanitizer'
    check 'the library compiles' compile_library
    try_returned
fi
if [ "$n" -eq 0 ]; then
    echo 'skipped: no compiler with -fsanitize=address'
    exit 77
fi
finish
