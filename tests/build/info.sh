#!/bin/sh
# SPDX-License-Identifier: MIT
# info.sh - wsfj-info shows what the library does. Runs in the build directory. Environment: srcdir, with_hwloc,
# TEST_EMULATOR.
#
# Catches: a machine, worker, tier or origin that is shown wrongly or not at all; an option without effect; an invalid
# value that is accepted, or refused with exit status 0.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
for name in $(env | sed -n 's/^\(\(WSFJ\|OMP\|HWLOC\)_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done

# shows PATTERN COMMAND...: a line of its output matches; it succeeds.
shows() {
    pattern=$1
    shift
    "$@" >"$tmp/shown" 2>"$tmp/errors" && grep -Eq -e "$pattern" "$tmp/shown" && return
    cat "$tmp/shown" "$tmp/errors"
    return 1
}

# refuses STATUS PATTERN COMMAND...: the message is on stderr only.
refuses() {
    status=$1 pattern=$2
    shift 2
    "$@" >"$tmp/shown" 2>"$tmp/errors"
    [ $? -eq "$status" ] && [ ! -s "$tmp/shown" ] && grep -Eq -e "$pattern" "$tmp/errors" && return
    cat "$tmp/shown" "$tmp/errors"
    return 1
}

info="${TEST_EMULATOR-} ./wsfj-info"
big='pack:2 numa:2 l3:2 core:2 pu:2'
large='pack:2 numa:4 l3:4 core:8 pu:2'

other_machines() {
    check 'a synthetic machine' shows '2 packages, 4 NUMA nodes, 8 last-level caches, 16 cores, 32 CPUs; not this machine' \
        $info --synthetic "$big"
    check 'its workers' shows '^Workers: 32$' $info --synthetic "$big"
    check 'its tiers' shows \
        '^worker 0: CPU 0 \(package 0, node 0, cache 0, core 0\); others: 1 core, 2 cache, 4 numa, 8 package, 16 machine$' \
        $info --synthetic "$big"
    check 'distances of pairs' shows '^ +0 \.nm$' $info --synthetic 'pack:2 core:2 pu:1' --workers 3
    check 'as many workers as asked for' shows '^Workers: 5$' $info --synthetic "$big" --workers 5
    check 'more workers than units wander' shows '^worker 8: not bound; others: 8 machine$' \
        $info --synthetic 'pack:2 core:4 pu:1' --workers 9
    check 'places by name' shows '^worker 1: CPUs 8,10,12,14,9,11,13,15 ' \
        env WSFJ_PLACES=numa_domains $info --synthetic "$big" --workers 4
    check 'places in vain' shows '^2 of the places have no CPU' env WSFJ_PLACES='{0},{64},{65}' $info --synthetic "$big"

    check 'no more workers than the limit' shows '^Workers: 4096$' $info --synthetic 'node:4 core:1024 pu:2'
    check 'and why' grep -q '^libwsfj: WSFJ_NUM_WORKERS=threads: this machine has room for 8192 workers, the limit is 4096; ' \
        "$tmp/errors"

    # Large machines: groups. Of 65 workers on, unless --all is given.
    check 'a line for each of 64 workers' shows '^worker 63: CPU 63 ' $info --synthetic 'pack:2 core:32 pu:1'
    check 'none for each of 65' sh -c '! "$@" | grep -q "^worker "' sh $info --synthetic 'pack:2 core:40 pu:1' --workers 65
    check '--all: a line for each of 512' sh -c '[ "$("$@" | grep -c "^worker [0-9]*: CPU ")" -eq 512 ]' sh $info --all --synthetic "$large"
    check 'groups: by node' shows '^workers 32-63,288-319: 64 on package 0, node 1, caches 4-7, CPUs 64-127$' $info --synthetic "$large"
    check 'groups: the last' shows '^workers 224-255,480-511: 64 on package 1, node 7, caches 28-31, CPUs 448-511$' \
        $info --synthetic "$large"
    check 'groups: each worker in one' [ "$(grep -c '^workers ' "$tmp/shown")" -eq 8 ]
    check 'groups: tiers' grep -qx 'others of each worker: 1 core, 14 cache, 48 numa, 192 package, 256 machine' "$tmp/shown"
    check 'groups: by cache' shows '^workers 8-15: 8 on package 0, node 0, cache 1, CPUs 8-15$' \
        $info --synthetic 'pack:2 l3:8 core:8 pu:1'
    check 'groups: one node of two packages' shows '^workers 64-127: 64 on package 1, node 0, CPUs 64-127$' \
        $info --synthetic 'pack:2 core:64 pu:1'
    check 'groups: several packages in a line' shows '^workers 64-127,1088-1151: 128 on packages 2-3, nodes 4-7, caches 8-15, CPUs 128-255$' \
        $info --synthetic 'pack:32 numa:2 l3:2 core:8 pu:2'
    check 'groups: tiers that differ' shows '^others of each worker: 2-3 cache, 9-10 numa, 37-38 package, 50 machine$' \
        env WSFJ_BIND=spread $info --synthetic "$large" --workers 100
    check 'groups: a step' shows '^workers 0-1023: 1024 on package 0, node 0, CPUs 0-2046:2$' $info --synthetic 'node:4 core:1024 pu:2'
    check 'groups: 4096 workers on a screen' [ "$(wc -l <"$tmp/shown")" -le 50 ]
    check 'groups: places of a package each' shows '^workers 50-99: 50 on package 1, nodes 4-7, caches 16-31, CPUs 256-511$' \
        env WSFJ_PLACES=sockets $info --synthetic "$large" --workers 100
    check 'groups: a place of everything' shows '^workers 0-69: 70 on packages 0-1, nodes 0-7, caches 0-31, CPUs 0-511$' \
        env WSFJ_PLACES='{0:512}' $info --synthetic "$large" --workers 70
    check 'groups: many ranges' shows 'node 0, CPUs 0,3,7,10,14,17,21,24,28,31,35,38,\.\.\. \(200\)$' \
        env WSFJ_PLACES='{0,3}:100:7' $info --synthetic 'node:1 core:800 pu:1' --workers 100
    check 'groups: places in vain' shows '^1 of the places has no CPU' env WSFJ_PLACES='{0},{900}' $info --synthetic "$large" --workers 70
    check 'groups: more workers than CPUs' shows '^workers 0-599: not bound$' $info --synthetic "$large" --workers 600
    for machine in 'pack:2 core:64 pu:2' "$large" 'pack:32 numa:2 l3:2 core:8 pu:2' 'pack:4 l3:16 core:4 pu:1'; do
        check "on a screen: $machine" sh -c '[ "$("$@" 2>"$0" | wc -l)" -le 50 ]' "$tmp/errors" $info --synthetic "$machine"
    done

    # A file that hwloc itself has written.
    if command -v lstopo-no-graphics >/dev/null; then
        lstopo-no-graphics --input "$big" "$tmp/machine.xml"
        check 'an XML machine' shows '^Workers: 32$' $info --xml "$tmp/machine.xml"
    fi
    check 'HWLOC_SYNTHETIC' shows '^Workers: 6$' env HWLOC_SYNTHETIC='pack:3 core:2 pu:1' $info

    check 'no such file' refuses 1 'cannot make a machine of /nonexistent' $info --xml /nonexistent
    check 'no such machine' refuses 1 'cannot make a machine of elephants' $info --synthetic elephants
}

no_other_machines() {
    check 'no description' refuses 1 'built without hwloc' $info --synthetic "$big"
    check 'no file' refuses 1 'built without hwloc' $info --xml "$tmp/machine.xml"
    check 'no variable' sh -c 'HWLOC_SYNTHETIC=pu:7 "$@" 2>&1 >/dev/null | grep -qx "libwsfj: HWLOC_SYNTHETIC is ignored.*"' sh $info
    check 'places by name' shows '^worker 0: CPU' env WSFJ_PLACES=numa_domains $info --workers 1
    check 'places in vain' shows '^2 of the places have no CPU' env WSFJ_PLACES='{65000},{65001}' $info
}

check 'this machine' shows '^machine: .* CPUs?$' $info
check 'a worker for each CPU' shows "^Workers: $(nproc)\$" $info
if [ "${with_hwloc-yes}" = yes ]; then
    other_machines
else
    echo 'without hwloc: machines that are not this one are refused'
    no_other_machines
fi
check 'limits' shows '^workers: 1 to 4096$' $info
check 'membarrier' shows '^membarrier: (works|refused)' $info
check 'membarrier not used' shows '^membarrier: not used$' env WSFJ_MEMBARRIER=0 $info
check 'help' shows '^Usage: wsfj-info' $info --help
check 'version' shows '^wsfj-info [0-9]+\.[0-9]+\.[0-9]+$' $info --version

check 'origin: default' shows '^WSFJ_BIND=close \(default\)$' $info
check 'origin: environment' shows '^WSFJ_BIND=spread \(environment\)$' env WSFJ_BIND=spread $info
for gone in WSFJ_VICTIM=near WSFJ_WAKE=near; do
    check "$gone is unknown" sh -c 'env "$1" "$2" 2>&1 >/dev/null | grep -qx "libwsfj: unknown variable ${1%=*} ignored.*"' \
        sh "$gone" $info
done
check 'origin: API' shows '^WSFJ_NUM_WORKERS=3 \(ws_config\)$' env WSFJ_NUM_WORKERS=7 $info --workers 3
check 'origin: OMP_*' shows '^WSFJ_PLACES=\{0,1\},\{2,3\} \(OMP_PLACES\)$' env OMP_PLACES='{0:2}:2:2' $info
check 'OMP_* and ours' shows '^WSFJ_PLACES=each CPU \(default\)$' env WSFJ_WAIT=7 OMP_PLACES=cores $info
check 'OMP_* and who watches' shows '^WSFJ_PLACES=cores \(OMP_PLACES\)$' env WSFJ_STATS=1 OMP_PLACES=cores $info
check 'OMP_* turned off' shows '^WSFJ_NUM_WORKERS=threads \(default\)$' env WSFJ_OMP=0 OMP_NUM_THREADS=3 $info
check 'an invalid value in the environment is named' sh -c \
    'WSFJ_PLACES="{0" "$@" 2>&1 >/dev/null | grep -q "^libwsfj: invalid value WSFJ_PLACES={0 (expected"' sh $info

# A mask, as set by launchers.
if command -v taskset >/dev/null; then
    cpu=$(taskset -cp $$ | sed 's/.*[^0-9]//')
    check 'taskset' shows '^Workers: 1$' taskset -c "$cpu" $info
    check 'the CPU that is left' shows "^worker 0: CPU $cpu " taskset -c "$cpu" $info
fi

check 'one machine' refuses 2 'more than one machine' $info --synthetic "$big" --xml "$tmp/machine.xml"
check 'no such option' refuses 2 'Try wsfj-info --help' $info --elephants
check 'no arguments' refuses 2 'unexpected argument elephants' $info elephants
check 'signals by name' shows '^WSFJ_DUMP_SIGNAL=RTMIN\+2 \(environment\)$' env WSFJ_DUMP_SIGNAL=sigrtmin+2 $info
check 'no signal' shows '^WSFJ_DUMP_SIGNAL=none \(default\)$' $info
check 'an invalid signal' sh -c \
    'WSFJ_DUMP_SIGNAL=KILL "$@" 2>&1 >/dev/null | grep -q "^libwsfj: invalid value WSFJ_DUMP_SIGNAL=KILL (.*); using none$"' sh $info
check 'no such number' refuses 2 'from 1 to 4096' $info --workers 0
check 'not even that' refuses 2 'from 1 to 4096, not cores$' $info --workers cores
full_disk() {
    "$@" >/dev/full 2>"$tmp/errors"
    [ $? -eq 1 ] && grep -qx 'wsfj-info: stdout cannot be written' "$tmp/errors"
}
[ ! -w /dev/full ] || check 'a full disk' full_disk $info
[ ! -w /dev/full ] || check 'no room for the help' full_disk $info --help

# The third table of WSFJ_STATS follows from the first one and the time: steals, attempts, successful of 100, per second.
rates_follow() {
    awk '
    function differ(what) { print "worker " $1 ": " what ": " $0; bad = 1 }
    /^libwsfj: steals by/ { table = 1 }
    /^libwsfj: tasks/ { table = 2 }
    /^libwsfj: steals of each worker in [0-9]+\.[0-9]+ s$/ { table = 3; seconds = $(NF - 1) }
    table == 1 && $1 ~ /^[0-9]+$/ { s = $2 + $3 + $4 + $5 + $6; steals[$1] = s; tries[$1] = s + $7; all += s; all_tries += s + $7 }
    table == 3 && $1 == "all" { steals[$1] = all; tries[$1] = all_tries }
    table == 3 && $1 in steals {
        if ($2 != steals[$1]) differ("steals, not " steals[$1])
        if ($3 != tries[$1]) differ("attempts, not " tries[$1])
        if ($3 == 0 ? $4 != "-" : $4 !~ /^[0-9]+\.[0-9]$/ || 100 * $2 - $4 * $3 > 0.06 * $3 || $4 * $3 - 100 * $2 > 0.06 * $3)
            differ("share")
        if ($5 * (seconds + 0.001) < $2 - 0.1 * seconds - 0.001 || $5 * (seconds - 0.001) > $2 + 0.1 * seconds) differ("rate")
        rows++
    }
    END {
        if (seconds > limit) { print seconds " s, but it ran for at most " limit; bad = 1 }
        exit bad || rows != workers + 1 || all < least
    }' "workers=$2" "least=$3" "limit=$4" "$1"
}

# The runtime's own output. Tasks that wait for each other: all but one are stolen.
cat >"$tmp/work.c" <<'END'
#include <wsfj.h>
static int arrived;
WS_TASK_VOID(meet, long, n)
{
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < n)
        ;
}
WS_TASK_VOID(root, long, n)
{
    for (long i = 1; i < n; i++)
        ws_spawn(meet, n);
    ws_call(meet, n);
    ws_sync();
}
int main(void)
{
    return ws_init(NULL) || ws_run(root, (long)ws_num_workers());
}
END
cat >"$tmp/user.c" <<'END'
#include <wsfj.h>
int main(void)
{
    return ws_init(NULL);
}
END
# shellcheck disable=SC2086
if [ -e .libs/libwsfj.so ] && $CC $SANITIZER_FLAGS "-I$srcdir/include" "$tmp/user.c" -o "$tmp/user" -L.libs -lwsfj; then
    LD_LIBRARY_PATH=.libs WSFJ_DISPLAY=1 ${TEST_EMULATOR-} "$tmp/user" 2>"$tmp/display"
    check 'WSFJ_DISPLAY shows the settings' grep -q '^libwsfj: WSFJ_DISPLAY=1 (environment)$' "$tmp/display"
    check 'WSFJ_DISPLAY shows the map' grep -q '^libwsfj: worker 0: CPU ' "$tmp/display"
    LD_LIBRARY_PATH=.libs WSFJ_STATS=1 WSFJ_NUM_WORKERS=3 ${TEST_EMULATOR-} "$tmp/user" 2>"$tmp/stats"
    check 'WSFJ_STATS shows what the numbers are' grep -Eq '^worker +core .* wakes$' "$tmp/stats"
    check 'and a line of them for each worker' \
        sh -c '[ "$(grep -Ec "^ +[0-2]( +[0-9]+){12}\$" "$1")" -eq 3 ]' sh "$tmp/stats"
    check 'rates: a line for each worker' rates_follow "$tmp/stats" 3 0 1e9
    LD_LIBRARY_PATH=.libs WSFJ_STATS=1 WSFJ_NUM_WORKERS=1 ${TEST_EMULATOR-} "$tmp/user" 2>"$tmp/stats"
    check 'rates: one worker has nobody to steal from' grep -Eq '^ +all +0 +0 +- +0\.0$' "$tmp/stats"
    # shellcheck disable=SC2086
    $CC -O2 $SANITIZER_FLAGS "-I$srcdir/include" "$tmp/work.c" -o "$tmp/work" -L.libs -lwsfj
    then=$(date +%s)
    LD_LIBRARY_PATH=.libs WSFJ_STATS=1 WSFJ_NUM_WORKERS=4 ${TEST_EMULATOR-} "$tmp/work" 2>"$tmp/stats"
    check 'rates: three steals at least' rates_follow "$tmp/stats" 4 3 $(($(date +%s) - then + 1))
    LD_LIBRARY_PATH=.libs WSFJ_DISPLAY=1 WSFJ_DUMP_SIGNAL=SIGUSR1 WSFJ_WATCHDOG=KILL ${TEST_EMULATOR-} "$tmp/user" 2>"$tmp/display"
    check 'and those of the watching thread' grep -q '^libwsfj: WSFJ_DUMP_SIGNAL=USR1 (environment)$' "$tmp/display"
    check 'an invalid value is refused' \
        grep -q '^libwsfj: invalid value WSFJ_WATCHDOG=KILL (expected 0 to 86400 seconds); using 0$' "$tmp/display"
    OMP_DISPLAY_ENV=true OMP_NUM_THREADS=3 LD_LIBRARY_PATH=.libs ${TEST_EMULATOR-} "$tmp/user" 2>"$tmp/display"
    check 'OMP_DISPLAY_ENV does so, too' grep -q '^libwsfj: WSFJ_NUM_WORKERS=3 (OMP_NUM_THREADS)$' "$tmp/display"
fi
finish
