#!/bin/sh
# SPDX-License-Identifier: MIT
# view-check.sh - wsfj-view --check takes the traces that the library writes and refuses broken ones, each with the line
# and what is wrong; files that are no traces cost one line. Runs in the build directory. Environment: as `traces` says.
#
# Catches: a trace that viewers would show wrongly or not at all; a check that lets a mistake pass, or names another place;
# a tool that dies, or is silent, over a file that a crash has cut short.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/traces"

# What the library writes: all of it, with events dropped, from a process that a signal kills.
real() {
    check "$1: its trace is right" shows '^[0-9]+ events of 3 workers, nothing wrong$' $view --check "$tmp/real.json"
    check "$1: it can be shown" $view -o "$tmp/real.html" "$tmp/real.json"
}
check 'a program' make_program
check 'it runs' record "$tmp/real.json"
real 'whole'
check 'it has much to say' [ "$(wc -l <"$tmp/real.json")" -gt 2000 ]
WSFJ_TRACE_EVENTS=1024
export WSFJ_TRACE_EVENTS
check 'it runs, dropping events' record "$tmp/real.json"
unset WSFJ_TRACE_EVENTS
check 'some were dropped' grep -q 'events were dropped' "$tmp/said"
real 'dropped'
check 'dropped: that is said' shows '^- The oldest [0-9]+ events were dropped' $view --format text "$tmp/real.json"
ulimit -c 0
record "$tmp/real.json" die 2>/dev/null
check 'it died' [ ! -s "$tmp/counters" ]
real 'killed'

known_trace >"$tmp/known.json"
check 'the known trace is right' shows '^22 events of 2 workers, nothing wrong$' $view --check "$tmp/known.json"

# broken NAME PLACE PATTERN SED-SCRIPT: with this change it is refused there.
broken() {
    sed "$4" "$tmp/known.json" >"$tmp/broken.json"
    check "$1: the change is one" sh -c '! cmp -s "$1" "$2"' sh "$tmp/known.json" "$tmp/broken.json"
    check "$1" refuses 1 "^wsfj-view: $tmp/broken.json:$2: .*$3" $view --check "$tmp/broken.json"
}
# Each event by itself.
broken 'a second key' 9:.* 'duplicate' '9s/"ph":"X"/"ph":"X","ph":"X"/'
broken 'no comma' 10:1 'no comma between events' '9s/,$//'
broken 'a comma too many' 24:.* 'no JSON' '23s/$/,/'
broken 'a bare word' 9:.* 'no JSON' '9s/"root"/root/'
broken 'an odd byte' 9:.* 'no JSON: .*byte 0xff' "9s/root/$(printf '\377')/"
broken 'no object' 9:1 'an event is no object' '9s/.*/[1],/'
broken 'no phase' 9:1 'ph is missing' '9s/"ph":"X",//'
broken 'a long phase' 9:1 'ph is not one character' '9s/"X"/"XX"/'
broken 'an unknown phase' 9:1 'ph is Z' '9s/"X"/"Z"/'
broken 'no name' 9:1 'name is missing' '9s/"name":"root",//'
broken 'a pid in quotes' 9:1 'pid is not a whole number' '9s/"pid":7/"pid":"7"/'
broken 'a pid with a fraction' 9:1 'pid is not a whole number' '9s/"pid":7/"pid":7.5/'
broken 'two processes' 9:1 'pid is not that' '9s/"pid":7/"pid":8/'
broken 'no tid' 9:1 'tid is missing' '9s/"tid":1,//'
broken 'a tid of nobody' 9:1 'tid is 4, out of range' '9s/"tid":1/"tid":4/'
broken 'tid 0' 9:1 'tid is 0, out of range' '9s/"tid":1/"tid":0/'
broken 'no time' 9:1 'ts is missing' '9s/"ts":[0-9.]*,//'
broken 'a time in quotes' 9:1 'ts is not a number' '9s/"ts":1000.000/"ts":"1000"/'
broken 'a negative time' 9:1 'ts is -1, which is no time' '9s/"ts":1000.000/"ts":-1/'
broken 'a time too far' 9:1 'ts is 1e\+300, which is no time' '9s/"ts":1000.000/"ts":1e300/'
broken 'a number too large' 9:.* 'no JSON: .*overflow' '9s/"ts":1000.000/"ts":1e999/'
broken 'a time too early' 9:1 'ts is before the trace begins' '9s/"ts":1000.000/"ts":999.999/'
broken 'no duration' 9:1 'dur is missing' '9s/"dur":400.000,//'
broken 'a negative duration' 9:1 'dur is -400' '9s/"dur":4/"dur":-4/'
broken 'a slice of no category' 9:1 'cat is missing' '9s/"cat":"task",//'
broken 'a slice of another category' 9:1 'category job' '9s/"cat":"task"/"cat":"job"/'
broken 'a task without a stack' 9:1 'stack is missing' '9s/"stack":1,//'
broken 'a task without an end' 9:1 'end is missing' '9s/,"end":"done"//'
broken 'an instant without a scope' 15:1 's is missing' '15s/"s":"t",//'
broken 'an instant of two scopes' 15:1 's is none of t, p, g' '15s/"s":"t"/"s":"tp"/'
broken 'a steal from nobody' 18:1 'victim is no worker' '18s/"victim":0/"victim":2/'
broken 'a steal of no distance' 18:1 'distance is not core' '18s/"cache"/"far"/'
broken 'a counter without a value' 16:1 'a counter without a value' '16s/{"tasks":2}/{}/'
broken 'a counter in quotes' 16:1 "the counter's tasks is not a number" '16s/:2}/:"2"}/'
broken 'a flow without an id' 20:1 'id is missing' '20s/"id":"[0-9]*",//'
broken 'a flow with an odd id' 20:1 'id is not a number' '20s/"id":"1/"id":"x1/'
broken 'an unknown flow' 20:1 'unknown name theft' '20s/"steal"/"theft"/'
broken 'args that are none' 9:1 'args is no object' '9s/"args":{.*}}/"args":[1]}/'

