#!/bin/sh
# SPDX-License-Identifier: MIT
# conditions.sh - what must not be, or seldom is, under mpirun (conditions.c): each has a defined result, one line that names it, and
# an end. Runs in the build directory. Environment: as `ranks` says.
#
# Catches: a rank that outlives the job; a call of MPI where MPI allows none; a wait where a thread must not wait; an error without a
# line, or with a line for each call; workers that are bound where ranks share CPUs; settings of the launcher that are lost.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/mpi/ranks"
unset WSFJ_MPI_THREADS WSFJ_NUM_WORKERS WSFJ_BIND

# condition RANKS NAME [ASSIGNMENTS]: each rank prints "as expected".
condition() {
    n_ranks=$1 condition=$2
    shift 2
    check "$condition $*" all_expected "$@"
}
all_expected() {
    ranks "$n_ranks" 60 env "$@" tests/mpi/conditions "$condition" >"$tmp/said" 2>&1
    status=$?
    cat "$tmp/said"
    [ $status -eq 0 ] && [ "$(grep -o 'as expected' "$tmp/said" | wc -l)" -eq "$n_ranks" ]
}
# says N LINE: stderr of the last condition has N such lines of the library.
says() {
    check "$condition says: $2" count "$1" "libwsfj-mpi: $2"
}
count() {
    cat "$tmp/said"
    [ "$(grep -c "$2" "$tmp/said")" -eq "$1" ]
}
# Nor anything else.
silent() {
    check "$condition says no more" sh -c '! grep "libwsfj" "$1"' sh "$tmp/said"
}

condition 1 not_initialised
says 1 'ws_mpi_wait: call ws_mpi_init() first: EINVAL$'
condition 1 finalised
says 1 'ws_mpi_wait: MPI_Finalize() was called before: EINVAL$'
condition 1 in_a_source
says 1 'ws_mpi_wait: a poll source, or a thread that ends, must not wait: EDEADLK$'
condition 1 destructor
says 1 'ws_mpi_wait: a poll source, or a thread that ends, must not wait: EDEADLK$'
condition 2 again
condition 2 again WSFJ_MPI_THREADS=funneled
condition 1 single
says 1 'MPI has MPI_THREAD_SINGLE: ask for MPI_THREAD_MULTIPLE, or MPI_THREAD_FUNNELED at least$'
condition 1 wrong_level WSFJ_MPI_THREADS=many
says 1 'WSFJ_MPI_THREADS=many: it takes funneled, serialized or multiple$'
long=$(printf '%600s' '' | tr ' ' x)
condition 1 wrong_level WSFJ_MPI_THREADS="$long"
says 1 'WSFJ_MPI_THREADS=x\{100,490\}$'
condition 1 elsewhere
says 1 'ws_mpi_init: call it in the thread that has called MPI_Init()$'
condition 1 unserved WSFJ_MPI_THREADS=funneled
says 1 'ws_mpi_wait: the thread of ws_mpi_init() is not in ws_mpi_run(), so nobody may call MPI: EDEADLK$'
condition 1 not_raised WSFJ_MPI_THREADS=multiple
says 1 'ws_mpi_wait: the thread of ws_mpi_init() is not in ws_mpi_run(), so nobody may call MPI: EDEADLK$'
condition 1 fini_in_loop
says 1 'ws_mpi_fini: 1 wait for MPI is not over: EBUSY$'
condition 1 fini_busy
says 3 'ws_mpi_fini: 1 wait for MPI is not over: EBUSY$'
condition 2 fini_first WSFJ_BIND=none
condition 1 forked
says 1 'ws_mpi_wait: the child of a fork may not call MPI: ECHILD$'
condition 1 foreign
silent
condition 1 signals
condition 1 pinned
condition 1 pinned WSFJ_SPARES=0 # as ws_pin() says: not pinned
condition 2 scarce WSFJ_NUM_WORKERS=1
condition 2 scarce WSFJ_NUM_WORKERS=1 WSFJ_MPI_THREADS=funneled
condition 4 scarce WSFJ_NUM_WORKERS=2 WSFJ_MPI_THREADS=serialized
says 1 'ranks 0 and 1 both run on CPUs* [0-9,-]*: mpirun --map-by slot:PE=n$'
condition 3 few_stacks WSFJ_MPI_THREADS=multiple
condition 3 few_stacks WSFJ_MPI_THREADS=funneled

# The launcher's mask stays, and ranks that share CPUs share them unbound, unless the user says otherwise.
if command -v taskset >/dev/null; then
    condition 2 scarce
    says 1 'ranks 0 and 1 both run on CPUs* [0-9,-]*: mpirun --map-by slot:PE=n$'
    all=$(nproc)
    condition 2 cpus EXPECTED_CPUS="$all" BOUND_CPUS="$all"
    condition 1 cpus EXPECTED_CPUS="$all" BOUND_CPUS=1
    silent
    condition 2 cpus EXPECTED_CPUS="$all" BOUND_CPUS=1 WSFJ_BIND=close
    condition 1 cpus EXPECTED_CPUS=1 BOUND_CPUS=1 taskset -c 0
    condition 2 scarce taskset -c 0
    says 1 'ranks 0 and 1 both run on CPU 0: mpirun --map-by slot:PE=n$'
fi

# What a task waits for.
condition 1 dumped WSFJ_DUMP_SIGNAL=USR2
check 'the dump names the call' grep -Eq 'stack [0-9]+.* waits for MPI_Irecv from any rank, tag 5, for 0\.[0-9] s' "$tmp/said"
check 'the dump names a send' grep -Eq 'stack [0-9]+.* waits for MPI_Isend to rank 0, tag 6, for 0\.[0-9] s' "$tmp/said"

# A rank that dies ends the job.
ends_soon() {
    ranks 3 10 tests/mpi/conditions killed >"$tmp/killed" 2>&1
    status=$?
    cat "$tmp/killed"
    [ $status -ne 0 ] && [ $status -ne 124 ] # 124: after 10 s it still ran
}
check 'killed: the job ends' ends_soon
check 'killed: all ranks ran' [ "$(grep -c '^process [0-9]' "$tmp/killed")" -eq 3 ]
left() {
    sed -n 's/^process //p' "$tmp/killed" | while read -r pid; do
        ! grep -qs tests/mpi/conditions "/proc/$pid/cmdline" || echo "$pid is left"
    done
}
check 'killed: no rank is left' [ -z "$(left)" ]
finish
