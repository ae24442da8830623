#!/bin/sh
# SPDX-License-Identifier: MIT
# slow_path.sh - user code takes slow-path exits in one of two ways: by assembly, or by calls. It uses calls with
# -DWSFJ_NO_ASM, and in code for APX, which has registers that the assembly does not save. Runs in the build directory.
# Environment: srcdir, CC, NM, SANITIZER_FLAGS, TEST_EMULATOR.
#
# Catches: calls without a compiler barrier between the store of the tail and the load in the sync (THE-1, THE-2): the
# assembly clobbers memory and so is a barrier, a call on a cold path is none; assembly in code for APX; one way that
# does not work with a library compiled for the other.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

fib=$srcdir/tests/build/user.c

# publish FLAGS...: wsfj_publish_tail() after preprocessing.
publish() {
    # shellcheck disable=SC2086
    $compiler "-I$srcdir/include" "$@" -E -P "$fib" | sed -n '/void wsfj_publish_tail(/,/^ *}/p'
}

# goes_by WAY FLAGS...: the code calls wsfj_sync_WAY, thunk or slow, and not the other.
goes_by() {
    way=$1
    shift
    # shellcheck disable=SC2086
    $compiler -O2 "-I$srcdir/include" "$@" -c "$fib" -o "$tmp/fib.o" || return 1
    [ "$($NM "$tmp/fib.o" | sed -n 's/.* U wsfj_sync_//p')" = "$way" ] && return
    $NM "$tmp/fib.o"
    return 1
}

# by_calls FLAGS...
by_calls() {
    check "$compiler $*: by calls" goes_by slow "$@"
    check "$compiler $*: a barrier of the compiler's" sh -c \
        'echo "$1" | grep -q "__atomic_store_n(&wsfj_deque->wsfj_tail" && echo "$1" | grep -q "__atomic_signal_fence(5)"' sh "$(publish "$@")"
}

by_assembly() {
    check "$compiler: by assembly" goes_by thunk
    check "$compiler: the barrier is the assembly's" sh -c \
        'echo "$1" | grep -q "__atomic_store_n(&wsfj_deque->wsfj_tail" && ! echo "$1" | grep -q __atomic_signal_fence' sh "$(publish)"
}

tried=
for compiler in "$CC" gcc clang; do
    case " $tried " in *" $compiler "*) continue ;; esac
    tried="$tried $compiler"
    if ! command -v "${compiler%% *}" >/dev/null; then
        echo "skipped: there is no $compiler"
        continue
    fi
    case $($compiler -E -dM -x c /dev/null) in
        *__APX_F__*) by_calls ;;
        *__x86_64__*) by_assembly ;;
        *) by_calls ;;
    esac
    by_calls -DWSFJ_NO_ASM
    by_calls -D__APX_F__
done

for flag in '' -DWSFJ_NO_ASM -D__APX_F__; do
    # shellcheck disable=SC2086
    if [ -e .libs/libwsfj.so ] && $CC $SANITIZER_FLAGS -O2 $flag "-I$srcdir/include" "$fib" -o "$tmp/fib" -L.libs -lwsfj; then
        # shellcheck disable=SC2086
        check "a program compiled with '$flag' runs" \
            env LD_LIBRARY_PATH=.libs WSFJ_NUM_WORKERS=4 ${TEST_EMULATOR-} "$tmp/fib"
    fi
done
finish
