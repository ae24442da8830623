#!/bin/sh
# SPDX-License-Identifier: MIT
# view-columns.sh - wsfj-view puts each number of a trace where it belongs: in a trace whose numbers are all different, every
# column of the tables has its own. Runs in the build directory. Environment: as `traces` says.
#
# Catches: two columns, fields or lanes that are interchanged, in the text and in the page; a sum that leaves one out.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/traces"

# A trace of two workers and a millisecond, of lines in short form. COUNT times, one after the other:
#   pieces LANE COUNT US NAME END   slices of a task        idle LANE COUNT US NAME CATEGORY   other slices
#   events LANE COUNT NAME ARGS     moments                 regions LANE COUNT                 wakes WORKER US   a moment
awk '
function put(phase, name, lane, rest) {
    printf ",\n{\"ph\":\"%s\",\"name\":\"%s\",\"pid\":7,\"tid\":%d,%s}", phase, name, lane + 1, rest
}
function us(at) { return sprintf("\"ts\":%.3f", 1000 + at) }
BEGIN {
    printf "{\"otherData\":{\"producer\":\"libwsfj 0.1.0\",\"format\":4,\"workers\":2,\"from\":1000.0,\"to\":2000.0,\"dropped\":[0,0,0],"
    printf "\"cpus\":2,\"cpu_ns\":[230000,250000,0],\"steals\":[14,16,0],\"steals_failed\":[26,84,0]},\"traceEvents\":[\n"
    printf "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":7,\"tid\":3,\"args\":{\"name\":\"other threads\"}}"
    put("M", "thread_sort_index", 2, "\"args\":{\"sort_index\":2}")
    for (i = 0; i < 2; i++) {
        put("M", "thread_name", i, "\"args\":{\"name\":\"worker " i "\"}")
        put("M", "thread_sort_index", i, "\"args\":{\"sort_index\":" i "}")
    }
}
$1 == "pieces" {
    for (i = 0; i < $3; i++) {
        put("X", "task " $5, $2, us(at[$2]) ",\"dur\":" $4 ",\"cat\":\"task\",\"args\":{\"stack\":" NR ",\"part\":" i ",\"end\":\"" $6 "\"}")
        at[$2] += $4
    }
}
$1 == "idle" {
    for (i = 0; i < $3; i++) {
        put("X", $5, $2, us(at[$2]) ",\"dur\":" $4 ",\"cat\":\"" $6 "\"")
        at[$2] += $4
    }
}
$1 == "events" {
    args = $0
    sub(/^[^{]*/, "", args)
    name = $4
    gsub(/_/, " ", name)
    for (i = 0; i < $3; i++) put("i", name, $2, us(950) ",\"s\":\"t\",\"cat\":\"" (name == "mark" ? "mark" : "event") "\",\"args\":" args)
}
$1 == "regions" {
    for (i = 0; i < $3; i++) {
        put("b", "region", $2, "\"cat\":\"span\",\"id\":\"" i + 1 "\"," us(i))
        put("e", "region", $2, "\"cat\":\"span\",\"id\":\"" i + 1 "\"," us(i + 1))
    }
}
$1 == "wakes" { put("i", "wake", 1 - $2, us($3) ",\"s\":\"t\",\"cat\":\"event\",\"args\":{\"worker\":" $2 "}") }
END { print "\n]}" }' >"$tmp/columns.json" <<'END'
pieces 0 5 10 a done
pieces 0 3 20 a waits_for_children
pieces 0 7 10 b waits
pieces 0 9 8 b yields
pieces 0 11 4 c blocks
pieces 0 1 14 c end_of_trace
idle 0 2 85 searching search
wakes 0 610
idle 0 1 200 parked park
idle 0 9 12 surplus park
pieces 1 12 20 d done
pieces 1 1 30 d waits_for_children
idle 1 6 20 searching search
idle 1 1 10 parked park
idle 1 1 90 surplus park
regions 0 24
events 0 1 steal {"victim":1,"tasks":3,"remaining":0,"distance":"core"}
events 0 2 steal {"victim":1,"tasks":3,"remaining":0,"distance":"cache"}
events 0 4 steal {"victim":1,"tasks":3,"remaining":0,"distance":"numa"}
events 0 7 steal {"victim":1,"tasks":3,"remaining":0,"distance":"package"}
events 1 16 steal {"victim":0,"tasks":2,"remaining":0,"distance":"machine"}
events 0 17 expose_request {"victim":1}
events 0 18 expose {"stack":1,"tasks":1}
events 0 19 expose_force {"victim":1}
events 1 21 overflow {"tasks":100}
events 1 22 global_queue_take {"tasks":10}
events 0 23 mark {}
END
sed -i 's/waits_for_children/waits for children/; s/end_of_trace/end of trace/' "$tmp/columns.json"
check 'the trace is right' shows 'nothing wrong$' $view --check "$tmp/columns.json"
$view --format text "$tmp/columns.json" >"$tmp/text"
$view "$tmp/columns.json" >"$tmp/html"

# line TEXT: a line of the text, blanks apart. cells CELL...: a row of a table on the page.
line() {
    check "text: $1" sh -c 'sed "s/^ *//; s/  */ /g; s/ %/%/g" "$1" | grep -Fqx -e "$2" || { cat "$1"; exit 1; }' sh "$tmp/text" "$1"
}
cells() {
    row=$(printf '<td>%s</td>' "$@")
    check "page: $*" sh -c 'sed "s/ %/%/g" "$1" | grep -Fq -e "<tr>$2</tr>" || { grep "<tr>" "$1"; exit 1; }' sh "$tmp/html" "$row"
}
while read -r text; do
    line "$text"
done <<'END'
0 31% 17% 13% 11% 7.0% 23% 5 36 14 42 16 3 10
1 27% 12% 1.0% 9.0% 0% 25% 12 13 16 32 14 1 2
all 29% 14% 7.0% 9.9% 3.5% 24% 17 49 30 74 30 4 12
tasks 17
suspensions 4
waits 7
yields 9
resumptions 41
steals 30
exposures_asked 17
exposures_answered 18
exposures_forced 19
searches 8
parks 12
wakes 1
overflows 21
global_takes 22
blockings 11
regions 24
marks 23
0 69% 690 us
1 4.0% 40.0 us
2 27% 270 us
2 13 270 us 30.0 us 0 ns task d
2 16 142 us 10.0 us 0 ns task b
2 8 110 us 20.0 us 0 ns task a
2 12 58.0 us 14.0 us 40.0 us task c
below 10.0 us 20
below 30.0 us 28
below 100 us 1
0 14 40 35% 14000.0
1 16 100 16% 16000.0
all 30 140 21% 30000.0
core 1
cache 2
numa 4
package 7
machine 16
0 0 14
1 16 0
END
cells 'task d' '' 2 13 '270 us' '30.0 us' '0 ns'
cells 'task c' '' 2 12 '58.0 us' '14.0 us' '40.0 us'
cells 0 31% 17% 13% 11% 7.0% 23% 5 36 14 42 16 3
cells 1 27% 12% 1.0% 9.0% 0% 25% 12 13 16 32 14 1
finish
