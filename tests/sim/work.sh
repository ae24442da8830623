#!/bin/sh
# SPDX-License-Identifier: MIT
# work.sh - the workloads, plain graphs and recorded graphs. Each run asserts its own invariants (tools/sim/check.h, and
# in each workload that every task runs once and children before their parents' ends), and would exit with 5. Runs in the
# build directory. Environment: as `simulate` says.
#
# Catches: a task that runs twice, never, or too early; work that gets lost; a workload that depends on the schedule; a
# task that is given elsewhere; a wrong file or argument that is taken.
. "${srcdir:-.}/tests/sim/simulate"

# A run whose result some check uses must not be broken.
printf '#!/bin/sh\n%s "$@"\nstatus=$?\n[ $status -ne 5 ] || echo "$*" >>%s/broken\nexit $status\n' "$sim" "$tmp" >"$tmp/sim"
chmod +x "$tmp/sim"
sim=$tmp/sim

# The same work, tasks and span whatever the machine; all that varies is the time.
alike() {
    {
        $sim --quiet --workers 1 "$@"
        $sim --quiet --workers 7 "$@"
        $sim --quiet --workers 33 --costs "$srcdir/tools/sim/machines/two-socket.costs" "$@"
        $sim --quiet --workers 6 --points=atomics --machine 'core:3 pu:1' "$@"
    } 2>&1 | sed 's/, in .*//; s/ in [0-9]* ns.*//' >"$tmp/alike"
    check "$*: it runs on each machine" test "$(grep -Ec '(: [0-9]+ tasks?, work [0-9]+ ns, span [0-9]+ ns| = [0-9]+)$' "$tmp/alike")" \
        -eq $((4 * ${different:-1}))
    check "$*: the same work on each machine: $(sort -u "$tmp/alike" | tr '\n' ';')" \
        test "$(sort -u "$tmp/alike" | wc -l)" -eq "${different:-1}"
}
for workload in 'fib 10' 'mergesort 20000' 'uts 6' uts-binomial random 'loop 3000' 'uneven-loop 3000' 'row 20 3000' \
    'flood 3000' 'blocking 300' independent 'independent 2000 0.3 uniform' 'one-worker 30 1 fixed' 'generator 30' \
    'bursts 1' 'spawning 300' 'waiting 300'; do
    # shellcheck disable=SC2086
    alike $workload
done
different=2 alike nqueens 6

# Words of a line.
words() {
    sed -n "s/^$1: \([0-9]*\) tasks*, work \([0-9]*\) ns, span \([0-9]*\) ns, in \([0-9]*\) ns with \([0-9]*\) workers*.*/\\$2/p"
}
check 'fixed lengths' test "$($sim --quiet --workers 4 independent 20 2.5 fixed | words independent 2)" -eq 50000
check 'a unit' test "$($sim --quiet --workers 4 --unit 100 independent 20 2.5 fixed | words independent 2)" -eq 5000
between 'exponential lengths' 9500000 "$($sim --quiet --workers 4 independent 10000 1 exponential | words independent 2)" 10500000
between 'uniform lengths' 9800000 "$($sim --quiet --workers 4 independent 10000 1 uniform | words independent 2)" 10200000
between 'uniform lengths: the longest' 1990 "$($sim --quiet --workers 4 independent 10000 1 uniform | words independent 3)" 2000
between 'spawning: 1 / (1 - 0.3 * 2) tasks for each' 45000 "$($sim --quiet --workers 4 spawning 20000 | words spawning 1)" 55000
between 'waiting: 1 / (1 - 0.4 * 2) tasks for each' 90000 "$($sim --quiet --workers 4 waiting 20000 | words waiting 1)" 110000
between 'bursts: the second one begins at 5' 6000000 "$($sim --quiet --workers 2 --unit 1000000 bursts 2 1 fixed | words bursts 4)" 6100000
between 'generator: one each 0.5' 10900000 "$($sim --quiet --workers 4 --unit 1000000 generator 20 1 fixed | words generator 4)" 11300000
between 'as many begin at once as there are workers' 1000000 \
    "$($sim --quiet --workers 64 --unit 1000000 one-worker 64 1 fixed | words one-worker 4)" 2000000
check 'seeds differ' sh -c "test \"\$($sim --quiet --seed 1 independent)\" != \"\$($sim --quiet --seed 2 independent)\""

