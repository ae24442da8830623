#!/bin/sh
# SPDX-License-Identifier: MIT
# perf.sh - perf record --call-graph fp follows the chain of lib/sched/unwind_link.h from a stolen task to main(), in
# tests/debugger/family.c. Runs in the build directory; skipped where there is no perf, or it may not record. What the chain
# is made of is looked at in process by user/unwind, too. Environment: srcdir, CC, SANITIZER_FLAGS, TEST_EMULATOR.
#
# Catches: a profile in which a stolen task has no callers beyond its stack.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

skip() {
    echo "$1"
    exit 77
}

case $(uname -m) in
    x86_64) ;;
    *) skip "the kernel follows frame pointers to higher addresses only on $(uname -m)" ;;
esac
[ -z "${TEST_EMULATOR-}" ] || skip 'not under an emulator'
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer's functions come between"
[ -e .libs/libwsfj.so ] || skip 'without a shared library'
command -v perf >/dev/null || skip 'perf is not here (Debian: linux-perf)'

record() {
    perf record -q -e "$event" --call-graph fp -o "$tmp/data" "$@" >"$tmp/recorded" 2>&1 && [ -s "$tmp/data" ] &&
        perf script -i "$tmp/data" --no-inline -F comm,ip,sym >"$tmp/samples" 2>/dev/null
}

# A virtual machine may have no cycles to count.
for event in cycles:u cpu-clock:u none; do
    [ $event != none ] || skip "perf may not record: $(grep -v '^$' "$tmp/recorded" | head -n 1) (perf_event_paranoid is $(
        cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null))"
    ! record sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' || [ ! -s "$tmp/samples" ] || break
done

# A sample is a paragraph, innermost first. Those of work(): how many there are, and how many have all the ancestors.
start=wsfj_context_start # the assembly's; with the portable switch what follows is a function of the C library
nm .libs/libwsfj.so | grep -q " $start\$" || start=
chain="wsfj_fiber_main $start wsfj_exec_child wsfj_exec_elder run_region wsfj_root_run begin main"
count() {
    awk -v RS= -v FS='\n' -v chain="$chain" '/ work(\n|$)/ {
            all++
            n = split(chain, name, / +/)
            found = 1
            for (i = 1; i <= NF; i++)
                if (found <= n && $i ~ " " name[found] "(\\.|$)") found++
            whole += found > n
        }
        END { print all + 0, whole + 0 }' "$tmp/samples"
}

# Some samples lie where a function has no frame yet, or none any more.
nearly_all() {
    read -r all whole <<EOF
$(count)
EOF
    echo "$all samples, $whole of them with all ancestors"
    [ "$all" -ge 20 ] && [ $((10 * whole)) -ge $((9 * all)) ] && return
    head -n 40 "$tmp/samples"
    return 1
}

# shellcheck disable=SC2086
check 'a program compiles' $CC -std=gnu11 -g -O2 -fno-omit-frame-pointer "-I$srcdir/include" \
    "$srcdir/tests/debugger/family.c" .libs/libwsfj.so -o "$tmp/family"
check 'it is recorded' record env -u WSFJ_NUM_WORKERS -u WSFJ_PLACES LD_LIBRARY_PATH="$(pwd)/.libs" \
    timeout "${WSFJ_TEST_LIMIT:-120}" "$tmp/family" spins
check 'from a stolen task to main' nearly_all
finish
