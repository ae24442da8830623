#!/bin/sh
# SPDX-License-Identifier: MIT
# view-log.sh - wsfj-view --format log has a line for each event of a trace, in order of time. Runs in the build directory.
# Environment: as `traces` says.
#
# Catches: an event without a line, or with another one's; lines out of order, of one worker or of several; a name that
# moves the cursor or breaks a line; a log of what is no trace; an output that is cut short in silence.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/traces"
log="$view --format log"

# is FILE COMMAND...: exactly this is printed.
is() {
    expected=$1
    shift
    "$@" >"$tmp/shown" 2>&1 && diff "$expected" "$tmp/shown"
}

known_trace >"$tmp/known.json"
cat >"$tmp/known.log" <<'END2'
[0 ns] worker 0 began a region (ws_run) on stack 0
[0 ns] worker 0 began root on stack 1 (known.c:3)
[0 ns] worker 1 began to look for work
[50.000 us] worker 0 made tasks of stack 1 public (2 tasks in its deque)
[90.000 us] worker 1 stole leaf from worker 0 (1 left)
[100.000 us] worker 1 began leaf on stack 2 (known.c:9)
[300.000 us] worker 1 finished leaf on stack 2
[400.000 us] worker 0 finished root on stack 1
[400.000 us] worker 0 ended a region (ws_run) on stack 0 after 400 us
[400.000 us] worker 0 began leaf on stack 1 (known.c:9)
[500.000 us] worker 0 suspended leaf on stack 1: it yields
[500.000 us] worker 0 resumed leaf on stack 1
[500.000 us] another thread set the mark "</script><b>&"'"
[600.000 us] worker 0 finished leaf on stack 1
[600.000 us] worker 0 fell asleep
[800.000 us] worker 1 fell asleep, because it is surplus
[1.000 ms] the trace ends
END2
check 'the known trace' is "$tmp/known.log" $log "$tmp/known.json"

# The end of one region is not that of another one, whose end the trace has not.
sed '/"ph":"e","name":"region"/s/900000000"/900000001"/' "$tmp/known.json" >"$tmp/two.json"
sed 's/ after 400 us$//' "$tmp/known.log" >"$tmp/two.log"
check 'the end of another region' is "$tmp/two.log" $log "$tmp/two.json"

# A line's sentence does not depend on where the file has the event. Only events of a worker at one time keep their order.
head -n 7 "$tmp/known.json" >"$tmp/turned.json"
sed -n '8,$p' "$tmp/known.json" | sed '$d; s/,$//' | awk '{ line[NR] = $0 } END { for (; NR; NR--) print line[NR] (NR > 1 ? "," : "") }' \
    >>"$tmp/turned.json"
echo ']}' >>"$tmp/turned.json"
check 'the same from its end' is "$tmp/known.log" $log "$tmp/turned.json"