program give
for mode in all place wrong full sleep; do
    check "give: $mode" "$tmp/give" --quiet --workers 4 $mode
    check "give: $mode, atomics, fewer CPUs" "$tmp/give" --quiet --workers 5 --machine 'core:2 pu:1' --points=atomics $mode
done

check 'nqueens: the span' test "$($sim --quiet --workers 9 nqueens 6 | words nqueens 3)" -eq 7000
check 'uts: the span' test "$($sim --quiet --workers 9 uts 6 | words uts 3)" -eq 7000
check 'mergesort: the span' test "$($sim --quiet --workers 9 mergesort 4096 1024 2 | words mergesort 3)" -eq 32768
check 'waiting: the span' test "$($sim --quiet --workers 9 waiting 1 1 fixed 0 | words waiting 3)" -eq 1000

# Plain graphs. Each task's predecessors are asserted by the run itself.
plain() {
    workers=$1
    cat >"$tmp/plain.dag"
    $sim --quiet --workers "$workers" "$tmp/plain.dag" 2>&1
}
printf '%s\n' 'b 700000.4 after:a' 'a 300000.3 -' 'c 100000.3 after:b' | plain 4 >"$tmp/chain"
check 'plain: a chain' grep -q ': 3 tasks, work 1100001 ns, span 1100001 ns' "$tmp/chain"
printf '%s\n' 'a 1000000 -' 'b 1000000 parent:a' 'c 1000000 parent:a after:b' 'd 1000000 -' | plain 4 |
    sed 's/.*plain.dag:/plain:/' >"$tmp/tree"
between 'plain: children beside their parent' 2000000 "$(words plain 4 <"$tmp/tree")" 2200000
printf '%s\n' 'a 1000 - 5000000 3' 'b 1000 - 3000000.5' | plain 4 | sed 's/.*plain.dag:/plain:/' >"$tmp/late"
printf '%s\n' 'a 1000 - 5000000' 'b 10000000 - 1000000' | plain 4 | sed 's/.*plain.dag:/plain:/' >"$tmp/early"
between 'plain: in the order of arrivals' 11000000 "$(words plain 4 <"$tmp/early")" 11200000
printf '%s\n' 'w 10000000 -' 'b 1000 - 5000000' | plain 4 | sed 's/.*plain.dag:/plain:/' >"$tmp/early"
between 'plain: what is there begins at once' 10000000 "$(words plain 4 <"$tmp/early")" 10200000
for worker in 1 2 3; do
    printf '%s\n' 'a 1000000 - 0 0' "b 1000 parent:a 0 $worker" >"$tmp/plain.dag"
    $sim --quiet --workers 4 --log "$tmp/plain.dag" >"$tmp/log"
    check "plain: a child of worker $worker" grep -q "worker $worker: began detached" "$tmp/log"
done
between 'plain: arrivals' 5001000 "$(words plain 4 <"$tmp/late")" 5100000
awk 'BEGIN { for (i = 1; i <= 3000; i++)
        print "t" i, i * 7919 % 2000, i % 3 == 1 || i < 10 ? "-" : i % 3 ? "parent:t" int(i / 2) : "after:t" i - 1 ",t" int(i / 3),
            i * 31 % 500000, i % 5 ? "" : 0 }' >"$tmp/large.dag"
alike "$tmp/large.dag"
says 'plain: a worker that is not there' 2 "wsfj-sim: $tmp/plain.dag:2: worker 3, and there are only 3" \
    $sim --workers 3 "$tmp/plain.dag"
says 'plain: an arrival that is too late' 2 "wsfj-sim: $tmp/plain.dag: it takes 1e\+16 ns, more than 2\^53" \
    sh -c "echo 'a 1 - 1e16' >'$tmp/plain.dag'; $sim '$tmp/plain.dag'"
printf 'a 1 after:b\nb 1 after:a\n' >"$tmp/plain.dag"
says 'plain: a cycle' 2 "wsfj-sim: $tmp/plain.dag:[12]: a cycle: .*" $sim "$tmp/plain.dag"
says 'plain: too long' 2 "wsfj-sim: $tmp/plain.dag: it takes 1e\+18 ns, more than 2\^53" \
    sh -c "echo 'a 1e18 -' >'$tmp/plain.dag'; $sim '$tmp/plain.dag'"
