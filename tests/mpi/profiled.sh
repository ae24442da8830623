#!/bin/sh
# SPDX-License-Identifier: MIT
# profiled.sh - the cases of profiled.c on one, two and three ranks, where functions of MPI do what they seldom do.
#
# Catches: a mask that MPI has narrowed; a message that is lost as its receive is taken back; an error that counts for another request
# or has another class; a communicator that is left behind; a wait that needs a thread of the runtime.
srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/ranks"
unset WSFJ_MPI_THREADS WSFJ_NUM_WORKERS WSFJ_BIND

as_expected() { # RANKS CASE ASSIGNMENT
    ranks "$1" 60 env "$3" tests/mpi/profiled "$2" >"$tmp/said" 2>&1
    status=$?
    cat "$tmp/said"
    [ $status -eq 0 ] && [ "$(grep -o 'as expected' "$tmp/said" | wc -l)" -eq "$1" ]
}
for case in mask late_message failure all_freed no_threads; do
    for all in 1 2 3; do
        check "$case on $all ranks" as_expected $all $case WSFJ_MPI_THREADS=multiple
    done
done
check 'no_threads, and one may call MPI' as_expected 2 no_threads WSFJ_MPI_THREADS=funneled
finish
