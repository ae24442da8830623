#!/bin/sh
# SPDX-License-Identifier: MIT
# output.sh - what a single run prints: --log, --report, --format, --trace. The figures agree with each other, and with
# programs of which they are known. Runs in the build directory. Environment: as `simulate` says.
#
# Catches: events that are missing or out of order; a wrong name; tasks that are counted twice or not at all; a figure in
# a wrong column; a quantile of something else; an output file that is not written, without a word.
. "${srcdir:-.}/tests/sim/simulate"
program told

# A run that has not ended after WSFJ_TEST_LIMIT seconds ends the test.
limit=${WSFJ_TEST_LIMIT:-120}
# limited NAME PROGRAM: becomes $tmp/NAME.
limited() {
    cat >"$tmp/$1" <<END
#!/bin/sh
timeout $limit $2 "\$@"
status=\$?
[ \$status -ne 124 ] || { echo "$1 \$*" >>$tmp/late && kill -TERM $$; }
exit \$status
END
    chmod +x "$tmp/$1"
}
trap 'check "it ends within $limit s: $(cat "$tmp/late")" false; finish' TERM
mv "$tmp/told" "$tmp/program" && limited told "$tmp/program"
limited sim "$sim"
sim=$tmp/sim

# value NAME: of the csv in $tmp/csv, whose program printed nothing else on stdout.
value() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' "$tmp/csv"
}
is() {
    check "$1 is $2, not $(value "$1")" test "$(value "$1")" = "$2"
}
# sum COLUMN: over the workers' rows of the table in $tmp/table.
sum() {
    awk -v column="$1" '/^worker / { rows = 1; next } rows && $1 ~ /^[0-9]+$/ { sum += $column } END { print sum }' "$tmp/table"
}

# fib(12): 233 tasks, each leaf 10 us. The same run twice: as a table with a log, and as csv.
machine='pack:2 numa:1 l3:1 core:3 pu:1'
set -- --workers 6 --machine "$machine" --seed 4
$sim "$@" --log --report fib 12 >"$tmp/table" 2>"$tmp/err"
$sim "$@" --format csv fib 12 >"$tmp/csv" 2>/dev/null
check 'two lines about the run' test "$(wc -l <"$tmp/err")" -eq 2
check 'two rows of csv' test "$(wc -l <"$tmp/csv")" -eq 2
is workers 6
is tasks 233
is work_ns 2330000
is span_ns 10000
# elsewhere ARGUMENTS...: the options may stand anywhere.
elsewhere() {
    check "the same run: $*" sh -c '"$@" 2>/dev/null | diff - "$0"' "$tmp/csv" "$sim" "$@"
}
# The same figures in each format, and of each worker.
$sim "$@" --format json fib 12 >"$tmp/json" 2>/dev/null
awk -F, 'NR == 1 { split($0, name) } NR == 2 { for (i = 1; i <= NF; i++) print "\"" name[i] "\": " ($i == "" ? "null" : $i) }' \
    "$tmp/csv" >"$tmp/figures"
check 'json has the figures of csv' sh -c 'sed -n "1{s/^{//;s/,$//;s/, /\n/g;p;}" "$1" | diff - "$2"' sh "$tmp/json" "$tmp/figures"
awk '/^worker / { rows = 1; next } rows && $1 ~ /^[0-9]+$/ { print $2, $3, $4, $5, $6, $7 }' "$tmp/table" >"$tmp/each"
check 'and the workers of the table' sh -c 'sed -n "/\"executed\"/{s/[^0-9.]\{1,\}/ /g;s/^ //;p;}" "$1" |
    awk "{ printf \"%s %s %s %s %s %.1f\n\", \$1, \$2, \$3, \$4, \$5, 100 * \$6 }" | diff - "$2"' sh "$tmp/json" "$tmp/each"
check 'workers differ' test "$(sort -u "$tmp/each" | wc -l)" -eq 6
# line TEXT: of the table.
line() {
    check "the table: $1" grep -Fqx "$1" "$tmp/table"
}
line "workers            $(value workers)"
line "speed-up           $(value speedup), efficiency $(awk -v e="$(value efficiency)" 'BEGIN { printf "%.1f", 100 * e }') %"
line "tasks              $(value tasks) executed, $(value stolen) stolen ($(awk -v a="$(value stolen)" -v b="$(value tasks)" \
    'BEGIN { printf "%.2f", 100 * a / b }') %) by $(value steals) steals, failed tries: $(value failed)"
line "steals by distance core $(value steals_core), cache $(value steals_cache), numa $(value steals_numa), package $(value steals_package), machine $(value steals_machine)"
line "stacks             $(value stacks) at once"
check 'the table: joins' grep -q "^waiting at joins   $(value joins) times, " "$tmp/table"
elsewhere fib 12 --format csv "$@"
elsewhere --format csv fib "$@" 12
elsewhere "$@" --format csv -- fib 12
check 'the speed-up is work / time' test "$(value speedup)" = \
    "$(awk -v t="$(value time_ns)" 'BEGIN { printf "%.3f", 2330000 / t }')"
check 'the efficiency is speed-up / workers' test "$(value efficiency)" = \
    "$(awk -v t="$(value time_ns)" 'BEGIN { printf "%.4f", 2330000 / t / 6 }')"
