#!/bin/sh
# SPDX-License-Identifier: MIT
# schedules.sh - wsfj-race --schedules and --seed with the programs of schedules.c: what is wrong is found within 50 schedules, what
# is right passes 200, a seed replays to the byte, and each wrong use gets one line. Environment: CC.
#
# Catches: a schedule that is not the seed's; tasks that are never reordered; locks, groups or slots that fibers break; a
# difference that is not told.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/race/compiled"
unset WSFJ_RACE_SCHEDULE WSFJ_RACE_LIMIT WSFJ_RACE_STARTED

# says TEXT: the only line of wsfj-race has it.
says() {
    cat "$tmp/stderr"
    [ "$(grep -c '^wsfj-race: ' "$tmp/stderr")" -eq 1 ] && grep -q "^wsfj-race: .*$1" "$tmp/stderr"
}
seed_of() {
    seed=$(sed -n 's/^wsfj-race: seed \([0-9]*\): .*/\1/p' "$tmp/stderr")
}

check 'it compiles' "$race" "$CC" -O2 -g "$srcdir/tests/race/schedules.c" -o "$tmp/program" -lpthread
check 'what is right, by 200 schedules' ends 0 "$race" --schedules 200 "$tmp/program" clean
check 'is said so' says '200 schedules: each had the output and the exit status of the serial run'

# another: the replay is not as the serial run.
another() {
    WSFJ_RACE_SCHEDULE=serial "$tmp/program" "$program" >"$tmp/serial" 2>&1
    [ "$first" -ne 0 ] || ! cmp "$tmp/serial" "$tmp/once"
}
# found NAME TEXT: within 50 schedules, in one line; the seed replays it, twice the same.
found() {
    program=$1 text=$2
    check "$program is found" ends 66 "$race" --schedules 50 "$tmp/program" "$program"
    check "$program: one line" says "seed [0-9]*: $text.*; wsfj-race --seed [0-9]* .*program $program replays it"
    seed_of
    "$race" --seed "${seed:-1}" "$tmp/program" "$program" >"$tmp/once" 2>&1
    first=$?
    "$race" --seed "${seed:-1}" "$tmp/program" "$program" >"$tmp/twice" 2>&1
    check "$program: the same status" test $first -eq $?
    check "$program: the same bytes" cmp "$tmp/once" "$tmp/twice"
    check "$program: not those of the serial run" another
}
found bank 'line 1 of the output is "bank [2-8] 0", serially "bank 1 0"'
found lost 'line 1 of the output is "lost 0 [1-7]", serially "lost 0 8"'
found printed 'line [1-8] of the output is "[0-7]", serially "[0-7]"'
found last 'line 1 of the output is "last 0 [0-6]", serially "last 0 7"'
found unwaited 'line 1 of the output is "unwaited 0 0", serially "unwaited 1 0"'
found leaves 'exit status 3, serially exit status 0'
found crashes 'ended by signal 6 (Aborted), serially exit status 0'
found crossed \
    'deadlock: two_locks waits for a lock at .*schedules.c:[0-9]*, two_locks waits for a lock at .*schedules.c:[0-9]*'
found kept 'deadlock: keeps waits for a lock that it holds at .*schedules.c:[0-9]*'
check 'the replay says the deadlock, too' grep -q '^wsfj-race: seed [0-9]*: deadlock' "$tmp/once"

WSFJ_RACE_LIMIT=5
export WSFJ_RACE_LIMIT
check 'a schedule that does not end' ends 66 "$race" --schedules 50 "$tmp/program" sleeps
check 'is told' says 'seed [0-9]*: has not ended after 5 s (WSFJ_RACE_LIMIT=SECONDS allows more)'
unset WSFJ_RACE_LIMIT

# Kernels that have far more children than fibers. C++, too.
for kernel in uts knapsack; do
    echo "KERNEL_OF($kernel)" >"$tmp/kernels.def"
    check "$kernel compiles" "$race" "$CC" -O2 -w -iquote "$srcdir/bench" -iquote "$srcdir/bench/kernels" -I"$tmp" \
        "$srcdir/bench/kernels/$kernel.c" "$srcdir/tests/race/kernels.c" -o "$tmp/kernel" -lm
    check "$kernel" ends 0 "$race" --schedules 2 "$tmp/kernel" $kernel
    check "$kernel is right" says '2 schedules: each had the output'
