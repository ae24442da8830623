#!/bin/sh
# SPDX-License-Identifier: MIT
# ours.sh - our own programs have no race: the examples, random programs of tests/random, and with RACE_ALL=1 (make
# check-race) ten times as many of these and the tests of tests/user that can pass in a serial run. With one ws_sync()
# taken out they have. Environment: CC, CXX, RACE_ALL.
#
# Catches: false races in programs of all kinds; a race of a test's own.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/race/compiled"
examples=$srcdir/examples random=$srcdir/tests/random user=$srcdir/tests/user

# clean COMMAND...: it succeeds; regions were checked and had no race.
clean() {
    timeout 900 "$@" >"$tmp/said" 2>"$tmp/report" && grep -q '^wsfj-race: 0 races$' "$tmp/report" &&
        ! grep -q '^wsfj-race: race ' "$tmp/report" && return
    tail -n 5 "$tmp/said"
    cat "$tmp/report"
    return 1
}

# racy FILE COMMAND...: it has a race, at a line of the file.
racy() {
    file=$1
    shift
    timeout 300 "$@" >"$tmp/said" 2>"$tmp/report"
    [ $? -eq 66 ] && grep -q "^  \(earlier\|later\) .*$file:[0-9]" "$tmp/report" && return
    cat "$tmp/report"
    return 1
}

# The examples, with small inputs.
for program in nqueens mergesort mandelbrot rgrep wordcount pool two_files quicksort; do
    compiler=$CC sources=$examples/$program.c
    case $program in
        nqueens) set -- 6 ;;
        mergesort) set -- "$examples/README.md" ;;
        mandelbrot) set -- 60 40 ;;
        rgrep) set -- calloc "$examples" ;;
        wordcount) set -- "$examples"/*.c ;;
        pool) set -- ;;
        two_files) set -- 300 && sources="$examples/two_files/main.c $examples/two_files/tree.c" ;;
        quicksort) set -- 20000 && compiler="$CXX -std=c++17" sources=$examples/quicksort.cc ;;
    esac
    [ "${compiler%% *}" != no ] || continue
    # shellcheck disable=SC2086
    check "$program compiles" "$race" $compiler -O2 $sources -o "$tmp/$program"
    seq 1000003 1000009 >"$tmp/numbers"
    check "$program is clean" clean "$tmp/$program" "$@" <"$tmp/numbers"
done
sed 's/ws_sync();/;/' "$examples/nqueens.c" >"$tmp/lost.c"
check 'nqueens without its sync compiles' "$race" "$CC" -O2 "$tmp/lost.c" -o "$tmp/lost"
check 'nqueens without its sync' racy lost.c "$tmp/lost" 6

# Random programs, ten in a process: detached tasks are pending until its end.
programs() {
    "$race" "$CC" -O2 -w -I"$srcdir/include" -I"$srcdir/tests/minicheck" -iquote "$random" "$srcdir/tests/race/programs.c" \
        "$random/compare.c" "$random/loops.c" "$random/place.c" "$random/scopes.c" "$1" "$random/tree.c" "$random/ways.c" \
        -o "$tmp/programs" -lpthread
}
lost_sync() {
    sed "$1s/ws_sync();/;/" "$random/tasks.c" >"$tmp/tasks@$1.c" && programs "$tmp/tasks@$1.c" || return
    racy "tasks@$1.c" "$tmp/programs" 1 100
}
lines=$(grep -n 'ws_sync();' "$random/tasks.c" | cut -d: -f1) seeds=3000
[ -n "${RACE_ALL-}" ] || lines=$(echo "$lines" | head -n 1) seeds=300
for line in $lines; do
    # A second sync behind it waits for the same children.
    sed -n "$((line + 1)),$((line + 2))p" "$random/tasks.c" | grep -q 'ws_sync();' ||
        check "random programs without the sync of line $line" lost_sync "$line"
done
check 'random programs compile' programs "$random/tasks.c"
for seed in $(seq 1 10 $seeds); do
    check "seeds from $seed" clean "$tmp/programs" "$seed" 10
done

# can_be_serial TEST: not those of tests/user that need more than a serial program has.
can_be_serial() {
    case $1 in
        files_other | loops_other | profile_other | reductions_values) ;; # part of another test
        elision | kernels | profile*) ;;                                  # another kind of build; kernels.sh has the kernels
        copies | early | fork | hang | locals | setuid | unload) ;;       # another process or another copy of the library
        dump* | messages | monitor | outputs | record* | trace* | watchdog) ;;       # what the library prints and writes
        lifecycle | phases | placement | queries | resident | roots | slots | threads) ;; # workers: number, state, errors
        cgroup | cpu_limit | idle | signals | yields) ;;                  # workers as threads of the system
        blocking* | pins | poll | preemption | restored | rounding) ;;    # tasks that wait for one another's threads
        loops_where | scope | scope_away | scope_loops) ;;                # tasks that wait for a thief
        loop_halves | unwind) ;;                                          # names of the parallel task macros
        leave | scope_misuse) ;;                                          # what -DWSFJ_DEBUG says
        reductions | try_fold) ;;                                         # --wrap of functions that the detector wraps
        frames) ;;                                                        # a task that means to return without ws_sync()
        *) return 0 ;;
    esac
    return 1
}
compile_test() {
    sources=$user/$1.c
    [ ! -e "$user/${1%_nested}_other.c" ] || sources="$sources $user/${1%_nested}_other.c"
    # shellcheck disable=SC2086
    "$race" "$CC" -O1 -w -I"$srcdir/include" -I"$srcdir/tests/minicheck" $sources "$tmp"/*.o -o "$tmp/user" -lm -lpthread
}
if [ -n "${RACE_ALL-}" ]; then
    echo 'const char *late_dump(void); const char *late_dump(void) { return "a serial program"; }' >"$tmp/late_dump.c"
    for file in "$srcdir"/tests/minicheck/*.c "$srcdir/tests/support/limit.c" "$tmp/late_dump.c"; do
        check "$file compiles" "$race" "$CC" -O1 -w -DTEST_LIMIT_S=600 -c "$file" -o "$tmp/$(basename "$file" .c).o"
    done
    for file in "$user"/*.c; do
        name=$(basename "$file" .c)
        can_be_serial "$name" || continue
        check "tests/user/$name compiles" compile_test "$name"
        check "tests/user/$name is clean" clean "$tmp/user"
    done
fi
finish
