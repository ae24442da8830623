#!/bin/sh
# SPDX-License-Identifier: MIT
# view-ranks.sh - wsfj-view joins the traces of an MPI job: their times, lanes and messages; and what cannot be joined. Runs in
# the build directory. Environment: as `traces` says. tests/mpi/traces.sh does it with traces of a real job.
#
# Catches: times of two clocks that are not aligned; a rank's lanes, steals or stacks taken for another's; an arrow to the wrong
# receive; traces of different jobs that are joined; something left out without a word.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/traces"

# rank_trace PID FROM MARK: the beginning of a trace of two workers and a millisecond that has this mark 100 us after FROM, where
# worker 0 runs a task for 500 us, and worker 1 then steals one from it, for 100 us. Lines of events may follow; `end_trace` ends it.
rank_trace() {
    awk -v pid="$1" -v from="$2" -v mark="$3" 'BEGIN {
        printf "{\"otherData\":{\"producer\":\"libwsfj 0.1.0\",\"format\":4,\"workers\":2,\"from\":%d.000,\"to\":%d.000,\"dropped\":[0,0,0]},", from, from + 1000
        print "\"traceEvents\":["
        for (i = 1; i <= 3; i++) {
            printf "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"lane\"}},\n", pid, i
            printf "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%d,\"args\":{\"sort_index\":%d}},\n", pid, i, i
        }
        printf "{\"ph\":\"X\",\"name\":\"root\",\"pid\":%d,\"tid\":1,\"ts\":%d.000,\"dur\":500.000,\"cat\":\"task\",\"args\":{\"stack\":1,\"part\":0,\"end\":\"done\"}},\n", pid, from
        printf "{\"ph\":\"i\",\"name\":\"steal\",\"pid\":%d,\"tid\":2,\"ts\":%d.000,\"s\":\"t\",\"cat\":\"event\",\"args\":{\"victim\":0,\"distance\":\"cache\",\"tasks\":1,\"remaining\":1}},\n", pid, from + 600
        printf "{\"ph\":\"s\",\"name\":\"steal\",\"pid\":%d,\"tid\":1,\"cat\":\"flow\",\"id\":\"5\",\"ts\":%d.000},\n", pid, from + 600
        printf "{\"ph\":\"f\",\"name\":\"steal\",\"pid\":%d,\"tid\":2,\"cat\":\"flow\",\"id\":\"5\",\"ts\":%d.000},\n", pid, from + 610
        printf "{\"ph\":\"X\",\"name\":\"leaf\",\"pid\":%d,\"tid\":2,\"ts\":%d.000,\"dur\":100.000,\"cat\":\"task\",\"args\":{\"stack\":2,\"part\":0,\"end\":\"done\"}}\n", pid, from + 610
        if (mark != "")
            printf ",{\"ph\":\"i\",\"name\":\"%s\",\"pid\":%d,\"tid\":3,\"ts\":%d.000,\"s\":\"t\",\"cat\":\"mark\"}\n", mark, pid, from + 100
    }'
}

# mark PID TID TIME NAME
mark() {
    echo ",{\"ph\":\"i\",\"name\":\"$4\",\"pid\":$1,\"tid\":$2,\"ts\":$3.000,\"s\":\"t\",\"cat\":\"mark\"}"
}

# Rank 0 sends twice with tag 5 and once with tag 6; rank 1, on another node, receives 6 before the second 5, and its main thread
# sends with tag 9. The clock of rank 1 is half a second ahead; it left the barrier 100 us after its trace began, like rank 0.
rank_0() {
    rank_trace 7 1000 "${1-MPI rank 0 of 2, node 0}"
    mark 7 1 1200 'MPI send to 1, tag 5'
    mark 7 1 1300 'MPI send to 1, tag 6'
    mark 7 1 1400 'MPI send to 1, tag 5'
    mark 7 2 1900 'MPI receive from 1, tag 9'
}
rank_1() {
    rank_trace 7 501000 "${1-MPI rank 1 of 2, node 1}"
    mark 7 3 501150 'MPI send to 0, tag 9'
    mark 7 2 501250 'MPI receive from 0, tag 5'
    mark 7 1 501350 'MPI receive from 0, tag 6'
    mark 7 1 501450 'MPI receive from 0, tag 5'
}
end_trace() {
    cat
    echo ']}'
}
rank_0 | end_trace >"$tmp/0.json"
rank_1 | end_trace >"$tmp/1.json"

# joins SAID FILE...: into a page; what it says on stderr matches, or it says nothing.
page=$tmp/page.html
joins() {
    said=$1
    shift
    $view "$@" >"$page" 2>"$tmp/errors" || { cat "$tmp/errors"; return 1; }
    if [ -z "$said" ]; then
        [ ! -s "$tmp/errors" ]
    else
        [ "$(wc -l <"$tmp/errors")" -eq 1 ] && grep -Eqx -e "wsfj-view: $said" "$tmp/errors"
    fi || { cat "$tmp/errors"; return 1; }
}
# has NAME LIST NUMBERS: of the page's data.
has() {
    tr -d '\n' <"$page" | sed -n "s/.*\"$2\":\[\([^]]*\)\].*/\1/p" >"$tmp/list"
    check "$1" sh -c '[ "$(cat "$1")" = "$2" ] || { cat "$1"; exit 1; }' sh "$tmp/list" "$3"
}

