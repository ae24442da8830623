#!/bin/sh
# SPDX-License-Identifier: MIT
# view-advice.sh - what wsfj-view says of traces in which the cause of the lost time is known, and what it must not say.
# Runs in the build directory. Environment: as `traces` says.
#
# Catches: a cause that is not seen, or named where it is not the cause: more processors for workers that have none; a
# serial program while its tasks wait; an idle worker where events were lost; a picture that only browsers show in colour.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/traces"

# recorded NAME <<LINES: a trace of a millisecond of lines in short form; times and lengths are microseconds from its begin.
#   head WORKERS DROPPED OTHER    the lists and numbers of the head: "0,0,0", and more keys of otherData
#   task LANE AT LENGTH NAME STACK PART END
#   search|parked|surplus LANE AT LENGTH
#   wake LANE AT WORKER
#   overflow LANE AT TASKS
#   begin|end region|blocked LANE AT ID
recorded() {
    awk '
    function put(phase, name, lane, rest) {
        printf ",\n{\"ph\":\"%s\",\"name\":\"%s\",\"pid\":7,\"tid\":%d,%s}", phase, name, lane + 1, rest
    }
    function at(us) { return sprintf("\"ts\":%.3f", 5000 + us) }
    $1 == "head" {
        printf "{\"otherData\":{\"producer\":\"libwsfj 0.1.0\",\"format\":4,\"workers\":%d,\"from\":5000.0,\"to\":6000.0,\"dropped\":[%s]%s},\"traceEvents\":[\n", $2, $3, $4
        printf "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":7,\"tid\":%d,\"args\":{\"name\":\"other threads\"}}", $2 + 1
        put("M", "thread_sort_index", $2, "\"args\":{\"sort_index\":" $2 "}")
        for (i = 0; i < $2; i++) {
            put("M", "thread_name", i, "\"args\":{\"name\":\"worker " i "\"}")
            put("M", "thread_sort_index", i, "\"args\":{\"sort_index\":" i "}")
        }
    }
    $1 == "task" {
        put("X", $5, $2, at($3) ",\"dur\":" $4 ",\"cat\":\"task\",\"args\":{\"stack\":" $6 ",\"part\":" $7 ",\"end\":\"" $8 "\"}")
    }
    $1 == "search" { put("X", "searching", $2, at($3) ",\"dur\":" $4 ",\"cat\":\"search\"") }
    $1 == "parked" || $1 == "surplus" { put("X", $1, $2, at($3) ",\"dur\":" $4 ",\"cat\":\"park\"") }
    $1 == "wake" { put("i", "wake", $2, at($3) ",\"s\":\"t\",\"cat\":\"event\",\"args\":{\"worker\":" $4 "}") }
    $1 == "overflow" { put("i", $1, $2, at($3) ",\"s\":\"t\",\"cat\":\"event\",\"args\":{\"tasks\":" $4 "}") }
    $1 == "begin" || $1 == "end" {
        put($1 == "end" ? "e" : "b", $2, $3, at($4) ",\"cat\":\"span\",\"id\":\"" $5 "\"")
    }
    END { print "\n]}" }' >"$tmp/$1.json"
}

# The words of all that is said, in one line.
said() {
    $view --format text "$tmp/$1.json" >"$tmp/text" || return
    sed '1,2d; /^$/,$d' "$tmp/text" | tr '\n' ' ' | sed 's/  */ /g; s/ $//; s/ - /\n/g; s/^- //' >"$tmp/words"
}
# says TRACE TEXT: one of the sentences is or contains the text. never TRACE TEXT: none does.
says() {
    check "$1: $2" sh -c 'grep -Fq -e "$2" "$1" || { cat "$1"; exit 1; }' sh "$tmp/words" "$2"
}
never() {
    check "$1: not: $2" sh -c '[ -s "$1" ] && ! grep -F -e "$2" "$1"' sh "$tmp/words" "$2"
}
# of TRACE: what follows is about this one, which --check takes.
of() {
    check "$1: right" $view --check "$tmp/$1.json"
    check "$1: words" said "$1"
}

