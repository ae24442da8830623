#!/bin/sh
# SPDX-License-Identifier: MIT
# costs.sh - the file of costs: what is in it counts, and what is wrong in it is named by file and line. Runs in the
# build directory. Environment: as `simulate` says.
#
# Catches: a cost that nothing uses; a value in the wrong unit; a wrong line that is taken; a wrong default.
. "${srcdir:-.}/tests/sim/simulate"

$sim --show-costs >"$tmp/all"
check 'all costs are shown' test "$(wc -l <"$tmp/all")" -eq 41
$sim --costs "$tmp/all" --show-costs >"$tmp/again"
check 'what is shown can be read' cmp "$tmp/all" "$tmp/again"

# Each cost, a hundred times as high, changes the run.
run() {
    $sim --workers 40 --machine 'pack:2 numa:2 l3:2 core:2 pu:2' --costs "$1" fib 14 4000 2>&1
    $sim --workers 5 --machine 'core:2 pu:1' --costs "$1" fib 12 900000 2>&1
    WSFJ_WAIT=active $sim --workers 3 --costs "$1" fib 5 900000 2>&1
    $sim --workers 2 --costs "$1" blocking 4 2>&1
}
sed 's/$/ # nothing/' "$tmp/all" >"$tmp/plain"
run "$tmp/plain" >"$tmp/before"
while read -r name values; do
    awk -v name="$name" '$1 == name { for (i = 2; i < NF; i++) $i = ($i + 1) * 100 } { print }' "$tmp/all" >"$tmp/more"
    run "$tmp/more" >"$tmp/after"
    check "$name ($values) counts" sh -c '! cmp -s "$1" "$2"' sh "$tmp/before" "$tmp/after"
done <"$tmp/all"

# Units, comments, empty lines, a file without a last newline.
printf '# a comment\n\n pause\t1.5 us # more\r\nwake 1 2 3 ms' >"$tmp/units"
$sim --costs "$tmp/units" --show-costs >"$tmp/shown"
check 'microseconds' grep -qx 'pause 1500 ns' "$tmp/shown"
check 'milliseconds' grep -qx 'wake 1000000 2000000 3000000 ns' "$tmp/shown"
check 'the rest has its default' grep -qx "$(grep '^clock ' "$tmp/all")" "$tmp/shown"

wrong() {
    printf '# first\n%s\n' "$2" >"$tmp/wrong"
    says "$1" 2 "wsfj-sim: $tmp/wrong:2: $3" $sim --costs "$tmp/wrong" fib 3
}
wrong 'an unknown name' 'paus 3 ns' "unknown name 'paus'"
wrong 'an unknown distance' 'steal.moon 3 ns' "unknown name 'steal\.moon'"
wrong 'no distance' 'steal 3 ns' "unknown name 'steal'"
wrong 'no value' 'pause' 'pause needs a value and a unit'
wrong 'no unit' 'pause 3' 'pause needs a value and a unit'
wrong 'too many words' 'pause 3 4 ns' 'pause needs a value and a unit'
wrong 'far too many words' 'wake 1 2 3 4 5 6 7 8 ns' 'wake needs three values \(p50, p90, p99\) and a unit'
wrong 'an unknown unit' 'pause 3 s' "pause: unknown unit 's' \(ns, us or ms\)"
wrong 'no number' 'pause x ns' "pause: 'x' is no number"
wrong 'half a number' 'pause 3x ns' "pause: '3x' is no number"
wrong 'infinity' 'pause inf ns' "pause: 'inf' is no number"
wrong 'a negative cost' 'pause -3 ns' 'pause: -3 is negative'
wrong 'too large' 'pause 1e12 ms' 'pause: 1e12 is too large \(at most 1e9 ms\)'
wrong 'a distribution that falls' 'wake 3 2 4 us' 'wake: p50, p90 and p99 must not fall'
wrong 'no slice' 'slice 0 ns' 'slice must not be 0'
says 'no file' 2 "wsfj-sim: --costs $tmp/none: No such file or directory" $sim --costs "$tmp/none" fib 3
says 'a folder' 2 "wsfj-sim: --costs $tmp: .*" $sim --costs "$tmp" fib 3
finish