: >"$tmp/empty.dag"
says 'an empty file' 2 "wsfj-sim: $tmp/empty.dag:1: the file is empty" $sim "$tmp/empty.dag"
says 'no file' 2 "wsfj-sim: $tmp/none.graph: No such file or directory" $sim "$tmp/none.graph"

# Recorded graphs. The run asserts T1, and how often each node is played.
recorded() {
    { echo 'wsfj-graph 1' && cat; } >"$tmp/lines"
    { cat "$tmp/lines" && echo "end $(wc -l <"$tmp/lines")"; } >"$tmp/r.graph"
}
recorded <<'END'
node 0 run 5 10 run 30 120000.7 * 40 run 1 2 work 7.25
node 1 work 1 loop 0
node 2 spawn 1 * 3 work 0.3 * 7
node 3 part 2 * 5
node 4 part 3 part 3
node 5 part 4 call 2 submit 1 group 4 block 5.5 wait 4 post 1 yield
region 0 epoch 1 thread 1 node 5
region 1 epoch 1 thread 2 node 3
region 2 epoch 2 thread 1 node 5
END
says 'recorded: a post twice' 2 "wsfj-sim: $tmp/r.graph: post 1 has no line \"posted\"" $sim "$tmp/r.graph"
sed -i '/^end/d; s/^region 2.*/region 2 epoch 2 thread 1 node 4/' "$tmp/r.graph"
{ grep -v wsfj-graph "$tmp/r.graph" && echo 'posted 1 node 2'; } | { cat >"$tmp/more" && recorded <"$tmp/more"; }
alike "$tmp/r.graph"
recorded <<'END'
node 0 run 1000 10000000.3
node 1 loop 0
region 0 epoch 1 thread 1 node 1
END
between 'recorded: a run is divided as a loop' 1250000 \
    "$($sim --quiet --workers 8 "$tmp/r.graph" | sed 's/.*r.graph:/r:/' | words r 4)" 1500000
recorded <<'END'
node 0 work 10000000
node 1 spawn 0 * 7 call 0
region 0 epoch 1 thread 1 node 1
END
between 'recorded: children are parallel' 10000000 \
    "$($sim --quiet --workers 8 "$tmp/r.graph" | sed 's/.*r.graph:/r:/' | words r 4)" 10200000
# ns WORKERS [OPTION...]: the virtual nanoseconds that the graph takes.
ns() {
    $sim --quiet --workers "$@" "$tmp/r.graph" 2>&1 | sed 's/.*r.graph:/r:/' | words r 4
}
recorded <<'END'
node 0 work 1000000
node 1 submit 0 group 4 wait 4 work 1000000
region 0 epoch 1 thread 1 node 1
END
between 'recorded: a wait is for its group' 2000000 "$(ns 4)" 2200000
recorded <<'END'
node 0 work 1000000
region 0 epoch 1 thread 1 node 0
region 1 epoch 1 thread 2 node 0
region 2 epoch 2 thread 1 node 0
END
between 'recorded: an epoch begins when all regions of the last one have ended' 2000000 "$(ns 4)" 2200000
sed -i 's/node 0 work 1000000/node 0 work 0/; s/region 1 epoch 1 thread 2 node 0/region 1 epoch 1 thread 2 node 1/; /^node 0/a node 1 work 1000000' "$tmp/r.graph"
sed -i '/^end/d; s/^region 2.*/region 2 epoch 2 thread 1 node 1/' "$tmp/r.graph" && echo "end $(wc -l <"$tmp/r.graph")" >>"$tmp/r.graph"
between 'recorded: also of another thread' 2000000 "$(ns 4)" 2200000
recorded <<'END'
node 0 work 3
region 0 epoch 1 thread 1 node 0
total units work 3 blocked 0 span 3
END
between 'recorded: units' 3000000 "$(ns 1 --unit 1000000)" 3100000

