#!/bin/sh
# SPDX-License-Identifier: MIT
# traces.sh - two ranks write a trace each under one WSFJ_TRACE, and wsfj-view joins them, with an arrow for each message
# (traces.c). Runs in the build directory. Environment: as `ranks` and tests/build/traces say.
#
# Catches: ranks that write one file; a message without a mark, or a mark without a message; marks in an order that is not that
# of the messages; tasks of a bag that have none, or one with a number of another communicator; clocks of two ranks that are not
# one; a name that is changed although it is the program's choice.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/mpi/ranks"
# shellcheck disable=SC1091
. "$srcdir/tests/build/traces"

# records N ASSIGNMENT... [PROGRAM'S ARGUMENT]: into $tmp/out.d, under the name that WSFJ_TRACE has there; stderr to $tmp/said.
records() {
    all=$1 name=$2 what=$3
    shift 3
    rm -rf "$tmp/out.d" && mkdir "$tmp/out.d"
    # shellcheck disable=SC2086
    ranks "$all" 60 env WSFJ_NUM_WORKERS=2 WSFJ_TRACE="$tmp/out.d/$name" "$@" tests/mpi/traces $what >"$tmp/said" 2>&1 && return
    cat "$tmp/said"
    return 1
}
files() {
    (cd "$tmp/out.d" && echo *)
}
# join [TEXT]: wsfj-view says this, and then why; else nothing.
join() {
    $view --check "$tmp"/out.d/*.json >"$tmp/errors" 2>&1 && $view "$tmp"/out.d/*.json >"$tmp/page.html" 2>"$tmp/errors" &&
        [ "$(sed 's/:[^:]*$//' "$tmp/errors")" = "${1-}" ] && return
    cat "$tmp/errors"
    return 1
}
messages() {
    tr -d '\n' <"$tmp/page.html" | sed -n 's/.*"messages":\[\([^]]*\)\].*/\1/p' | tr , '\n' | paste -d ' ' - - - - -
}
# Both ranks have two workers: lanes 0 and 1 are rank 0's, 2 and 3 rank 1's, 4 and 5 their other threads. Lines: 2, lane, time, lane,
# time. A round begins 50 ms after the one before has ended.
check_rounds() {
    messages | awk '
        { from[NR] = $2; sent[NR] = $3; to[NR] = $4; received[NR] = $5 }
        $2 < 2 && $4 >= 2 && $4 < 4 { there++ }
        $2 >= 2 && $2 < 4 && $4 < 2 { back++ }
        $2 == 4 && $4 == 5 { threads++ }
        END {
            slack = 10e6
            for (i = 1; i < 3; i++) # the first three are those of tag 5
                if (received[i] < sent[i] - slack || sent[i + 1] < received[i] + slack)
                    print "round " i ": sent " sent[i] ", received " received[i] ", the next sent " sent[i + 1]
            if (NR != 9 || there != 4 || back != 4 || threads != 1)
                print NR " messages, " there " there, " back " back, " threads " of other threads"
        }' >"$tmp/wrong"
    [ ! -s "$tmp/wrong" ] || { cat "$tmp/wrong"; messages; return 1; }
}

for mode in multiple funneled; do
    check "two ranks, $mode" records 2 run.json '' WSFJ_MPI_THREADS=$mode
    check "$mode: a file for each" [ "$(files)" = 'run.rank0.json run.rank1.json' ]
    check "$mode: they are joined" join
    check "$mode: all messages" check_rounds
done

check '%p in the name' records 2 'run.%p.json' ''
check 'it stays as it is' sh -c 'ls "$1"; [ "$(ls "$1" | grep -c "^run\.[0-9]*\.json$")" = 2 ]' sh "$tmp/out.d"
check 'the traces know their ranks' join
check 'all messages, too' check_rounds

# 1,205 pairs of rank, tag and direction on each rank. Of the last tag that there is room for, only the send has.
check 'many tags' records 2 run.json many
check 'a line of each rank says so' [ "$(grep -c 'libwsfj-mpi: WSFJ_TRACE: more than 1024 pairs of rank and tag' "$tmp/said")" = 2 ]
check 'the rest is joined' join 'wsfj-view: 2 messages were sent and not received, 0 received and not sent'
check 'its messages are there' [ "$(messages | wc -l)" -eq $((9 + 2 * (1024 - 5 - 1) / 2)) ]

# All tasks of the bag come from rank 0. Nine messages are those of each run; five of them go from rank 0 to rank 1.
check 'a bag' records 2 run.json tasks
chunks=$(awk '/^chunks / { n += $2 } END { print n + 0 }' "$tmp/said")
check 'tasks went from rank to rank' [ "$chunks" -gt 1 ]
check 'the traces are joined' join
check 'an arrow for each chunk' [ "$(messages | wc -l)" -eq $((9 + chunks)) ]
check '... two at least from rank 0 to rank 1' [ "$(messages | awk '($2 < 2 || $2 == 4) && ($4 == 2 || $4 == 3 || $4 == 5)' | wc -l)" -gt 6 ]

check 'a runtime that is there before MPI' records 2 run.json late
check 'a line of each rank says that too' [ "$(grep -c 'libwsfj-mpi: WSFJ_TRACE: the runtime was started before ws_mpi_init()' "$tmp/said")" = 2 ]
check 'the same with %p' records 2 'run.%p.json' late
check 'says nothing' sh -c '! grep WSFJ_TRACE "$1"' sh "$tmp/said"
finish