# Lanes: the workers of both ranks are 0 to 3, all other threads are 4 and 5.
messages=2,0,200000,3,250000,2,0,400000,2,450000,2,0,300000,2,350000,2,5,150000,1,900000
check 'two ranks' joins '' "$tmp/0.json" "$tmp/1.json"
has 'each message has its arrow' messages $messages
has 'the lanes of each rank' ranks 0,0,1,2
has 'the steals of each rank' arrows 0,0,600000,1,610000,0,2,600000,3,610000
row() {
    check "worker $1" grep -q "^<tr><td>$1</td><td>$2 %</td>.*<td>$3</td><td>$4</td><td>$5</td><td>0</td></tr>\$" "$page"
}
row 0:0 50 0 0 1
row 0:1 10 1 1 0
row 1:0 50 0 0 1
row 1:1 10 1 1 0
check 'the charts name workers, too' grep -q '<title>worker 1:1: running 10 % ' "$page"
check 'so does the matrix' grep -q '<title>thief 1:1, victim 1:0: 1 steal</title>' "$page"
check 'the numbers of all' grep -q '^32 events, recorded by libwsfj 0\.1\.0; 4 messages between 2 ranks\.' "$page"
check 'an arrow in the legend' grep -q 'class="key message"' "$page"
check 'the title' grep -qx '0\.json and 1 more' "$page"
check 'in another order' joins '' "$tmp/1.json" "$tmp/0.json"
has 'the ranks have theirs' messages $messages
check 'a check of both' shows '^32 events of 4 workers, nothing wrong$' $view --check "$tmp/0.json" "$tmp/1.json"

# In a browser, where there is one: nothing goes wrong, and each steal and each message has its arrow.
for name in ${CHROMIUM-chromium-headless-shell chromium}; do
    ! command -v "$name" >/dev/null || browser=$name
done
if [ "${browser-}" ]; then
    # With virtual time no frame comes: the page draws at once here.
    sed 's/requestAnimationFrame(draw)/draw()/' "$page" >"$tmp/drawn.html"
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$tmp/profile" \
        --host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=5000 --dump-dom "file://$tmp/drawn.html" >"$tmp/dom" 2>"$tmp/log"
    check 'a browser draws six arrows' grep -q '<canvas id="lanes" .*data-arrows="6"' "$tmp/dom"
    check 'it does not complain' sh -c '! grep CONSOLE "$1"' sh "$tmp/log"
fi

# On one node the clock is the same, whenever a rank gets to its mark. This one begins 30 us later.
rank_trace 8 1030 'MPI rank 1 of 2, node 0' | end_trace >"$tmp/near.json"
check 'two ranks of a node' joins '3 messages were sent and not received, 1 received and not sent: they have no arrows, and those of the same tags .*' \
    "$tmp/0.json" "$tmp/near.json"
has 'one clock' arrows 0,0,600000,1,610000,0,2,630000,3,640000

# The same stack in two ranks is two stacks: nothing waits from the one's end to the other's beginning.
rank_trace 9 3000 'MPI rank 1 of 2, node 0' | sed 's/"stack":1,/"stack":2,/' | end_trace >"$tmp/later.json"
rank_trace 7 1000 'MPI rank 0 of 2, node 0' | sed 's/"stack":2,"part":0,"end":"done"/"stack":2,"part":0,"end":"waits"/' | end_trace >"$tmp/waits.json"
check 'a task that waits for ever' joins '' "$tmp/waits.json" "$tmp/later.json"
check 'it waits to the end' grep -Eq '^<li>For 56 % of the time \(1\.69 ms\) no worker ran a task although detached tasks had begun' "$page"

# Tasks that a bag moves are another channel than messages with a tag, each direction its own.
{ rank_0; mark 7 1 1500 'MPI tasks to 1'; mark 7 1 1600 'MPI tasks to 1'; mark 7 1 1910 'MPI tasks from 1'; mark 7 2 1700 'MPI tasks to 1, 2'; } |
    end_trace >"$tmp/gives.json"
{ rank_1; mark 7 2 501460 'MPI tasks to 0'; mark 7 1 501510 'MPI tasks from 0'; mark 7 2 501620 'MPI tasks from 0'; mark 7 2 501700 'MPI tasks from 00'; } |
    end_trace >"$tmp/takes.json"
