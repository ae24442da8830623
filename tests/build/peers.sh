#!/bin/sh
# SPDX-License-Identifier: MIT
# peers.sh - the kernels compile with the macros of bench/peers, which put them on OpenMP and oneTBB. Runs in the build
# directory. Where the compilers have no OpenMP or oneTBB it is skipped. Environment: srcdir, CC, CXX, PKG_CONFIG;
# WSFJ_TEST_MATRIX=1 (make check-matrix): more kernels.
#
# Catches: a change of the macros' inner interface that bench/peers does not follow; a kernel that is no C++.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"

# compiles PEER KERNEL COMMAND...
compiles() {
    folder=$srcdir/bench/peers/$1 kernel=$srcdir/bench/kernels/$2.c
    shift 2
    "$@" -O0 -Wall -Wextra -Werror -Wno-unknown-pragmas "-I$folder" "-I$srcdir/include" -iquote "$srcdir/bench" \
        -fsyntax-only "$kernel"
}

of_openmp='fib heat histogram knapsack uts' of_tbb='fib stencil'
if [ -n "${WSFJ_TEST_MATRIX-}" ]; then
    of_openmp=$(cd "$srcdir/bench/kernels" && echo *.c | sed 's/\.c//g')
    of_tbb='cholesky dot fib histogram mandelbrot stencil' # each takes a second
fi
tried=
printf '#include <omp.h>\nint main(void) { return 0; }\n' >"$tmp/try.c"
# shellcheck disable=SC2086
if $CC -fopenmp -fsyntax-only "$tmp/try.c" 2>"$tmp/no"; then
    tried="$tried OpenMP"
    for name in $of_openmp; do
        check "$name, OpenMP" compiles openmp "$name" $CC -std=gnu11 -fopenmp
    done
fi
tbb=$(${PKG_CONFIG:-pkg-config} --cflags tbb 2>/dev/null) || tbb=
printf '#include <tbb/task_group.h>\nint main() {}\n' >"$tmp/try.cc"
# shellcheck disable=SC2086
if [ "$CXX" != no ] && $CXX -std=gnu++17 $tbb -fsyntax-only "$tmp/try.cc" 2>"$tmp/no"; then
    tried="$tried oneTBB"
    for name in $of_tbb; do
        check "$name, oneTBB" compiles tbb "$name" $CXX -std=gnu++17 $tbb -x c++
    done
fi
echo "tried:${tried:- nothing}"
[ -n "$tried" ] || exit 77
finish
