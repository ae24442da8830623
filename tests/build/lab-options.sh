#!/bin/sh
# SPDX-License-Identifier: MIT
# lab-options.sh - wsfj-lab with the user's own values: --workers, --length, --count. Runs in the build directory.
# Environment: srcdir, CC, TEST_EMULATOR.
#
# Catches: a wrong value that passes, or is refused without its name; an option that an experiment neither uses nor
# refuses; a value that an experiment ignores; a latency that does not begin when its task was due; a percentile of too
# few values, or of the wrong rank; an unwritten table.
srcdir=${srcdir:-.}
# shellcheck disable=SC2086
. "$srcdir/tests/build/checks"
for name in $(env | sed -n 's/^\(\(WSFJ\|OMP\|HWLOC\)_[A-Z_]*\)=.*/\1/p'); do
    case $name in WSFJ_CHAOS_*) ;; *) unset "$name" ;; esac
done
lab="${TEST_EMULATOR-} ./wsfj-lab"

# refuses PATTERN ARGUMENT...: status 2, one line on standard error, nothing on standard output.
refuses() {
    pattern=$1
    shift
    $lab --quick "$@" >"$tmp/shown" 2>"$tmp/line"
    [ $? -eq 2 ] && [ ! -s "$tmp/shown" ] && [ "$(wc -l <"$tmp/line")" -eq 1 ] &&
        grep -q -e "^wsfj-lab: $pattern" "$tmp/line" && return
    cat "$tmp/shown" "$tmp/line"
    return 1
}

# own CONDITION ARGUMENT...: with these arguments the tables on standard output have lines, and each fulfils the
# condition, in which v["name"] is the value in that column. Columns are two spaces or more apart.
own() {
    condition=$1
    shift
    $lab --quick "$@" >"$tmp/own" 2>"$tmp/errors" || { cat "$tmp/errors"; return 1; }
    [ ! -s "$tmp/errors" ] || return
    awk -F '  +' "NF < 3 || /^(held|seen|not seen|noise|note):/ || /[0-9] s  / { next }
        \$NF !~ /^[0-9.-]+\$/ { split(\"\", v); for (i = 1; i <= NF; i++) name[i] = \$i; next }
        { for (i = 1; i <= NF; i++) v[name[i]] = \$i; lines++; if (!($condition)) { print; bad = 1 } }
        END { exit !lines || bad }" "$tmp/own" || { cat "$tmp/own"; return 1; }
}

# counts NUMBER TEXT: so many lines of the last table have the text.
counts() {
    [ "$(grep -c "$2" "$tmp/own")" -eq "$1" ]
}

check 'no such experiment' refuses '99: no such experiment' 99
check 'no such option' refuses "unknown option '--elephants'" --elephants
check 'no such folder' refuses '--out /nonexistent/lab: ' --out /nonexistent/lab 05
check 'a value is missing' refuses '--out needs a value' 05 --out
for option in workers length count; do
    check "--$option without a value" refuses "--$option needs a value" latency "--$option"
    for value in '' 0 -1 x 1x 1x2 '1,' ',1' ' 1' 1,,2 0x10 nan inf 1e1 99999999999999999999 \
        1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17; do
        check "--$option '$value'" refuses "--$option '$value': expected" latency "--$option" "$value"
    done
done
for value in 50 50parsecs 1.5 0.5ns 11s ns 1..5us 1.5.2us 1usus '50us,'; do
    check "--length '$value'" refuses "--length '$value': expected" latency "--length=$value"
done
check 'too many workers' refuses "--workers '257': expected" latency --workers 257
check 'too many tasks' refuses "--count '10000001': expected" latency --count 10000001

# What an experiment takes, as --list has it: it refuses the other options, and a list where it takes one value.
$lab --list >"$tmp/list"
while read -r which words; do
    for option in --workers --length --count; do
        case $option in --length) one=1us two=1us,2us ;; *) one=2 two=1,2 ;; esac
        case "$words " in
            *"$option..."*) ;;
            *"$option"[\]\ ]*)
                check "$which takes one $option" refuses "$which takes one value of $option, not '$two'" \
                    "$which" "$option" "$two"
                ;;
            *) check "$which has no $option" refuses "$which has no use for $option " "$which" "$option" "$one" ;;
        esac
    done
