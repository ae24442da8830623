#!/bin/sh
# SPDX-License-Identifier: MIT
# programs.sh - random programs in virtual time (programs.c), each with a machine and weather of its own. Runs in the
# build directory. make check-sim runs more of them, or others. Environment: as `simulate` says; WSFJ_TEST_FULL: 2000 seeds.
#
# Catches: a protocol of the library that loses, repeats or mixes up tasks, results, stacks or wake-ups in some order of
# steps; a failure that is not noticed, or that its seed does not repeat.
. "${srcdir:-.}/tests/sim/simulate"
programs=tests/sim/programs
[ -x "$programs" ] || exit 77

seeds=1000
[ -z "${WSFJ_TEST_FULL-}" ] || seeds=2000
$programs 1 $seeds >"$tmp/all" 2>&1
check 'no seed fails' test $? -eq 0
grep -A 20 '^failed' "$tmp/all" | head -n 100
while read -r name value; do
    check "$name: $value" test "$value" -gt 0
done <<END
$(sed -n 's/^\([a-z].*[a-z]\)  *\([0-9][0-9]*\)$/\1 \2/p' "$tmp/all" | sed 's/ /-/g; s/-\([0-9]*\)$/ \1/')
END
check 'all runs counted' grep -Eqx "runs +$seeds" "$tmp/all"

# A failure: named, with a command that repeats it; the other seeds run.
$programs -x 5 3 4 >"$tmp/wrong" 2>&1
check 'a wrong result: exit 1' test $? -eq 1
check 'its seed' grep -qx 'failed: seed 5: exit 1' "$tmp/wrong"
check 'what is wrong' grep -q '^    result: seed [0-9]*: error 0, value ' "$tmp/wrong"
check 'the command' grep -qx "  repeat it: $programs 5" "$tmp/wrong"
check 'the others' grep -qx '1 of 4 seeds fail' "$tmp/wrong"
$programs -x 5 5 >"$tmp/again" 2>&1
check 'it fails again: exit 1' test $? -eq 1
check 'as before' grep -qxF "$(sed -n 's/^    result: /result: /p' "$tmp/wrong")" "$tmp/again"

# The same run, wherever memory lies, whatever the environment says. Each run has other addresses, at random.
repeats() {
    $programs "$1" >"$tmp/first" 2>&1
    check "seed $1 runs" grep -Eqx 'runs +1' "$tmp/first"
    for size in 1 300 1000 1700 2500 3000; do
        env MALLOC_PERTURB_=85 WSFJ_NUM_WORKERS=3 OMP_NUM_THREADS=2 "PADDING=$(printf "%${size}s")" \
            $programs "$1" >"$tmp/second" 2>&1
        check "seed $1, $size bytes more: the same bytes" cmp "$tmp/first" "$tmp/second"
    done
}
for seed in 2 3 5 8 13; do
    repeats $seed
done
# With a table by address, what shares an entry differs: of sites of syncs (short_wait.c), of what tasks wait for (table.c).
for seed in 15 34 40 47; do
    repeats $seed
done
for seed in 21 156 266 351; do
    repeats $seed
done
says 'no seed' 2 'usage: .*programs \[-x SEED\] FIRST COUNT \| SEED' $programs
says 'no number' 2 '.*programs: 3x: expected a number up to 100000000' $programs 3x
finish
