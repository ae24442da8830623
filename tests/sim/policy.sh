#!/bin/sh
# SPDX-License-Identifier: MIT
# policy.sh - other decisions than the runtime's: --policy. Runs in the build directory. Environment: as `simulate` says.
#
# Catches: a name without effect, or with the effect of another one; a number that a file of the simulator has as a
# constant; an alternative that steals or suspends after all; an order that loses a task, or runs it twice; a parent that waits although it must not; a wrong name or
# value that is not told; a run that is stuck, with a parent that keeps its worker and is not named, or with addresses of
# this run.
. "${srcdir:-.}/tests/sim/simulate"
CFLAGS="$CFLAGS -O1 -iquote $srcdir/lib -iquote $srcdir/tools/sim"
program policy

# run NAME WORKERS POLICY ARGUMENTS...: the program's output is in $tmp/NAME.
run() {
    run=$1 workers=$2 policy=$3
    shift 3
    check "$run: $policy, $*" "$tmp/policy" --workers "$workers" --machine 'pack:2 core:32 pu:1' --policy "$policy" "$@"
    cp "$tmp/out" "$tmp/$run"
}
# number NAME EVENT [3]: how often the event came; with 3: the sum of its tasks. Or `time`, `result`.
number() {
    awk -v event="$2" -v field="${3:-2}" '$1 == event { print $field }' "$tmp/$1"
}
# fewer EVENT A B: in A it came less often than in B.
fewer() {
    check "$1: $(number "$2" "$1") in $2, $(number "$3" "$1") in $3" test "$(number "$2" "$1")" -lt "$(number "$3" "$1")"
}
is() {
    check "$1: $2 $3, not $(number "$1" "$2" "${4:-2}")" test "$(number "$1" "$2" "${4:-2}")" -eq "$3"
}
order() {
    check "$1: the order $2" grep -q "^$2 \$" "$tmp/$1"
}

# Each name has a place of its own: setting one changes its line, and no other one.
$sim --policy-list | sed 's/ .*//' >"$tmp/list"
numbers=$(grep -o '\.[a-z_]* = ' "$srcdir/lib/base/policy.h" | wc -l)
others=$(sed -n '/^struct sim_others/,/^}/p' "$srcdir/tools/sim/others.h" | grep -c ';.*/\*\|(\*')
check "all numbers ($numbers) and functions ($others) can be set" test "$(wc -l <"$tmp/list")" -eq $((numbers + others))
while IFS== read -r name value; do
    case $value in
    near) other=random ;;
    victim) other=never ;;
    suspend) other=block ;;
    fifo) other=lifo ;;
    own) other=common ;;
    answers) other=nothing ;;
    4) other=3 ;;
    *) other=$((value + 1)) ;;
    esac
    [ "$name" != victim ] || other=largest
    [ "$name" != queue-quarters ] || other=4
    $sim --policy "$name=$other" --policy-list | sed 's/ .*//' >"$tmp/other"
    sed "s/^$name=.*/$name=$other/" "$tmp/list" >"$tmp/expected"
    check "$name=$other changes its own line" cmp "$tmp/expected" "$tmp/other"
done <"$tmp/list"

# One worker: the order of detached tasks is exact.
run first 1 queue-order=fifo submits 8
order first '7 0 1 2 3 4 5 6'
run oldest 1 next-in-a-row=0 submits 8
order oldest '0 1 2 3 4 5 6 7'
run newest 1 next-in-a-row=0,queue-order=lifo submits 8
order newest '7 6 5 4 3 2 1 0'
seq 0 199 >"$tmp/expected"
for seed in 1 2 3 4 5 6 7 8; do
    run raced 8 queue-order=lifo,queue-quarters=4 --points=atomics --seed $seed submits 200
    grep -E '^([0-9]+ )+$' "$tmp/raced" | tr ' ' '\n' | grep . | sort -n >"$tmp/ran"
    check "lifo, seed $seed: each task runs once, with thieves at work" cmp "$tmp/expected" "$tmp/ran"
done
run common 1 submit=common submits 8
order common '0 1 2 3 4 5 6 7'
is common global_queue_take 1
is common global_queue_take 8 3
run singly 1 submit=common,common-most=1 submits 8
is singly global_queue_take 8