# Two workers always run: with a processor each; the same on one processor; with the processors of others.
busy() {
    {
        echo "head 2 0,0,0 $2"
        printf '%s\n' 'begin region 0 0 1' 'task 0 0 1000 root 1 0 done' 'end region 0 1000 1' 'task 1 0 1000 leaf 2 0 done'
    } | recorded "$1"
    of "$1"
}
busy at_work ',"cpus":2,"cpu_ns":[990000,980000,0]'
says at_work 'The workers are busy: more speed must come from the tasks themselves or from more processors.'
never at_work 'had a processor'
check 'the share of a processor' shows '^ +1 +100 % .* 98 % +1 ' $view --format text "$tmp/at_work.json"
check 'the same of all' shows '^ +all +100 % .* 98 % +2 ' $view --format text "$tmp/at_work.json"
check 'the same on the page' shows '<td>100 %</td>(<td>0 %</td>){4}<td>99 %</td>' $view "$tmp/at_work.json"
busy more_than_processors ',"cpus":1,"cpu_ns":[490000,480000,0]'
says more_than_processors '2 workers shared 1 processor: more workers than processors bring nothing, unless tasks wait in the kernel (WSFJ_NUM_WORKERS=1).'
says more_than_processors 'Workers had a processor for 48 % of the time in which they ran tasks or searched: they had to take turns'
never more_than_processors 'more processors'
busy asleep ',"cpus":2,"cpu_ns":[90000,80000,0]'
says asleep 'Workers had a processor for 8.5 % of the time in which they ran tasks or searched: tasks sleep or wait in the kernel'
never asleep 'more processors'
never asleep 'shared'
busy delayed ',"cpus":2,"cpu_ns":[90000,80000,0],"delay_ns":[800000,700000,0]'
says delayed 'in which they ran tasks or searched: other programs, or a quota, took the processors'
never delayed 'tasks sleep'
busy not_delayed ',"cpus":2,"cpu_ns":[90000,80000,0],"delay_ns":[80000,70000,0]'
says not_delayed 'in which they ran tasks or searched: tasks sleep or wait in the kernel (WS_BLOCKING lets others run meanwhile).'
never not_delayed 'other programs'
busy turns ',"cpus":1,"cpu_ns":[490000,480000,0],"delay_ns":[490000,480000,0]'
says turns 'in which they ran tasks or searched: they had to take turns.'
busy older ''
says older 'The workers are busy: more speed must come from the tasks themselves.'
never older 'more processors'
busy more_could ',"cpus":8,"cpu_ns":[990000,980000,0]'
says more_could 'from more workers: there are 8 processors.'

# One worker finds nothing because nobody is there to steal from.
recorded one_worker <<'END'
head 1 0,0 ,"cpus":2,"cpu_ns":[900000,0]
begin region 0 0 1
task 0 0 300 root 1 0 done
end region 0 300 1
search 0 300 600
END
of one_worker
says one_worker 'There is one worker, without any other to share work with'
never one_worker 'could be stolen'

# No task runs while detached tasks are blocked (200 to 700) and while one waits for a group (800 to 900).
recorded detached <<'END'
head 2 0,0,0 ,"cpus":2,"cpu_ns":[300000,1000,0]
task 0 0 200 item 1 0 blocks
begin blocked 0 200 5
end blocked 0 700 5
task 0 700 100 item 1 1 waits
task 0 900 100 item 1 2 done
END
of detached
says detached 'For 60 % of the time (600 us) no worker ran a task although detached tasks had begun and were not done'
never detached 'serial'
# The task has begun before the trace, and is not done at its end; and a program whose tasks are all detached and done.
recorded unfinished <<'END'
head 1 0,0
task 0 200 100 item 1 1 yields
END
of unfinished
says unfinished 'For 90 % of the time (900 us) no worker ran a task although'
recorded between <<'END'
head 1 0,0
task 0 200 100 item 1 0 done
END
of between
says between 'For 90 % of the time (900 us) there was no task and no ws_run() under way: the threads that submit tasks'
never between 'serial'
recorded serial <<'END'
head 2 0,0,0
begin region 0 100 1
task 0 100 200 root 1 0 done
end region 0 300 1
END
of serial
says serial 'For 80 % of the time (800 us) no task ran and no ws_run() was under way: there the program itself is serial'