done
if [ "${CXX:-no}" != no ]; then
    check 'wsfj.hpp' "$race" "$CXX" -std=c++17 -O2 "$srcdir/tests/race/hpp.cc" -o "$tmp/hpp"
    check 'is right' ends 0 "$race" --schedules 50 "$tmp/hpp"
    check 'or not' ends 66 "$race" --schedules 50 "$tmp/hpp" bug
    check 'by its output' says 'seed [0-9]*: line 1 of the output is "[0-9-]* [0-9]*", serially "[0-9]* [0-9]*"'
fi

# At most 1000 fibers, and the rest of the children at once. Some seeds have less: where children run first.
fibers_of() {
    ends 0 env WSFJ_RACE_STATS=1 "$race" --seed "$seed" "$tmp/program" "$1" && says '[0-9]* fibers, at most [0-9]* at once' || return
    fibers=$(sed -n 's/.*at most \([0-9]*\) at once/\1/p' "$tmp/stderr")
    [ "${fibers:-1001}" -le 1000 ]
}
for shape in deep wide; do
    check "$shape" ends 0 "$race" --schedules 5 "$tmp/program" $shape
    seed=0 fibers=0
    while [ "$seed" -lt 80 ] && [ "$fibers" -lt 1000 ]; do
        seed=$((seed + 1))
        check "$shape, seed $seed" fibers_of $shape
    done
    check "$shape: as many fibers as there may be" test "$fibers" -eq 1000
done

# The seeds go on from the given one, and differ from each other.
check 'from a seed on' ends 66 "$race" --schedules 50 --seed 1000 "$tmp/program" printed
seed_of
check 'which is not less' test "${seed:-0}" -ge 1000
for i in 1 2 3 4 5 6 7 8 9 10; do "$race" --seed $i "$tmp/program" printed | cksum; done | sort -u >"$tmp/kinds" 2>&1
check 'ten seeds are not one schedule' test "$(wc -l <"$tmp/kinds")" -gt 3

echo here >"$tmp/input"
check 'each run reads the input' ends 0 sh -c '"$1" --schedules 3 "$2" input <"$3"' - "$race" "$tmp/program" "$tmp/input"
check 'a pipe is not read' ends 0 sh -c 'echo here | "$1" --schedules 3 "$2" input' - "$race" "$tmp/program"
check 'which is said' grep -q 'the standard input cannot be read again' "$tmp/stderr"

# Wrong use.
check 'a program that differs by itself' ends 99 "$race" --schedules 3 "$tmp/program" number
check 'is told' grep -q '^wsfj-race: two serial runs differ' "$tmp/stderr"
check 'regions of two threads at once' ends 99 "$race" --schedules 3 "$tmp/program" threads
check 'are refused' says 'seed 1: two threads have tasks at once'
"$CC" -I"$srcdir/include" -DWSFJ_SERIAL "$srcdir/tests/race/schedules.c" -o "$tmp/plain" -lpthread >"$tmp/out" 2>&1
check 'a program of another compiler' ends 99 "$race" --schedules 3 "$tmp/plain" safe
check 'is told' says 'plain: not compiled and linked by `wsfj-race cc`'
check 'no such program' ends 99 "$race" --schedules 3 "$tmp/nothing"
check 'is said' says 'nothing cannot be run: '
check 'no such program to replay' ends 99 "$race" --seed 3 "$tmp/nothing"
check 'is said, too' says 'nothing cannot be run: '
for wrong in 0 x 3x -3 1000000001; do
    check "--schedules $wrong" ends 99 "$race" --schedules $wrong "$tmp/program" safe
    check 'is refused' says "schedules $wrong: expected a number from 1 to 1000000000"
done
for wrong in x -1 18446744073709551616; do
    check "--seed $wrong" ends 99 "$race" --seed $wrong "$tmp/program" safe
    check 'is refused' says "seed $wrong: expected a number from 0 to 18446744073709551615"
done
check 'no number' ends 99 "$race" --schedules
check 'is refused' says 'schedules: expected a number'
check 'with --stacks' ends 99 "$race" --stacks --seed 1 "$tmp/program" safe
check 'is refused' says 'leave out one of them'
check 'a wrong limit' ends 99 env WSFJ_RACE_LIMIT=soon "$race" --schedules 3 "$tmp/program" safe
check 'is refused' says 'WSFJ_RACE_LIMIT soon: expected a number from 1 to 1000000'
check 'a wrong schedule' ends 99 env WSFJ_RACE_SCHEDULE=first "$tmp/program" safe
check 'is refused' says 'WSFJ_RACE_SCHEDULE=first: expected a seed'
finish