# Fibers in these queues: 20 tasks wait for a group, with 4 stacks.
for policy in queue-order=fifo queue-order=lifo submit=common; do
    for workers in 1 2 3; do
        for seed in 1 2 3; do
            run "waits-$workers" $workers $policy --seed $seed waits 20
            is "waits-$workers" result 20
        done
    done
done

# A thief and a worker that has 64 tasks and no time.
run half 2 queue-quarters=2 submits 64
run one 2 queue-quarters=0 submits 64
run all 2 queue-quarters=4 submits 64
is one steal 64
is one steal 64 3
fewer steal all half
fewer steal half one
run central 2 submit=common,common-most=1 submits 64
is central steal 0
is central global_queue_take 64

# Fork and join.
run own 16 join=suspend tree 8
is own result 256
run usual 64 join=suspend tree 8
run wide 64 victim=near tree 8
check 'victim=near is what the runtime does' cmp "$tmp/wide" "$tmp/usual"
for policy in victim=uniform victim=largest victim=round-robin near-passes=4 near-forgets=1 start-draws=1; do
    run "$policy" 64 $policy tree 8
    is "$policy" result 256
    for other in wide victim=uniform victim=largest victim=round-robin; do
        [ ! -f "$tmp/$other" ] || [ "$other" = "$policy" ] ||
            check "$policy: another run than $other" sh -c '! cmp -s "$1" "$2"' sh "$tmp/$other" "$tmp/$policy"
    done
done
fewer steal victim=largest victim=uniform
run block 16 join=block tree 8
is block result 256
is block suspend 0
check 'block: it is said' grep -qx 'wsfj-sim: join=block is not the runtime.s' "$tmp/block"
fewer time own block
run leap 16 join=leapfrog tree 8
is leap result 256
check 'leapfrog: it is said' grep -qx 'wsfj-sim: join=leapfrog is not the runtime.s' "$tmp/leap"
fewer time leap block
run late 16 join=leapfrog yields 8
is late result 256
says 'leapfrog: a task that blocks' 2 'wsfj-sim: --policy join=leapfrog: a stolen task blocks or is pinned, .*' \
    "$tmp/policy" --workers 2 --policy join=leapfrog blocks 2
# Who waits steals from the thief of a child only. `top`: the tasks on each worker, the newest last.
$sim --workers 8 --policy join=leapfrog --log fib 16 >"$tmp/leaps" 2>&1
check 'leapfrog: from the thief of a child' awk '
    { me = $3 + 0 }
    / waits for / { waits[top[me, depth[me]]] = 1 }
    / goes on$/ { delete waits[top[me, depth[me]]] }
    / stole / {
        victim = $0; sub(/.* from worker /, "", victim); victim += 0
        parent[me] = top[victim, depth[victim]]
        if (depth[me] && !((top[me, depth[me]], victim) in thief)) { print; bad++ }
        if (depth[me] && !(top[me, depth[me]] in waits)) { print; bad++ }
        leaps += depth[me] > 0
    }
    / began / {
        top[me, ++depth[me]] = ++frames
        if (me in parent) thief[parent[me], me]
        delete parent[me]
    }
    / ended / { depth[me]-- }
    END { print leaps " leaps"; exit bad || leaps < 10 }' "$tmp/leaps"
# A parent keeps its worker for as long as it is told; with patience it is suspended less often.
run hasty 64 join-wait=0 tree 8
run short 64 join-wait=1000 tree 8
run long 64 join-wait=8000 tree 8
is hasty result 256
is hasty short_wait 0
is hasty short_wait_vain 0
is short result 256
check 'join-wait=1000 is what the runtime does' cmp "$tmp/short" "$tmp/usual"
check "join-wait=1000: waits in vain: $(number short short_wait_vain)" test "$(number short short_wait_vain)" -gt 0
is long result 256
check "join-wait=8000: waits worth it: $(number long short_wait)" test "$(number long short_wait)" -gt 0
fewer suspend long hasty
run never 16 steal=never tree 8
is never result 256
is never steal 0
is never park 0
check 'never: it is said' grep -qx 'wsfj-sim: steal=never is not the runtime.s' "$tmp/never"
between 'never: one worker has done it all' 5120000 "$(number never time)" 5250000

