#!/bin/sh
# SPDX-License-Identifier: MIT
# bag.sh - bags under mpirun, with each MPI that is here: what they promise (bag_trees), on 1, 2 and 4 ranks, and what goes
# wrong (bag_bad). From the library's sources, because programs of one MPI do not run with the other. Environment: srcdir; the
# build folder is the current one.
#
# Catches: what the two programs name; a killed rank that leaves others behind; a bad condition without its line.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

found=
for mpi in openmpi mpich; do
    command -v mpicc.$mpi >/dev/null && command -v mpirun.$mpi >/dev/null && found="${found:+$found }$mpi"
done
[ -n "$found" ] || {
    echo 'skipped: no MPI (Debian: libopenmpi-dev or libmpich-dev)'
    exit 77
}

compile() { # MPI FLAG...
    mpicc=mpicc.$1
    shift
    $mpicc -std=gnu11 -O1 -w -I. -I"$srcdir/include" -iquote "$srcdir/lib" -iquote "$srcdir/bench" "$@"
}
archive() { # MPI NAME FLAG SOURCE...: what the programs of an MPI share, as $tmp/NAME.MPI.a
    mpi=$1 flag=$3 objects=$tmp/$2.$1
    shift 3
    mkdir "$objects" || return
    for source; do
        compile $mpi $flag -c "$source" -o "$objects/$(basename "$source" .c).o" || return
    done
    ar rc "$objects.a" "$objects"/*.o
}
build() { # MPI PROGRAM SOURCE...
    mpi=$1 program=$2.$1
    shift 2
    compile $mpi "$@" "$tmp/parallel.$mpi.a" -L.libs -lwsfj -lm -Wl,-rpath,"$PWD/.libs" -o "$tmp/$program"
}
serial() { # MPI PROGRAM
    compile $1 -DWSFJ_SERIAL "$srcdir/tests/mpi/$2.c" "$tmp/serial.$1.a" -o "$tmp/$2.serial.$1"
}
# run MPI RANKS COMMAND...: ends by itself. What ranks write is in `written`.
run() {
    mpi=$1 ranks=$2
    shift 2
    case $mpi in
        openmpi) options='--allow-run-as-root --oversubscribe' ;;
        *) options= ;;
    esac
    timeout 60 mpirun.$mpi $options -n "$ranks" "$@" >"$tmp/written" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$tmp/written"
    return $status
}
says() { # MPI CONDITION LINE: on three ranks, and the line comes once
    run "$1" 3 "$tmp/bag_bad.$1" "$2" || return
    [ "$(grep -c "$3" "$tmp/written")" -eq 1 ] || { cat "$tmp/written"; return 1; }
}
# The launcher ends the job with an error within 10 s, and no rank is left.
killed() {
    start=$(date +%s)
    run "$1" 3 "$tmp/bag_bad.$1" killed && return 1
    [ $(($(date +%s) - start)) -le 10 ] || { echo "after $(($(date +%s) - start)) s"; return 1; }
    ! grep -q 'not true' "$tmp/written" || return 1
    sleep 1
    ! pgrep -f "^$tmp/bag_bad.$1 killed" || return 1
}

for mpi in $found; do
    check "$mpi: the library is built" archive $mpi parallel '' "$srcdir"/lib/mpi/*.c
    check "$mpi: the library is built serially" archive $mpi serial -DWSFJ_SERIAL "$srcdir"/lib/mpi/bag*.c
    for program in bag_trees bag_bad; do
        check "$mpi: $program is built" build $mpi $program "$srcdir/tests/mpi/$program.c"
    done
    check "$mpi: bag_trees is built serially" serial $mpi bag_trees
    check "$mpi: loops are built with short pieces" \
        build $mpi loops -DPIECE_MOST=4096 "$srcdir/tests/mpi/loops.c" "$srcdir/lib/mpi/bag_map.c"
    check "$mpi: loops are built serially" serial $mpi loops
    check "$mpi: the example is built" build $mpi search "$srcdir/examples/mpi_search.c"
    check "$mpi: the example runs" run $mpi 3 "$tmp/search.$mpi" 9
    check "$mpi: it counts" grep -q '^9 queens: 352 ways' "$tmp/written"
    check "$mpi: uts is built" build $mpi uts "$srcdir/bench/mpi/uts.c"
    check "$mpi: uts counts" run $mpi 3 "$tmp/uts.$mpi" 0
    for ranks in 1 2 4; do
        check "$mpi: bags on $ranks ranks" run $mpi $ranks "$tmp/bag_trees.$mpi"
        check "$mpi: loops on $ranks ranks, with short pieces" run $mpi $ranks "$tmp/loops.$mpi"
        # The same code for each MPI, and MPICH's ranks spin: with more of them than CPUs, one MPI suffices.
        [ $ranks -lt 4 ] || [ $mpi = "${found%% *}" ] || [ -n "${WSFJ_TEST_FULL-}" ] || continue
        check "$mpi: bags on $ranks ranks, serially" run $mpi $ranks "$tmp/bag_trees.serial.$mpi"
        check "$mpi: loops on $ranks ranks, serially" run $mpi $ranks "$tmp/loops.serial.$mpi"
    done
    check "$mpi: ranks with one worker and with three" \
        run $mpi 2 sh -c 'WSFJ_NUM_WORKERS=$((1 + 2 * ${OMPI_COMM_WORLD_RANK:-$PMI_RANK})) exec "$0"' "$tmp/bag_trees.$mpi"
    check "$mpi: one CPU" run $mpi 2 taskset -c 0 "$tmp/bag_trees.$mpi"
    check "$mpi: small stacks" run $mpi 2 env WSFJ_STACK_SIZE=64K "$tmp/bag_trees.$mpi"
    check "$mpi: the calls of MPI belong to one thread" run $mpi 2 env WSFJ_MPI_THREADS=funneled "$tmp/bag_trees.$mpi"
    check "$mpi: other functions" says $mpi other-functions 'rank 2 has other functions than rank 0$'
    check "$mpi: other names" says $mpi other-names 'rank 2 has other functions than rank 0$'
    check "$mpi: other seeds" says $mpi other-seeds 'rank 1 has other settings than rank 0$'
    check "$mpi: calls while it runs" run $mpi 3 "$tmp/bag_bad.$mpi" within
    check "$mpi: the runtime takes no task" run $mpi 3 "$tmp/bag_bad.$mpi" no-room
    check "$mpi: other settings" says $mpi other-settings 'rank 1 has other settings than rank 0$'
    check "$mpi: another number of runs" says $mpi other-times 'rank 2 calls ws_mpi_bag_run, rank 0 calls ws_mpi_bag_reduce$'
    check "$mpi: other sizes" says $mpi other-sizes 'ws_mpi_bag_reduce: rank 1 has size 8, rank 0 has 16$'
    export WSFJ_DUMP_SIGNAL=USR2
    check "$mpi: the line about a bag" says $mpi line '^bag: rank 0 of 3 is active, .*rank 1 waits for tasks.*rank 2 waits'
    check "$mpi: a dump has it, too" grep -q '^  bag: rank 0 of 3 is active, .*rank 1 waits for tasks.*rank 2 waits' "$tmp/written"
    unset WSFJ_DUMP_SIGNAL
    check "$mpi: a task of 1 GiB" run $mpi 3 "$tmp/bag_bad.$mpi" large
    check "$mpi: it says so" grep -q 'ws_mpi_bag_add: a task of 1073741824 bytes; at most 65536' "$tmp/written"
    check "$mpi: a bag with tasks is not freed" run $mpi 2 "$tmp/bag_bad.$mpi" not-free
    check "$mpi: in a cancelled group" run $mpi 2 "$tmp/bag_bad.$mpi" cancelled
    check "$mpi: tasks for ranks that were silent for long" run $mpi 3 "$tmp/bag_bad.$mpi" late
    check "$mpi: a killed rank" killed $mpi
done
finish