done <"$tmp/list"

# Work takes its length or longer. It is calibrated: half of the length leaves room for a processor that got faster.
check 'own values: 01' own 'v["worker"] < 3 && v["tasks"] <= 4 && v["busy_ms"] >= v["tasks"]' \
    spread --workers 3 --length 2ms --count 4
check 'own values: 02' own 'v["who"] != "owner" || v["pushed"] == 5000' run-queue --count 5000
check 'own values: 03' own 'v["task_us"] == 1.5 && v["most_tasks"] >= 20 && v["most_tasks"] <= 60' \
    share --workers 3 --length 1.5us --count=60
check 'one worker has all' own 'v["least_tasks"] == 60 && v["most_tasks"] == 60' \
    share --workers 1 --length 1us,2us --count 60
check 'own values: 06' own 'v["workers"] == 3' next --workers 3 --length 500ns
check 'own values: 09' own '!v["ms"] ? v["worker"] < 3 && v["from_each"] <= 6 : v["ms"] >= 2' \
    source --workers 3 --length 2ms --count 6
check 'own values: 12' own 'v["task_ns"] == 2000 && v["tasks"] == 70 && v["workers"] == 3' \
    grain --workers 3 --length 2us --count 70
check 'own values: 17' own 'v["task_ns"] == 300' queues --length 300ns --count 101
check 'as many in queues' grep -q '^held: each of 101 tasks has run once' "$tmp/own"
check 'own values go to a folder, too' sh -c "$lab next --quick --workers 2 --out '$tmp/folder' &&
    [ -s '$tmp/folder/06-next.csv' ] && [ -s '$tmp/folder/06-next.findings' ]"
if [ -c /dev/full ]; then
    check 'a full standard output' sh -c "$lab next --quick --workers 2 >/dev/full 2>'$tmp/line'
        [ \$? -eq 1 ] && grep -q '^wsfj-lab: standard output: ' '$tmp/line'"
fi

# Latency, the experiment that runs if none is named: 2 numbers of workers and 2 of tasks make 4 bursts and 4 schedules.
check 'own values: 10' own 'v["workers"] ~ /^[13]$/ && v["task_us"] == 20 && v["tasks"] ~ /^(150|1000)$/' \
    --workers 1,3 --length 0.02ms --count 150,1000
check 'each to its end' counts 8 ' due to ended '
check 'schedules to their submission' counts 4 ' due to submitted '
check 'a percentile of too few values is none' awk '
    /^(burst|paced) / { lines++; if (($4 == 150) != ($(NF - 1) == "-")) { print; bad = 1 } }
    END { exit !lines || bad }' "$tmp/own"
check 'and the reader is told' grep -q '^note: 150 tasks: too few for p99.9 (1000)$' "$tmp/own"
# A task begins after it was submitted and ends after it began. A sleeper wakes late, if only by a little.
check 'latencies are from when a task was due' awk '
    /^(burst|paced) / {
        key = $1 " " $2 " " $4
        interval = $6 " " $7 " " $8
        p50[key, interval] = $(NF - 3)
        longest[key, interval] = $NF
        keys[key] = 1
    }
    END {
        for (key in keys) {
            whole = p50[key, "due to ended"]
            waited = p50[key, "due to begun"]
            if (whole < waited || whole < p50[key, "begun to ended"]) bad = 1
            if (key ~ /^paced/ && waited < p50[key, "due to submitted"]) bad = 1
            if (key ~ /^paced/ && longest[key, "due to submitted"] <= 0) bad = 1
            n++
        }
        exit n != 8 || bad
    }' "$tmp/own"

check 'the percentiles compile' ${CC:-cc} -O1 -I"$srcdir/bench" -o "$tmp/percentiles" \
    "$srcdir/tests/build/percentiles.c" "$srcdir/bench/harness/sample.c"
check 'the percentiles' ${TEST_EMULATOR-} "$tmp/percentiles"
finish
