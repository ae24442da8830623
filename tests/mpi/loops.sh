#!/bin/sh
# SPDX-License-Identifier: MIT
# loops.sh - loops over 1, 2 and 4 ranks, with one and two workers, whoever may call MPI; and ranks that call different loops.
srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/ranks"

on_all tests/mpi/loops

# A line for each loop, from rank 0.
different() {
    ranks 3 60 tests/mpi/loops bad >"$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
    [ "$(grep -c '^libwsfj-mpi: a loop: rank 1 has another range or size than rank 0$' "$tmp/said")" = 4 ] || cat "$tmp/said" /nonexistent
}
check 'ranges that differ are told' different
finish
