#!/bin/sh
# SPDX-License-Identifier: MIT
# openmp.sh - OpenMP and the library in one process (tests/interop/openmp.c). Runs in the build directory; skipped
# where the compiler has no OpenMP. Environment: srcdir, CC, SANITIZER_FLAGS.
#
# Catches: a team that loses its leader; a stack that is too small for a team; threads that stay.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/interop"

printf '#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n' >"$tmp/try.c"
if ! $CC -fopenmp -o "$tmp/try" "$tmp/try.c" 2>/dev/null || ! "$tmp/try"; then
    echo "$CC has no OpenMP here"
    exit 77
fi

check 'it builds' build "$CC -std=gnu11" -fopenmp -- "$srcdir/tests/interop/openmp.c"
check 'side by side' alone 300 "$tmp/run"
check 'with small stacks' alone 300 "$tmp/run" small
check 'with OMP_PROC_BIND and workers that are not bound' alone 300 env OMP_PROC_BIND=true WSFJ_BIND=none "$tmp/run"
check 'with OMP_WAIT_POLICY=passive' alone 300 env OMP_WAIT_POLICY=passive "$tmp/run"
finish