between 'the time' 388334 "$(value time_ns)" 500000
between 'stolen' 6 "$(value stolen)" 200
is steals "$(value stolen)"
check 'the workers executed all tasks' test "$(sum 2)" = 233
check 'the workers stole what was stolen' test "$(sum 3)" = "$(value stolen)"
check 'the workers lost what was stolen' test "$(sum 4)" = "$(value stolen)"
check 'the workers failed as often' test "$(sum 5)" = "$(value failed)"
check 'nothing is left' test "$(sum 6)" = 0
check 'the share of idle time' awk -v a="$(sum 7)" -v b="$(value idle)" 'BEGIN { exit !((a / 600 - b) ^ 2 < 1e-6) }'
check 'what is not busy is idle or spent on stealing' awk -v e="$(value efficiency)" -v i="$(value idle)" \
    'BEGIN { exit !(e + i <= 1 && e + i > 0.95) }'
check 'distances of two sockets' test "$(value steals_machine)" -gt 0 -a "$(value steals_package)" -eq 0 -a \
    $(($(value steals_core) + $(value steals_cache) + $(value steals_numa) + $(value steals_machine))) -eq "$(value steals)"

# The log of that run.
grep '^\[' "$tmp/table" >"$tmp/log"
check 'time does not go back' awk -F '[][]' '$2 + 0 < last { exit 1 } { last = $2 + 0 }' "$tmp/log"
count() {
    grep -Ecx -e "\[[0-9]+(\.[0-9]*[1-9])?\] worker [0-5]: $1" "$tmp/log"
}
check 'a line for each steal' test "$(count 'stole fib from worker [0-5] \([0-9]+ left\)')" = "$(value steals)"
check 'a line for each try' test "$(count 'got nothing from worker [0-5]')" = "$(value failed)"
check 'a line for each join' test "$(count 'fib waits for [0-9]+ child(ren)?')" = "$(value joins)"
check 'what is stolen begins' test "$(count 'began fib')" = $(($(value stolen) + 1))
check 'what begins ends' test "$(count 'ended fib')" = "$(count 'began fib')"
check 'what waits goes on' test "$(count 'fib goes on')" = "$(value joins)"

# Tasks with names of their own: each one begins once, stolen or not.
told() {
    "$tmp/told" --quiet "$@"
}
told --workers 3 --log -- names >"$tmp/log"
check 'each name once' test "$(sed -n 's/.* \(began\|runs\) \(K[0-9]*\)$/\2/p' "$tmp/log" | sort | uniq -c | grep -c ' 1 K')" = 20
check 'a stolen task begins' test "$(sed -n 's/.* \(worker [0-2]: \)stole \(K[0-9]*\) from.*/\1\2/p' "$tmp/log" | sort)" = \
    "$(sed -n 's/.* \(worker [0-2]: \)began \(K[0-9]*\)$/\1\2/p' "$tmp/log" | sort)"
check 'some are stolen' grep -q 'stole K' "$tmp/log"
check 'the parent keeps its name' grep -q ': parent waits for ' "$tmp/log"

# Known figures.
told --workers 2 --format csv -- waits >"$tmp/csv"
is joins 1
is tasks 2
is work_ns 1500000
is span_ns 700000
between 'the wait at the join' 490000 "$(value join_most_ns)" 520000
is join_wait_ns "$(value join_most_ns)"
told --workers 2 --format csv -- latencies >"$tmp/csv"
is tasks 0
is latency_p50_ns 500
is latency_p99_ns 990
is latency_p999_ns 999
is time_ns 0
is speedup ''
told --workers 3 --format csv -- detached >"$tmp/csv"
is tasks 50
is work_ns 100000
is joins 0
is latency_p50_ns ''
$sim --workers 5 --format csv fib 1 >"$tmp/csv" 2>/dev/null
is all_busy_ns ''
is tasks 1
is idle 0.8000
told --workers 3 --format json -- detached >"$tmp/json"
check 'json' sh -c 'grep -q "\"tasks\": 50," "$1" && grep -q "\"latency_p50_ns\": null," "$1" && grep -c "\"executed\"" "$1" | grep -qx 3' \
    sh "$tmp/json"

# --trace: in the library's format, in virtual time.
told --workers 1 --machine 'core:4 pu:1' --trace "$tmp/t.json" -- blocks
check 'the trace has virtual time' grep -Eq '"from":10000[0-9]{2}\.[0-9]+,"to":118[0-9]{4}\.' "$tmp/t.json"
if [ -x ./wsfj-view ]; then
    check 'wsfj-view takes it' ./wsfj-view --check "$tmp/t.json"
fi

# What is wrong.
says 'behind --, no option' 2 'wsfj-sim: .*--seed.*' $sim fib -- 3 --seed
says 'no value, at the end' 2 'wsfj-sim: --workers needs a value: N' $sim fib 3 --workers
says 'another name' 2 'wsfj-sim: --trace=x: expected a name that ends in \.json' $sim --trace x fib 3
says 'no folder' 2 "wsfj-sim: --trace=$tmp/none/t\.json: No such file or directory" $sim --trace "$tmp/none/t.json" fib 3
says 'no format' 2 'wsfj-sim: --format=xml: expected table, csv or json' $sim --format xml fib 3
for format in table csv json; do
    says "closed stdout, $format" 1 'wsfj-sim: stdout.*' sh -c "$tmp/told --format $format --quiet -- none >/dev/full"
done
check 'the status of the program stays' sh -c '"$1" --quiet --report -- none 7 >/dev/null; test $? -eq 7' sh "$tmp/told"
finish