# Each event that the known trace has not. The head, then the events, of which the third is the last by time.
events() {
    sed '8,$d; s/"dropped":\[0,0,0\]/"dropped":[12,0,3]/; 1s/"to":2000/"to":5000000/' "$tmp/known.json"
    cat <<'END2'
{"ph":"X","name":"waiter","pid":7,"tid":1,"ts":1000.001,"dur":0.007,"cat":"task","args":{"stack":5,"part":0,"end":"waits for children","children":2}},
{"ph":"i","name":"wake","pid":7,"tid":3,"ts":1000.009,"s":"t","cat":"event","args":{"worker":1}},
{"ph":"i","name":"overflow","pid":7,"tid":1,"ts":3001000.000,"s":"t","cat":"event","args":{"tasks":128}},
{"ph":"X","name":"parked","pid":7,"tid":2,"ts":1000.002,"dur":0.010,"cat":"park"},
{"ph":"i","name":"expose request","pid":7,"tid":2,"ts":1002.000,"s":"t","cat":"event","args":{"victim":0}},
{"ph":"i","name":"expose force","pid":7,"tid":2,"ts":1003.000,"s":"t","cat":"event","args":{"victim":0}},
{"ph":"i","name":"global queue take","pid":7,"tid":2,"ts":1004.000,"s":"t","cat":"event","args":{"tasks":1}},
{"ph":"i","name":"steal","pid":7,"tid":2,"ts":1005.000,"s":"t","cat":"event","args":{"victim":0,"distance":"core","tasks":5,"remaining":4}},
{"ph":"i","name":"steal","pid":7,"tid":2,"ts":1006.000,"s":"t","cat":"event","args":{"victim":0,"distance":"core","tasks":3,"remaining":1}},
{"ph":"X","name":"first","pid":7,"tid":2,"ts":1007.000,"dur":3.000,"cat":"task","args":{"stack":6,"part":0,"end":"waits"}},
{"ph":"i","name":"runnable","pid":7,"tid":1,"ts":1011.000,"s":"t","cat":"event","args":{"stack":6}},
{"ph":"i","name":"runnable","pid":7,"tid":1,"ts":1012.000,"s":"t","cat":"event","args":{"stack":99}},
{"ph":"f","name":"resume","pid":7,"tid":1,"cat":"flow","id":"2305843034983497729","ts":1013.000,"bp":"e"},
{"ph":"X","name":"first","pid":7,"tid":1,"ts":1013.000,"dur":2.000,"cat":"task","args":{"stack":6,"part":1,"end":"blocks"}},
{"ph":"b","name":"blocked","pid":7,"tid":1,"cat":"span","id":"4611686044197191680","ts":1015.000},
{"ph":"b","name":"saxpy","pid":7,"tid":1,"cat":"loop","id":"5764607552998000001","ts":1013.100},
{"ph":"b","name":"saxpy","pid":7,"tid":1,"cat":"loop","id":"5764607552998000001","ts":1013.200},
{"ph":"e","name":"saxpy","pid":7,"tid":1,"cat":"loop","id":"5764607552998000001","ts":1014.200},
{"ph":"e","name":"saxpy","pid":7,"tid":1,"cat":"loop","id":"5764607552998000001","ts":1014.300},
{"ph":"i","name":"beside","pid":7,"tid":1,"ts":1015.000,"s":"t","cat":"mark"},
{"ph":"e","name":"blocked","pid":7,"tid":1,"cat":"span","id":"4611686044197191680","ts":1115.000},
{"ph":"X","name":"first","pid":7,"tid":1,"ts":1115.000,"dur":4998885.000,"cat":"task","args":{"stack":6,"part":2,"end":"end of trace"}},
{"ph":"i","name":"te\u0007a\n[1 s] worker 9","pid":7,"tid":2,"ts":1200.000,"s":"t","cat":"event"},
{"ph":"i","name":"\u001b[31m\nred \u009b","pid":7,"tid":2,"ts":1201.000,"s":"t","cat":"mark"},
{"ph":"X","name":"parked","pid":7,"tid":2,"ts":1300.000,"dur":4998700.000,"cat":"park"}
]}
END2
}
events >"$tmp/events.json"
cat >"$tmp/events.log" <<'END2'
[0 ns] worker 0 has lost its oldest events: 12
[0 ns] another thread has lost its oldest events: 3
[1 ns] worker 0 began waiter on stack 5
[2 ns] worker 1 fell asleep
[8 ns] worker 0 suspended waiter on stack 5: it waits for 2 children
[9 ns] another thread woke worker 1
[12 ns] worker 1 woke up
[2.000 us] worker 1 asked worker 0 to make tasks public
[3.000 us] worker 1 forced a task of worker 0 to be public
[4.000 us] worker 1 took 1 task from the global queue
[5.000 us] worker 1 stole 5 tasks from worker 0 (4 left)
[6.000 us] worker 1 stole 3 tasks from worker 0 (1 left), the first is first
[7.000 us] worker 1 began first on stack 6
[10.000 us] worker 1 suspended first on stack 6: it waits
[11.000 us] worker 0 finished what first on stack 6 waits for
[12.000 us] worker 0 finished what a task on stack 99 waits for
[13.000 us] worker 0 resumed first on stack 6
[13.100 us] worker 0 began the loop saxpy on stack 6
[13.200 us] worker 0 began the loop saxpy on stack 6
[14.200 us] worker 0 ended the loop saxpy on stack 6 after 1.00 us
[14.300 us] worker 0 ended the loop saxpy on stack 6
[15.000 us] worker 0 lent its slot, because a blocking section began in first on stack 6
[15.000 us] worker 0 set the mark "beside"
[115.000 us] worker 0 is back in first on stack 6 after a blocking section of 100 us
[200.000 us] worker 1 recorded "te?a?[1 s] worker 9", an event that this wsfj-view does not know
[201.000 us] worker 1 set the mark "?[31m?red ??"
[300.000 us] worker 1 fell asleep
[3.000000 s] worker 0 moved 128 tasks to the global queue, because its run queue was full
[4.999000 s] worker 0 was still running first on stack 6
[4.999000 s] the trace ends
END2
check 'every other event' is "$tmp/events.log" $log "$tmp/events.json"
check 'the trace of them is right' shows 'nothing wrong$' $view --check "$tmp/events.json"
check 'children that are no number' refuses 1 'children is not a whole number' \
    $log "$(sed 's/"children":2/"children":"2"/' "$tmp/events.json" >"$tmp/children.json"; echo "$tmp/children.json")"