# All together.
broken 'slices that overlap' 11:1 'leaf of tid 1 begins 1000 ns before' '11s/"ts":1400.000/"ts":1399.000/'
broken 'a slice inside of another' 11:1 'before the one before ends' '11s/"ts":1400.000,"dur":100/"ts":1100.000,"dur":1/'
broken 'a steal that comes from nowhere' 20:1 'a steal without a beginning' '19s/.*//'
broken 'a steal that does not arrive' 19:1 'a steal that does not arrive' '20d'
broken 'an arrow to nothing' 20:1 'an arrow ends where no slice of tid 2 begins' '20s/"ts":1100.000/"ts":1101.000/'
broken 'a resumption from nowhere' 13:1 'an end of resume .* without a beginning' '11s/"yields"/"done"/'
broken 'a region that only ends' 10:1 'an end of region .* without a beginning' '8s/.*/{"ph":"b","name":"blocked","pid":7,"tid":1,"cat":"span","id":"5","ts":1000.000},/'
broken 'a region that begins twice' 10:1 'a second beginning of region' '10s/"ph":"e"/"ph":"b"/'
broken 'a lane without a name' 25:1 'tid 2 has no thread_name' '4s/.*//'
broken 'a lane with two names' 4:1 'a second thread_name' '4s/"tid":2/"tid":1/'
broken 'two heads' 1:.* 'a second otherData' '1s/"traceEvents"/"otherData":{},"traceEvents"/'
broken 'no workers' 1:.* 'workers is no number' '1s/"workers":2/"workers":0/'
broken 'too many workers' 1:.* 'workers is no number' '1s/"workers":2/"workers":5000/'
broken 'not enough drop counts' 1:.* 'dropped has not one number' '1s/\[0,0,0\]/[0,0]/'
broken 'not enough steal counts' 1:.* 'steals has not one number' '1s/"to"/"steals":[1],"to"/'
broken 'steal counts in quotes' 1:.* 'steals has not one number' '1s/"to"/"steals":"0","to"/'
broken 'failures below 0' 1:.* 'steals_failed has something that is no whole' '1s/"to"/"steals_failed":[0,-1,0],"to"/'
broken 'time that runs backwards' 1:.* 'ends before it begins' '1s/"to":2000.000/"to":1.0/'
broken 'a trace of others' 1:.* 'not a trace of libwsfj' '1s/libwsfj/libother/'
broken 'a format without a version' 1:.* 'a trace of an older libwsfj \(format 1, not 4\): record it again$' '1s/"format":4,//'
broken 'an older format' 1:.* 'a trace of an older libwsfj \(format 0, not 4\): record it again$' '1s/"format":4/"format":0/'
broken 'a newer format' 1:.* 'a trace of a newer libwsfj \(format 5, not 4\): record it again, or' '1s/"format":4/"format":5/'
broken 'a format in quotes' 1:.* 'format is not a whole number' '1s/"format":4/"format":"4"/'
for format in html svg text; do # not only a check says so
    sed '1s/"format":4,//' "$tmp/known.json" >"$tmp/older.json"
    check "$format: an older format" refuses 1 'older\.json:.*record it again$' $view --format $format "$tmp/older.json"
done
broken 'something behind it' 25:1 'something stands behind' '$s/$/\n[]/'

# No traces at all.
no_trace() {
    check "$1" refuses 1 "$2" $view "$3"
}
no_trace 'no file' '^wsfj-view: /nonexistent: No such file' /nonexistent
no_trace 'a folder' '^wsfj-view: .*: Is a directory$' "$tmp"
: >"$tmp/nothing"
no_trace 'an empty file' 'nothing: the file is empty: ' "$tmp/nothing"
echo 'Once upon a time' >"$tmp/tale"
no_trace 'a text' 'tale:1:1: not a trace: no JSON object$' "$tmp/tale"
echo '{}' >"$tmp/none"
no_trace 'an empty object' 'none:1:3: not a trace: no traceEvents$' "$tmp/none"
echo '{"traceEvents":[]}' >"$tmp/other"
no_trace 'no head' 'other:1:15: not a trace of libwsfj: no otherData before traceEvents$' "$tmp/other"
head -c 65536 /dev/zero >"$tmp/zeros"
no_trace 'zeros' 'zeros:1:1: not a trace' "$tmp/zeros"
awk 'BEGIN { printf "{\"a\":"; for (i = 0; i < 100000; i++) printf "[" }' >"$tmp/deep"
no_trace 'lists in lists' 'deep:1:.*no JSON: maximum parsing depth' "$tmp/deep"

# Cut short wherever it may be: one line, never a picture.
cut_short() {
    size=$(wc -c <"$tmp/known.json")
    at=1
    while [ "$at" -lt "$size" ]; do
        head -c "$at" "$tmp/known.json" >"$tmp/cut"
        if [ "$(tail -c 2 "$tmp/cut")" != ']}' ] && ! refuses 1 "$tmp/cut:[0-9]+:[0-9]+: " $view "$tmp/cut"; then
            echo "cut at $at"
            return 1
        fi
        at=$((at + 97))
    done
}
check 'cut short anywhere' cut_short
head -n 9 "$tmp/known.json" >"$tmp/cut"
no_trace 'cut between events' 'cut:10:1: the file ends here, cut short$' "$tmp/cut"
finish
