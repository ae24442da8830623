#!/bin/sh
# SPDX-License-Identifier: MIT
# same.sh - the same arguments give the same bytes: wherever memory lies, on whatever processor, whatever else is in the
# environment. Runs in the build directory. Environment: as `simulate` says.
#
# Catches: an order by address, a clock of the real machine, a count that depends on the environment; a seed that does
# nothing.
. "${srcdir:-.}/tests/sim/simulate"

machine='pack:2 numa:2 l3:1 core:4 pu:2'
run() {
    "$@" --workers 24 --machine "$machine" --seed 7 fib 17 3000 >"$tmp/run" 2>&1
}
run $sim
cp "$tmp/run" "$tmp/first"
same() {
    name=$1
    shift
    check "$name: the run ends" run "$@" $sim
    check "$name: the same bytes" cmp "$tmp/first" "$tmp/run"
}
check 'the run says what it did' grep -q '^fib(17) = 1597 in [0-9]* ns with 24 workers$' "$tmp/first"
check 'the run says what it cost' grep -Eq '^wsfj-sim: [0-9.]* ms of virtual time, [0-9]{5,} points' "$tmp/first"
same 'again' env
same 'another heap' env MALLOC_ARENA_MAX=1 MALLOC_PERTURB_=85 MALLOC_MMAP_THRESHOLD_=4096
same 'a large environment' env "PADDING=$(awk 'BEGIN { for (i = 0; i < 5000; i++) printf "x" }')"
same 'nothing in the environment' env -i
same 'settings of OpenMP' env OMP_NUM_THREADS=3 OMP_WAIT_POLICY=passive
same 'the number of workers in the environment' env WSFJ_NUM_WORKERS=5
if setarch -R true 2>/dev/null; then
    same 'without address randomisation' setarch -R
fi
last=$(awk '/^Cpus_allowed_list/ { sub(/.*[-,]/, "", $2); print $2 }' /proc/self/status)
if taskset -c "$last" true 2>/dev/null; then
    same 'another processor' taskset -c "$last"
fi

$sim --workers 24 --machine "$machine" --seed 8 fib 17 3000 >"$tmp/run" 2>&1
check 'another seed is another run' sh -c '! cmp -s "$1" "$2"' sh "$tmp/first" "$tmp/run"

# Preemption at each access to a shared location is as repeatable.
few() {
    $sim --workers 5 --machine 'core:2 pu:1' --points atomics fib 10 >"$tmp/$1" 2>&1
}
few a
few b
check 'points=atomics: the run says what it did' grep -q '^fib(10) = 55 ' "$tmp/a"
check 'points=atomics: the same bytes' cmp "$tmp/a" "$tmp/b"
finish