# 64 workers sleep; the more are woken at once, the sooner all work.
run chain 64 wake-found=1 late 8
run two 64 wake-found=2 late 8
run every 64 wake-found=4096,search-part=0 late 8
run eager 64 wake-below=64 late 8
fewer time two chain
fewer time every chain
fewer time eager chain
run nearest 64 waking=near late 8
run anybody 64 waking=random late 8
check 'waking=near is what the runtime does' cmp "$tmp/two" "$tmp/nearest"
is anybody result 256
check 'waking=random: another run' sh -c '! cmp -s "$1" "$2"' sh "$tmp/two" "$tmp/anybody"

# Little work for many.
run cap 16 search-part=2 sparse 10
run without 16 search-part=0 sparse 10
run hasty 16 search-part=0,pause-least=0,pause-most=0 sparse 10
run patient 16 search-part=0,pause-least=8,pause-most=12 sparse 10
run polite 16 polite-rounds=2 sparse 10
fewer search cap without
fewer steal_fail cap without
fewer steal_fail without hasty
fewer steal_fail patient without
check 'polite: another run' sh -c '! cmp -s "$1" "$2"' sh "$tmp/cap" "$tmp/polite"

# Exposure. With watch=answers the first answers come so early that there is only one task to expose.
run asks 4 ask=1000,watch=nothing list 400
run waits 4 ask=50000,watch=nothing list 400
run most 4 expose-part=1,watch=nothing list 400
run least 4 expose-part=100,watch=nothing list 400
fewer expose_force waits asks
fewer expose_force most asks
fewer expose_force asks least

# Stuck: who waits for what, and the same bytes in each run.
for i in 1 2; do
    "$tmp/policy" --workers 2 --policy join=block stuck >"$tmp/stuck$i" 2>&1
    check "stuck: exit 3, not $?" test $? -eq 3
done
check 'stuck: the same bytes' cmp "$tmp/stuck1" "$tmp/stuck2"
check 'stuck: the parent is named' grep -qx '  stack 1 keeps worker [01] and waits at a sync for 1 of its children' "$tmp/stuck1"
check 'stuck: no other one' test "$(grep -c ' keeps worker ' "$tmp/stuck1")" -eq 1
check 'stuck: the child is named' grep -Eq \
    '^  stack [0-9]*, waits_for_task \(.*\), stolen from stack 1: waits for the group at @1 \(1 task\), for [0-9.]* s$' "$tmp/stuck1"
check 'stuck: the task is named' grep -Eq '^  .*stack [0-9]*, .*, detached, of the group at @1' "$tmp/stuck1"

"$tmp/policy" --workers 2 --policy join=leapfrog stuck >"$tmp/stuck3" 2>&1
check "stuck, leapfrog: exit 3, not $?" test $? -eq 3
check 'stuck, leapfrog: the parent is named' \
    grep -qx '  stack 1 keeps worker [01] and waits at a sync for 1 of its children' "$tmp/stuck3"

# Wrong ones.
says 'no name' 2 'wsfj-sim: --policy speed=3: no such name \(--policy-list lists them\)' $sim --policy speed=3 fib 3
says 'no value' 2 "wsfj-sim: --policy ask: 'ask' is not NAME=VALUE" $sim --policy ask fib 3
says 'an empty one' 2 "wsfj-sim: --policy ask=3,: '' is not NAME=VALUE" $sim --policy ask=3, fib 3
says 'no word' 2 'wsfj-sim: --policy join=maybe: expected one of suspend\|block\|leapfrog' $sim --policy join=maybe fib 3
says 'no number' 2 'wsfj-sim: --policy ask=1us: expected a number from 0 to 1000000000' $sim --policy ask=1us fib 3
says 'too much' 2 'wsfj-sim: --policy queue-quarters=5: expected a number from 0 to 4' $sim --policy queue-quarters=5 fib 3
says 'an old one' 2 'wsfj-sim: --policy ring-order=lifo: no such name \(--policy-list lists them\)' $sim --policy ring-order=lifo fib 3
finish
