#!/bin/sh
# SPDX-License-Identifier: MIT
# waits.sh - the cases of waits.c on 1, 2 and 4 ranks, with one and two workers, whoever may call MPI.
srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/ranks"

for mode in multiple funneled; do
    for count in 1 2 4; do
        workers=$((count % 2 + 1))
        check "$count ranks with $workers workers, $mode" env WSFJ_MPI_THREADS=$mode WSFJ_NUM_WORKERS=$workers \
            sh -c '. "$1"; ranks "$2" 60 tests/mpi/waits' - "$srcdir/tests/mpi/ranks" "$count"
    done
done
finish