# A worker sleeps for 300, is woken at 400, and runs at 600. It sleeps again from 700 on; another thread records late that
# it woke it (450 of the first sleep is the second to say so). Nothing wakes it before the trace ends.
recorded woken <<'END'
head 2 0,0,0 ,"cpus":2,"cpu_ns":[900000,100000,0]
begin region 0 0 1
task 0 0 1000 root 1 0 done
end region 0 1000 1
parked 1 100 500
wake 0 400 1
wake 0 350 1
task 1 600 100 leaf 2 0 done
parked 1 700 300
wake 0 720 1
END
of woken
says woken 'slept 30 %, waited for a processor after they were woken 10 %'
says woken 'Workers that had been woken waited 200 us in total until they ran (1 time): other threads had the processors. Meanwhile no task ran for 0 ns.'
check 'woken: a share' shows '^ +1 +10 % +0 % +60 % +0 % +20 % ' $view --format text "$tmp/woken.json"
check 'woken: as many parks' shows '^ +1 .* 2$' $view --format text "$tmp/woken.json"
check 'woken: on the page' shows '^\[100000,300000,1,0,200000,3,' $view "$tmp/woken.json"
check 'woken: in the picture' sh -c '"$@" | grep -Fq "woken 20 %"' sh $view --format svg "$tmp/woken.json"
check 'woken: not in the log' shows 'worker 1 woke up|worker 1 fell asleep' $view --format log "$tmp/woken.json"
# Moments at the edges: worker 1 is woken when its sleep ends, which is too late, or when it begins; worker 2, surplus, in
# between, twice: the later one counts. Other moments than wakes do not count.
recorded edges <<'END'
head 3 0,0,0,0 ,"cpus":3,"cpu_ns":[900000,100000,100000,0]
begin region 0 0 1
task 0 0 1000 root 1 0 done
end region 0 1000 1
parked 1 0 100
wake 0 100 1
task 1 100 100 leaf 2 0 done
parked 1 200 300
wake 0 200 1
overflow 0 350 1
task 1 500 500 leaf 2 0 done
surplus 2 0 600
wake 0 300 2
wake 0 400 2
task 2 600 400 leaf 3 0 done
END
of edges
check 'edges: late, at once, surplus' shows '^ +1 +60 % +0 % +10 % +0 % +30 % ' $view --format text "$tmp/edges.json"
check 'edges: surplus' shows '^ +2 +40 % +0 % +0 % +40 % +20 % ' $view --format text "$tmp/edges.json"
says edges 'Workers that had been woken waited 500 us in total until they ran (2 times)'
recorded nobody <<'END'
head 1 0,0
task 0 0 100 item 1 0 done
parked 0 100 300
wake 1 200 0
task 0 400 600 item 1 0 done
END
of nobody
says nobody 'Meanwhile no task ran for 200 us.'
says nobody 'For 10 % of the time (100 us) there was no task'

