#!/bin/sh
# SPDX-License-Identifier: MIT
# static.sh - a program linked with -static runs, if configure has found that static linking works. Runs in the build
# directory. Environment: srcdir, CC, SANITIZER_FLAGS, STATIC_LIBS, STATIC_PROGRAMS (yes, or no and why not),
# TEST_EMULATOR.
#
# Catches: a library that needs another library that libwsfj.pc does not name; a program that uses the library before
# the library's constructors have run, and gets no workers.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

if [ "$STATIC_PROGRAMS" != yes ]; then
    echo "skipped: $STATIC_PROGRAMS"
    exit 77
fi

# links FILE: with -static; $tmp/program.
links() {
    # shellcheck disable=SC2086
    $CC -std=gnu11 $SANITIZER_FLAGS -O2 "-I$srcdir/include" "$1" -static .libs/libwsfj.a $STATIC_LIBS -o "$tmp/program"
}

# runs: the program succeeds with two workers, and prints nothing.
runs() {
    WSFJ_NUM_WORKERS=2 ${TEST_EMULATOR-} "$tmp/program" >"$tmp/said" 2>&1 && [ ! -s "$tmp/said" ] && return
    cat "$tmp/said"
    return 1
}

needs_no_loader() {
    ! command -v readelf >/dev/null || ! readelf -lW "$tmp/program" | grep INTERP
}

check 'the example links' links "$srcdir/tests/build/user.c"
check 'it needs no loader' needs_no_loader
check 'it runs' runs

cat >"$tmp/early.c" <<'END'
#include <wsfj.h>

static __thread volatile char locals[1 << 20];
static long result;
static int error;

static WS_TASK(long, fib, long, n)
{
    if (n < 2)
        return n;
    long x, y;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

__attribute__((constructor(101))) static void early(void)
{
    locals[0] = 1;
    error = ws_run(fib, &result, 20);
}

int main(void)
{
    return error || result != 6765 || ws_num_workers() != 2;
}
END
check 'one with a constructor links' links "$tmp/early.c"
check 'it has workers, with much thread-local memory' runs
finish