check 'tasks of a bag' joins '' "$tmp/gives.json" "$tmp/takes.json"
has 'they have arrows, too' messages "2,0,200000,3,250000,2,0,400000,2,450000,2,0,300000,2,350000,2,0,500000,2,510000,2,0,600000,3,620000,2,5,150000,1,900000,2,3,460000,0,910000"

# Messages without their other end.
{ rank_0; mark 7 1 1950 'MPI send to 1, tag 5'; mark 7 1 1960 'MPI send to 5, tag 5'; } | end_trace >"$tmp/more.json"
check 'more sends than receives' joins '1 message was sent and not received, 0 received and not sent: they have no arrows, and those of the same tags .*' \
    "$tmp/more.json" "$tmp/1.json"
has 'the others have arrows' messages $messages
{ rank_1; mark 7 1 501950 'MPI receive from 0, tag 7'; mark 7 1 501960 'MPI receive from 0, tag 7'; } | end_trace >"$tmp/more.json"
check 'more receives than sends' joins '0 messages were sent and not received, 2 received and not sent: they have no arrows, and those of the same tags .*' \
    "$tmp/0.json" "$tmp/more.json"
has 'the others have arrows, too' messages $messages
{ rank_1; mark 7 1 501950 'MPI receive from 0, tag 05'; mark 7 1 501960 'MPI receive from -1, tag 7'; mark 7 1 501960 'MPI send to 0'
    mark 7 1 501960 'MPI send to 0, tag 99999999999999999999'; mark 7 1 501970 'MPI receive from 0, tag 7 or so'; } | end_trace >"$tmp/text.json"
check 'marks of the program' joins '' "$tmp/0.json" "$tmp/text.json"
has 'they are no messages' messages $messages
sed 's/\[0,0,0\]/[0,9,0]/' "$tmp/1.json" >"$tmp/lost.json"
check 'events were dropped' joins '[^ ]*lost\.json has lost events \(WSFJ_TRACE_EVENTS\): messages to and from rank 1 have no arrows' \
    "$tmp/0.json" "$tmp/lost.json"
has 'no arrows then' messages ''
has 'what is left has its time' arrows 0,0,600000,1,610000,0,2,600000,3,610000

# Without the mark: the order of the files, and the machine's clock.
rank_trace 8 1200 '' >"$tmp/part"
{ cat "$tmp/part"; mark 8 1 1300 'MPI receive from 0, tag 5'; mark 8 1 1500 'MPI receive from 0, tag 6'; mark 8 1 1600 'MPI receive from 0, tag 5'
    mark 8 1 1700 'MPI send to 0, tag 9'; } | end_trace >"$tmp/unmarked.json"
check 'no mark' joins '[^ ]*unmarked\.json has no mark of ws_mpi_init\(\): ranks are numbered as the files are given, and times .*' \
    "$tmp/0.json" "$tmp/unmarked.json"
has 'the clock counts' messages 2,0,200000,2,300000,2,0,400000,2,600000,2,0,300000,2,500000,2,2,700000,1,900000
rank_1 'MPI rank 2 of 2, node 0' | end_trace >"$tmp/wrong.json"
check 'a rank beyond the job' joins '[^ ]*wrong\.json has no mark of ws_mpi_init.*' "$tmp/0.json" "$tmp/wrong.json"

# What cannot be joined.
not_joined() {
    check "$1" refuses 1 "$2" $view "$tmp/0.json" "$tmp/$3"
}
not_joined 'one file twice' '0\.json and [^ ]*0\.json are the same trace$' 0.json
cp "$tmp/0.json" "$tmp/copy.json"
not_joined 'a copy' '0\.json and [^ ]*copy\.json are the same trace$' copy.json
rank_1 'MPI rank 0 of 2, node 0' | end_trace >"$tmp/again.json"
not_joined 'one rank twice' '0\.json and [^ ]*again\.json are both of rank 0$' again.json
rank_1 'MPI rank 1 of 3, node 0' | end_trace >"$tmp/other.json"
not_joined 'another job' '0\.json is of a job of 2 ranks, [^ ]*other\.json of 3$' other.json
sed 's/"format":4/"format":3/' "$tmp/1.json" >"$tmp/older.json"
not_joined 'another format' 'older\.json:1:[0-9]*: a trace of an older libwsfj' older.json
not_joined 'no file' 'nothing\.json: No such file' nothing.json
sed 's/"workers":2/"workers":4095/; s/\[0,0,0\]/[0'"$(printf ',0%.0s' $(seq 4095))"']/' "$tmp/1.json" >"$tmp/wide.json"
not_joined 'too many workers' 'the traces have 4097 workers, more than 4096$' wide.json
printf '%s\r\n' 'kind,file,line,task,count,' >"$tmp/profile.csv"
not_joined 'a profile' 'profile\.csv:1:1: a profile: only traces can be joined$' profile.csv
for format in svg text log; do
    check "--format $format" refuses 2 "^wsfj-view: more than one file: --format $format shows one" $view --format $format "$tmp/0.json" "$tmp/1.json"
done
finish
