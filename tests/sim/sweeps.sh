#!/bin/sh
# SPDX-License-Identifier: MIT
# sweeps.sh - many runs: --sweep, --runs, --plot. Each point is the run that it would be alone; means and intervals are
# what the single runs give; a run that fails does not end the others. Runs in the build directory. Environment: as
# `simulate` says.
#
# Catches: a point that is missing, or in the wrong row; results that depend on how many runs there are at once; a wrong
# interval; an error that is lost; a bound at the wrong place of the picture.
. "${srcdir:-.}/tests/sim/simulate"
program told

# column NAME FILE: of a csv.
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR > 1 { print $at }' "$2"
}
# values SWEEP: the values that it makes, in a row.
values() {
    $sim --sweep "n=$1" --format csv fib 3 '{n}' >"$tmp/values" 2>/dev/null
    column sweep_n "$tmp/values" | tr '\n' ' '
}
for pair in '7:7' '2..5:2 3 4 5' '0..10+5:0 5 10' '1..11+5:1 6 11' '1..10+4:1 5 9' '1..10*2:1 2 4 8' '3..24*2:3 6 12 24' \
    '1..1000*10:1 10 100 1000' '4,1,8..9:4 1 8 9' '5..5:5'; do
    check "${pair%%:*} is ${pair#*:}" test "$(values "${pair%%:*}")" = "${pair#*:} "
done

# Each point is the same run as alone; the last sweep varies fastest; one CPU gives the same bytes as all.
$sim --sweep workers=1,3 --sweep grain=1000,5000 --format csv fib 8 '{grain}' >"$tmp/grid"
check 'the order of points' test "$(cut -d, -f1,2 "$tmp/grid" | tr '\n' ' ')" = \
    'sweep_workers,sweep_grain 1,1000 1,5000 3,1000 3,5000 '
row=1
for point in '1 1000' '1 5000' '3 1000' '3 5000'; do
    $sim --workers "${point% *}" --format csv fib 8 "${point#* }" >"$tmp/alone" 2>/dev/null
    check "alone: $point" test "$(column time_ns "$tmp/alone") $(column stolen "$tmp/alone")" = \
        "$(column time_ns "$tmp/grid" | sed -n ${row}p) $(column stolen "$tmp/grid" | sed -n ${row}p)"
    row=$((row + 1))
done
if taskset -c "$(awk '/^Cpus_allowed_list/ { sub(/[-,].*/, "", $2); print $2 }' /proc/self/status)" true 2>/dev/null; then
    taskset -c "$(awk '/^Cpus_allowed_list/ { sub(/[-,].*/, "", $2); print $2 }' /proc/self/status)" \
        $sim --sweep workers=1,3 --sweep grain=1000,5000 --format csv fib 8 '{grain}' >"$tmp/one"
    check 'the same on one CPU' cmp "$tmp/grid" "$tmp/one"
fi

# Runs: seeds in a row; the mean, and Student's interval: 4.3027 for three values, 2.0452 for thirty.
set -- --workers 4 --machine 'core:2 pu:1'
for seed in 5 6 7; do
    $sim "$@" --seed $seed --format csv fib 9 2000 2>/dev/null >"$tmp/alone"
    column time_ns "$tmp/alone"
done >"$tmp/times"
check 'seeds differ' test "$(sort -u "$tmp/times" | wc -l)" -gt 1
agrees() {
    awk -v t="$1" -v mean="$(column time_ns "$3")" -v half="$(column time_ns_half95 "$3")" \
        '{ n++; s += $1; q += $1 * $1 } END { m = s / n; h = t * sqrt((q - n * m * m) / (n - 1) / n)
        exit !(m > 0 && h > 0 && (mean - m) ^ 2 < 1e-4 && (half / h - 1) ^ 2 < 1e-9) }' "$2"
}
$sim "$@" --seed 5 --runs 3 --format csv fib 9 2000 >"$tmp/runs"
check 'the mean of three, and its interval' agrees 4.3027 "$tmp/times" "$tmp/runs"
seed=1
while [ $seed -le 30 ]; do
    $sim "$@" --seed $seed --format csv fib 5 2000 2>/dev/null >"$tmp/alone"
    column time_ns "$tmp/alone"
    seed=$((seed + 1))
done >"$tmp/times"
$sim "$@" --runs 30 --format csv fib 5 2000 >"$tmp/runs"
check 'the mean of thirty, and its interval' agrees 2.04523 "$tmp/times" "$tmp/runs"
check 'thirty runs' test "$(column runs "$tmp/runs")" = 30

# The columns of one's choice.
$sim --sweep workers=1,2 --columns tasks,executed_most fib 8 >"$tmp/table"
check 'columns: the names' test "$(head -n 1 "$tmp/table")" = 'workers     tasks executed_most'
check 'columns: their figures' test "$(sed -n 2p "$tmp/table")" = '      1        34            34'
$sim --runs 2 --columns efficiency fib 8 >"$tmp/table"
check 'columns: with intervals' grep -Eqx ' efficiency \+-95 % *' "$tmp/table"