# Worker 1 has lost events: of the time before 600 nothing is known of it. A region from before goes on, one is over; one
# piece lies across.
recorded lost <<'END'
head 2 0,7,0 ,"cpus":2,"cpu_ns":[1000,1000,0]
begin region 0 0 1
end region 0 100 1
begin region 0 200 2
task 0 200 800 root 1 0 done
task 1 600 200 leaf 2 0 done
wake 0 300 1
wake 0 700 1
end region 0 1000 2
END
of lost
says lost '2 workers, 400 us: they ran tasks 75 % of their time'
says lost 'The oldest 7 events were dropped. What follows is the end of the run, from where each worker'
says lost 'the first 600 us are left out.'
never lost 'no ws_run()'
sed 's/"dropped":\[0,7,0\]/"dropped":[0,1,0]/' "$tmp/lost.json" >"$tmp/one_lost.json"
of one_lost
says one_lost 'The oldest 1 event was dropped.'
of lost
never lost 'had a processor'
check 'lost: a piece' shows '^ +1 +1 +400 us +400 us +200 us  root$' $view --format text "$tmp/lost.json"
check 'lost: moments' shows '^wakes 1$' $view --format text "$tmp/lost.json"
check 'lost: regions' shows '^regions 1$' $view --format text "$tmp/lost.json"
check 'lost: the page' shows '^\{"length":400000,"workers":2,$' $view "$tmp/lost.json"
check 'lost: regions of the page' shows '^"regions":\[0,400000\]\}$' $view "$tmp/lost.json"
check 'lost: all is in the log' shows '^\[300\.000 us\] worker 0 woke worker 1' $view --format log "$tmp/lost.json"
# Of a worker without any event that is left nothing is known at all.
recorded nothing_left <<'END'
head 2 0,7,0
task 0 200 800 root 1 0 done
END
of nothing_left
says nothing_left 'the first 1.00 ms are left out.'

# The picture: no variables, in light and dark colours.
$view --format svg "$tmp/woken.json" >"$tmp/woken.svg"
check 'picture: no variables' sh -c '! grep -Eq "var\(|:root|--[a-z]" "$1"' sh "$tmp/woken.svg"
check 'picture: light' grep -Fqx '.chart .running { fill: #2f7d5b; }' "$tmp/woken.svg"
check 'picture: dark' grep -Fqx '  .chart .running { fill: #4fae85; }' "$tmp/woken.svg"
check 'picture: an outline stays one' grep -Fqx '  .chart .stroke { fill: none; stroke-width: 1; }' "$tmp/woken.svg"
check 'picture: one dark part' [ "$(grep -c '^@media (prefers-color-scheme: dark) {$' "$tmp/woken.svg")" -eq 1 ]
if command -v rsvg-convert >/dev/null; then
    check 'picture: not only for browsers' sh -c 'rsvg-convert "$1" >"$1.png" && [ "$(wc -c <"$1.png")" -gt 10000 ]' sh "$tmp/woken.svg"
fi

# Counts on scales, from few to many: 3300 pieces, and 40000 and more of each length.
many() {
    {
        echo "head 1 0,0"
        awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "task 0 " i * 900 / n " 0.001 item 1 0 done" }'
    } | recorded many
    $view "$tmp/many.json" >"$tmp/many.html"
    check "labels to $1" sh -c '! grep -oE ">[0-9.]+e[+-]?[0-9]+[kM]?<" "$1"' sh "$tmp/many.html"
    for label in $2; do
        check "label $label of $1" grep -Fq "class='right'>$label</text>" "$tmp/many.html"
    done
}
many 3300 '1000 2000 3000'
many 48000 '10k 20k 40k'

# A page of 1024 workers: nothing in it grows with them but its data and a line for each in a table.
{
    awk 'BEGIN { zeros = "0"; for (i = 0; i < 1024; i++) zeros = zeros ",0"; print "head 1024 " zeros
        for (i = 0; i < 1024; i++) for (j = 0; j < 40; j++) print "task " i " " j * 25 " " 5 + i % 20 " item " i " 0 done" }'
} | recorded wide
for format in html svg; do
    check "wide: $format" $view --format $format "$tmp/wide.json" -o "$tmp/wide.$format"
done
sed -n '/<noscript>/,/<\/noscript>/p' "$tmp/wide.html" >"$tmp/noscript"
check 'wide: the time line without a script' [ "$(grep -c "worker 0<" "$tmp/noscript")" -eq 1 ]
check 'wide: it is small' [ "$(wc -c <"$tmp/noscript")" -lt 2000000 ]
check 'wide: and says what a row is' grep -q '8 workers in each row' "$tmp/noscript"
check 'wide: the last row' grep -q '>worker 1008</text>' "$tmp/noscript"
finish
