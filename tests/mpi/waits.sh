#!/bin/sh
# SPDX-License-Identifier: MIT
# waits.sh - the cases of waits.c on 1, 2 and 4 ranks, with one and two workers, whoever may call MPI.
srcdir=${srcdir:-.}
. "$srcdir/tests/mpi/ranks"

on_all tests/mpi/waits
finish