# refused NAME MESSAGE <<LINES
refused() {
    { cat && echo 'region 0 epoch 1 thread 1 node 1'; } | { cat >"$tmp/more" && recorded <"$tmp/more"; }
    says "recorded: $1" 2 "wsfj-sim: $tmp/r.graph: $2" $sim "$tmp/r.graph"
}
refused 'too long' 'its work is 1e\+16 ns, more than 2\^53' <<'END'
node 0 work 1e16
node 1 call 0
END
refused 'blocks too long' 'its work is 1e\+16 ns, more than 2\^53' <<'END'
node 0 block 1e16
node 1 call 0
END
refused 'too many tasks' 'it has more than 2\^53 tasks' <<'END'
node 0 work 0
node 1 spawn 0 * 9007199254740993
END
refused 'too many iterations' 'node 0 has more than 2\^54 iterations' <<'END'
node 0 run 18014398509481985 1
node 1 loop 0
END
refused 'too many iterations together' 'node 0 has more than 2\^54 iterations' <<'END'
node 0 run 18014398509481984 1 run 1 1
node 1 loop 0
END
refused 'a number of iterations that overflows' 'node 0 has more than 2\^54 iterations' <<'END'
node 0 run 5 1 run 9223372036854775807 1 * 2
node 1 loop 0
END
refused 'too many repetitions' 'node 0 has more than 2\^54 iterations' <<'END'
node 0 run 9007199254740992 1 * 9007199254740992
node 1 loop 0
END
refused 'a post too many' 'post 9, and there are fewer items' <<'END'
node 0 work 1
node 1 post 1
posted 1 node 0
posted 9 node 0
END
refused 'posted twice' 'posted 1 twice' <<'END'
node 0 work 1
node 1 post 1
posted 1 node 0
posted 1 node 0
END
{ echo 'node 0 work 1000' && awk 'BEGIN { for (i = 1; i <= 200; i++) print "node " i " part " i - 1 (i % 30 ? "" : " * 2") }' &&
    echo 'region 0 epoch 1 thread 1 node 200'; } | { cat >"$tmp/more" && recorded <"$tmp/more"; }
between 'recorded: parts in parts' 64000 "$(ns 2)" 80000

# Many short regions: in a phase no worker sleeps between them.
{ printf 'node 0 work 2000\nnode 1 spawn 0 * 40 work 10\n' &&
    awk 'BEGIN { for (i = 0; i < 90; i++) print "region " i " epoch " i " thread 1 node 1" (i >= 30 && i < 60 ? " phase" : "") }'; } |
    { cat >"$tmp/more" && recorded <"$tmp/more"; }
$sim --quiet --workers 8 --log "$tmp/r.graph" |
    awk '/began a region/ { n++ } / sleeps/ { i = int((n - 1) / 30); sleeps[i]++ } END { print sleeps[0] + 0, sleeps[1] + 0, sleeps[2] + 0 }' >"$tmp/sleeps"
check "recorded: sleeps before, in and after a phase: $(cat "$tmp/sleeps")" awk '{ exit !($1 > 60 && $2 < 30 && $3 > 60) }' "$tmp/sleeps"
recorded <<'END'
node 0 work 10000000
node 1 submit 0
region 0 epoch 1 thread 1 node 1 phase
END
check 'recorded: the phase ends with the last region' sh -c '"$@" | grep -q sleeps' sh $sim --quiet --workers 4 --log "$tmp/r.graph"
recorded <<'END'
node 0 work 1
node 1 post 2 * 2
region 0 epoch 1 thread 1 node 1
posted 2 node 0
END
says 'recorded: a post twice' 2 "wsfj-sim: $tmp/r.graph: post 2 is reached 2 times, not once" $sim "$tmp/r.graph"
recorded <<'END'
node 0 work 1
END
says 'recorded: no region' 2 "wsfj-sim: $tmp/r.graph: there is no region" $sim "$tmp/r.graph"
echo 'wsfj-graph 1' >"$tmp/r.graph"
says 'recorded: cut short' 2 "wsfj-sim: $tmp/r.graph:2: cut short: .*" $sim "$tmp/r.graph"

says 'a wrong number' 2 'wsfj-sim: flood: argument 1, x: expected a number from 1 to 100000000' $sim flood x
says 'a wrong decimal' 2 'wsfj-sim: independent: argument 2, -1: expected a decimal number from 0 to 1e\+06' $sim independent 3 -1
says 'a wrong shape' 2 'wsfj-sim: independent: argument 3, round: expected fixed, uniform or exponential' $sim independent 3 1 round
says 'too many arguments' 2 'wsfj-sim: independent: argument 4, 7: it takes 3 at most' $sim independent 3 1 fixed 7
says 'more tasks than there is room for' 1 'wsfj-sim: one-worker: worker 0 takes no more tasks: all queues are full \(WSFJ_MAX_PENDING\)' \
    $sim one-worker 100000
check "broken runs: $(cat "$tmp/broken" 2>/dev/null)" test ! -e "$tmp/broken"
finish
