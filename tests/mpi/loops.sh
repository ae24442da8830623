#!/bin/sh
# SPDX-License-Identifier: MIT
# loops.sh - loops over 1, 2 and 4 ranks, with one and two workers, whoever may call MPI; and ranks that call different loops.
srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/ranks"

for mode in multiple funneled; do
    for count in 1 2 4; do
        workers=$((count % 2 + 1))
        check "$count ranks with $workers workers, $mode" env WSFJ_MPI_THREADS=$mode WSFJ_NUM_WORKERS=$workers \
            sh -c '. "$1"; ranks "$2" 60 tests/mpi/loops' - "$srcdir/tests/mpi/ranks" "$count"
    done
done

# The line comes once, from rank 0.
different() {
    ranks 3 60 tests/mpi/loops bad >"$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
    [ "$(grep -c '^libwsfj-mpi: a loop: rank 1 has another range or size than rank 0$' "$tmp/said")" = 1 ] || cat "$tmp/said" /nonexistent
}
check 'ranges that differ are told' different
finish
