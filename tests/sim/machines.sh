#!/bin/sh
# SPDX-License-Identifier: MIT
# machines.sh - machines and options. Runs in the build directory. Environment: as `simulate` says.
#
# Catches: a machine that the library sees otherwise than it was described; a wrong description or option that is taken;
# a simulation of many workers that takes more than seconds.
. "${srcdir:-.}/tests/sim/simulate"

shown() {
    WSFJ_DISPLAY=1 $sim --quiet "$@" fib 3 2>&1
}
shown --machine 'pack:2 numa:2 l3:1 core:4 pu:2' >"$tmp/shown"
check 'the library sees the machine' grep -Eq '2 packages, 4 NUMA nodes, 4 last-level caches, 16 cores, 32 CPUs$' "$tmp/shown"
check 'each of its CPUs has a worker' grep -q 'version .*, 32 workers$' "$tmp/shown"
check 'its workers are bound' grep -Eq 'worker 31[ :].*CPU 31' "$tmp/shown"
check 'this machine' sh -c "$sim --quiet --machine this fib 5 | grep -q '^fib(5) = 5 '"
if lstopo-no-graphics --version >/dev/null 2>&1; then
    lstopo-no-graphics -i 'pack:2 core:3 pu:1' --of xml "$tmp/m.xml"
    check 'a file' sh -c "$sim --quiet --machine '$tmp/m.xml' fib 5 | grep -q 'with 6 workers'"
fi

check 'two sockets' sh -c "$sim --quiet --costs '$srcdir/tools/sim/machines/two-socket.costs' --workers 48 \
    --machine 'pack:2 numa:1 l3:8 core:3 pu:2' fib 10 | grep -q '^fib(10) = 55 in '"
$sim --calibrate >"$tmp/here.costs" 2>"$tmp/here.err"
for name in pause clock lock atomic atomic-rmw futex-call yield create wake-call wake late switch; do
    check "calibrated: $name" grep -Eq "^$name [0-9. ]+ ns # " "$tmp/here.costs"
done
# A scene is a difference of times: it may fail on a busy machine, and says so.
scenes='spawn:spawn detached:task suspend:suspend suspend:resume'
if ! grep -q 'There is only one CPU' "$tmp/here.costs"; then
    for name in steal-attempt line migrate; do
        check "calibrated: $name" grep -Eq "^$name\.[a-z]+ [0-9.]+ ns # " "$tmp/here.costs"
    done
    scenes="$scenes steal:steal. answered:expose.asked answered:expose.answered forced:expose.forced"
fi
for scene in $scenes; do
    check "calibrated, or not measured: $scene" \
        grep -Eq "^${scene#*:}[a-z]* [0-9.]+ ns # |^# ${scene%:*}: not measured" "$tmp/here.costs"
done
# Without the program that it runs, unless one is installed.
cp wsfj-sim "$tmp/alone"
"$tmp/alone" --calibrate >/dev/null 2>"$tmp/err"
status=$?
[ $status -eq 0 ] || check "calibrated: one line, not $(wc -l <"$tmp/err"), and exit 4, not $status" \
    sh -c "[ $status -eq 4 ] && [ \$(grep -c . '$tmp/err') -eq 1 ] && grep -Eqx 'wsfj-sim: --calibrate: .*: No such file.*' '$tmp/err'"
check 'calibrated: it can be read' sh -c "$sim --quiet --costs '$tmp/here.costs' fib 5 | grep -q '^fib(5) = 5 '"

says 'neither' 2 'wsfj-sim: --machine nowhere: neither a description nor a file that can be read' $sim --machine nowhere fib 3
says 'no description' 2 'wsfj-sim: --machine a:b: hwloc does not accept it' $sim --machine a:b fib 3
says 'no CPUs' 2 'wsfj-sim: --machine pu:0: hwloc does not accept it' $sim --machine pu:0 fib 3
says 'too many CPUs' 2 'wsfj-sim: --machine pu:100000: more than 8192 CPUs' $sim --machine pu:100000 fib 3
says 'no workers' 2 'wsfj-sim: --workers=0: expected a number from 1 to 4096' $sim --workers 0 fib 3
says 'too many workers' 2 'wsfj-sim: --workers=4097: .*' $sim --workers=4097 fib 3
says 'no number' 2 'wsfj-sim: --workers=3x: .*' $sim --workers=3x fib 3
says 'no value' 2 'wsfj-sim: --workers needs a value: N' $sim --workers
says 'a value too many' 2 'wsfj-sim: --quiet takes no value' $sim --quiet=1 fib 3
says 'unknown option' 2 'wsfj-sim: unknown option --worker \(--help lists them\)' $sim --worker 3 fib 3
says 'unknown points' 2 'wsfj-sim: --points=some: expected calls or atomics' $sim --points=some fib 3
says 'unknown workload' 2 "wsfj-sim: unknown workload 'fob' \(without one, wsfj-sim lists them\)" $sim fob 3
check 'help' sh -c "$sim --help | grep -q '^  --workers N '"
if [ -w /dev/full ]; then
    full() {
        name=$1
        shift
        "$@" >/dev/full 2>"$tmp/err"
        check "a full disk, $name: exit 1" test $? -eq 1
        check "a full disk, $name: $(cat "$tmp/err")" grep -Fqx 'wsfj-sim: stdout: No space left on device' "$tmp/err"
    }
    full run $sim --quiet fib 3
    full costs $sim --show-costs
    full help $sim --help
fi

# Many workers. What is asserted is the number of points; that a run of so many ends at all is the limit of this script.
$sim --workers 1024 fib 20 >"$tmp/many" 2>&1
check '1024 workers' grep -q '^fib(20) = 6765 in .* with 1024 workers$' "$tmp/many"
points=$(sed -n 's/.* \([0-9]*\) points.*/\1/p' "$tmp/many")
between '1024 workers: points' 100000 "$points" 2000000
finish