# A caller of ws_run() takes the worker over while its own thread sleeps.
sed 's/"ts":1007\.000,"dur":3\.000/"ts":1000.012,"dur":9.988/' "$tmp/events.json" >"$tmp/guest.json"
check 'a thread that sleeps on' sh -c '"$@" | grep -c "worker 1 woke up" | grep -qx 0' sh $log "$tmp/guest.json"

sed '2,$d; s/$/\n]}/' "$tmp/known.json" >"$tmp/empty.json"
echo '[1.000 ms] the trace ends' >"$tmp/empty.log"
check 'an empty trace' is "$tmp/empty.log" $log "$tmp/empty.json"

# A real one: as many lines of each kind as the runtime has counted.
counted() {
    awk '
    FNR == NR { $0 = " " $0; n = $NF; sub(/ [0-9]+$/, ""); sub(/^ /, ""); wanted[$0] = n; next }
    { sub(/^\[[^]]*\] /, "") }
    / finished [^ ]+ on stack [0-9]+$/ { got["tasks"]++ }
    / stole / { got["steals"]++ }
    / suspended .*: it waits for [0-9]+ child/ { got["suspensions"]++ }
    / ended a region / { got["regions"]++ }
    / resumed | is back in / { got["resumptions"]++ }
    /: it waits$/ { got["waits"]++ }
    /: it yields$/ { got["yields"]++ }
    / lent its slot/ { got["blockings"]++ }
    / asked worker / { got["exposures_asked"]++ }
    / made tasks of stack / { got["exposures_answered"]++ }
    / forced a task of worker / { got["exposures_forced"]++ }
    / to the global queue, because / { got["overflows"]++ }
    / from the global queue$/ { got["global_takes"]++ }
    / waited a moment at a sync of .*: its children have ended$/ { got["short_waits"]++ }
    / waited a moment at a sync of .*, in vain$/ { got["short_waits_vain"]++ }
    / set the mark / { marks++ }
    / that this wsfj-view does not know$/ { print "not known: " $0; bad = 1 }
    END {
        for (what in wanted)
            if (what !~ /^(core|cache|numa|package|machine|resumptions)$/ && wanted[what] != got[what] + 0) {
                print what ": " got[what] + 0 " instead of " wanted[what]
                bad = 1
            }
        if (marks != 6) { print "marks: " marks; bad = 1 }
        exit bad
    }' "$tmp/counters" "$1"
}
# The times never go back.
ordered() {
    awk -F '[][ ]' '{ t = $2 * ($3 == "ns" ? 1 : $3 == "us" ? 1e3 : $3 == "ms" ? 1e6 : 1e9)
        if (t < last - 1000 || t < last && $3 == unit) { print FILENAME ":" FNR ": " $0; exit bad = 1 }
        last = t; unit = $3 }
        END { exit bad || NR < 3000 }' "$1"
}
check 'a program' make_program
check 'it runs' record "$tmp/real.json"
check 'its log' $log "$tmp/real.json" -o "$tmp/real.log"
check 'a line for each event' counted "$tmp/real.log"
check 'in order of time' ordered "$tmp/real.log"
check 'of more than one worker' [ "$(grep -Eo '^\[[^]]*\] worker [0-9]+' "$tmp/real.log" | sed 's/.*\] //' | sort -u | wc -l)" -ge 2 ]
check 'stolen tasks have names' sh -c '! grep -E "stole a task" "$1"' sh "$tmp/real.log"

# Where it goes, and what it refuses.
printf 'kind,file,line,task,count,work,span,burdened_span,strands,unit\ntotal,"",0,"",7,1000,10,20,50,units\n' >"$tmp/profile.csv"
check 'no log of a profile' refuses 1 'profile\.csv: --format log is for traces' $log "$tmp/profile.csv"
check 'the profile is right all the same' shows '^a profile' $log --check "$tmp/profile.csv"
head -n 20 "$tmp/events.json" >"$tmp/cut.json"
check 'a trace cut short' refuses 1 'cut\.json:21:1: the file ends here, cut short$' $log "$tmp/cut.json"
check 'a closed stdout' sh -c '"$@" >&- 2>"$0" && exit 1; grep -q "^wsfj-view: stdout: " "$0"' "$tmp/closed" $log "$tmp/real.json"
[ ! -w /dev/full ] || check 'a full disk' refuses 1 '^wsfj-view: /dev/full: No space' $log -o /dev/full "$tmp/real.json"
finish