# A run that fails: its line says why, the others go on, the status is 1. Nothing else is on stderr: no terminal.
$sim --sweep workers=0,2,5000,3 fib 5 >"$tmp/table" 2>"$tmp/err"
check 'the status is 1' test $? -eq 1
check 'a failed run, by its error' grep -Eqx ' *0  failed: --workers=0: expected a number from 1 to 4096' "$tmp/table"
check 'the others have their figures' test "$(grep -Ec '^ *[23] +[0-9.]+ +[0-9.]+ ' "$tmp/table")" -eq 2
check 'all rows' test "$(wc -l <"$tmp/table")" -eq 5
check 'nothing on stderr' test ! -s "$tmp/err"
"$tmp/told" --sweep 's=0,7' -- none '{s}' >"$tmp/table"
check 'a failed run, by its status' grep -Eqx ' *7  failed: exit status 7' "$tmp/table"
"$tmp/told" --sweep 's=none,crash' --runs 2 --format csv -- '{s}' >"$tmp/table"
check 'a failed run, by its signal' grep -Eq '^crash,2,2,.*,killed by signal [0-9]+ \(.*\)$' "$tmp/table"
check 'its figures are empty' grep -Eq '^crash,2,2,,,,,' "$tmp/table"
check 'the other one has not failed' grep -Eq '^none,2,0,.*,$' "$tmp/table"
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "$sim --runs 3 fib 3 >/dev/null" /dev/null >"$tmp/terminal"
    check 'progress on a terminal' grep -q '2 of 3 runs' "$tmp/terminal"
fi

# The picture. fib has a span of one leaf: on 4 workers 34 leaves take at least 8.5 of them, and at most 9.5 if greedy.
$sim --sweep workers=1..4 --runs 2 --plot "$tmp/plot.svg" fib 8 >/dev/null
check 'a picture' grep -q '^</svg>$' "$tmp/plot.svg"
check 'literal colours' sh -c '! grep -Eq "var\(|currentColor" "$1"' sh "$tmp/plot.svg"
check 'a background' grep -q '<rect width="100%" height="100%" fill="#ffffff"/>' "$tmp/plot.svg"
check 'a point for each number of workers, in both' test "$(grep -c '<circle' "$tmp/plot.svg")" -eq 8
ends() {
    sed -n "s/.*class=\"$1\".*L520.0 \([0-9.]*\)\"\/>/\1/p" "$tmp/plot.svg"
}
check 'no schedule is faster' test "$(ends fastest)" = 60.0
check 'a greedy schedule' test "$(ends greedy)" = "$(awk 'BEGIN { printf "%.1f", 60 + 320 * (1 - 34 / 9.5 / 4) }')"
if xmllint --version >/dev/null 2>&1; then
    check 'it is XML' xmllint --noout "$tmp/plot.svg"
fi

wrong() {
    pattern=$1
    shift
    says "$*" 2 "wsfj-sim: $pattern" $sim "$@" fib 5
}
wrong '--sweep workers: expected NAME=VALUES' --sweep workers
wrong "--sweep workers: '8\.\.2' is no range \(.*\)" --sweep workers=8..2
wrong "--sweep workers: '0\.\.8\*2' is no range \(.*\)" --sweep 'workers=0..8*2'
wrong "--sweep workers: '1\.\.8\+0' is no range \(.*\)" --sweep workers=1..8+0
wrong "--sweep workers: '1\.\.x' is no range \(.*\)" --sweep workers=1..x
wrong '--sweep workers=1,,2: an empty value' --sweep workers=1,,2
wrong '--sweep nope: no such option, and no \{nope\} in the arguments' --sweep nope=1
wrong '--sweep runs: no such option, and no \{runs\} in the arguments' --sweep runs=1
wrong '--sweep workers=2: there is one of workers already' --sweep workers=1 --sweep workers=2
wrong '--sweep workers: more than 10000 values' --sweep workers=1..18446744073709551615
wrong '--runs=0: expected a number from 1 to 100000' --runs 0
wrong '--log and --trace are for one run, not for --sweep or --runs' --log --runs 2
wrong '--plot needs --sweep workers=\.\.\.' --plot "$tmp/x.svg"
wrong '--plot needs --sweep workers=\.\.\. with at least two values' --plot "$tmp/x.svg" --sweep workers=3
wrong "--plot=$tmp/none/x\.svg: No such file or directory" --plot "$tmp/none/x.svg" --sweep workers=1,2
wrong "--columns: 'speed' is no figure \(--format csv has all names\)" --columns tasks,speed
wrong "--columns: '' is no figure \(--format csv has all names\)" --columns tasks,
says 'a full disk for rows' 1 'wsfj-sim: stdout: No space left on device' sh -c "$sim --runs 2 fib 3 >/dev/full"
says 'a full disk for the picture' 1 'wsfj-sim: --plot=/dev/full: No space left on device' \
    $sim --sweep workers=1,2 --plot /dev/full fib 3
finish
