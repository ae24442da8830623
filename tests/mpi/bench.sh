#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh - make bench-mpi with runs of milliseconds: all programs, on 1, 2 and 4 ranks. Runs in the build directory.
#
# Catches: a program that no longer compiles, fails or has a wrong result; a table without one of its lines; a failure that `run`
# does not pass on; an option that is accepted though it makes no sense.
srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/ranks"

small() {
    timeout 600 env -u MAKEFLAGS -u MFLAGS make -s bench-mpi BENCH_ARGS=--small >"$tmp/table" 2>"$tmp/errors"
    status=$?
    cat "$tmp/table" "$tmp/errors"
    return $status
}
refuses() { # ARGUMENT...
    MPIRUN=$MPIRUN sh "$srcdir/bench/mpi/run" "$@" >"$tmp/table" 2>&1
    status=$?
    cat "$tmp/table"
    [ $status -eq 2 ]
}

check 'all programs run' small
for program in nqueens stencil stencil-openmp sort mandelbrot; do
    for all in 1 2 4; do
        check "$program on $all ranks: two lines" [ "$(grep -Ec "^$program +$all +[12] +[0-9.]+ +[0-9.]+ +[0-9.]+" "$tmp/table")" -eq 2 ]
    done
done
check 'no rounds' refuses --rounds 0
check 'no such program' refuses quicksort
check 'a program that fails is told' sh -c '! MPIRUN=false sh "$1" --small nqueens' sh "$srcdir/bench/mpi/run"
finish
