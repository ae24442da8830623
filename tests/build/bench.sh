#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh - the tables of wsfj-bench and bench/compare with runs of microseconds. Runs in the build directory.
# Environment: srcdir, TEST_EMULATOR.
#
# Catches: a time that reads 0.0000; a column that is not below its heading; CSV or JSON in another unit than seconds; a
# comparison that does not read the CSV; an option that is accepted though it makes no sense.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
for name in $(env | sed -n 's/^\(\(WSFJ\|OMP\)_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
bench="${TEST_EMULATOR-} ./wsfj-bench"

# refuses STATUS PATTERN COMMAND...: the message is on stderr only.
refuses() {
    status=$1 pattern=$2
    shift 2
    "$@" >"$tmp/shown" 2>"$tmp/errors"
    [ $? -eq "$status" ] && [ ! -s "$tmp/shown" ] && grep -Eq -e "$pattern" "$tmp/errors" && return
    cat "$tmp/shown" "$tmp/errors"
    return 1
}

# Every cell ends where its heading ends, and the last column is `ok`.
aligned() {
    awk '
    /^kernel / { heading = $0; width = length($0); next }
    !heading { next }
    $1 ~ /^(fib|nqueens)$/ {
        rows++
        if (length($0) != width) { print length($0) " wide, not " width ": " $0; bad = 1 }
        for (i = 10; i < width; i++)
            if (substr(heading, i, 2) ~ /[^ ] / && substr($0, i, 2) !~ /[^ ] /) { print "column " i ": " $0; bad = 1 }
    }
    END { exit bad || rows != 4 }' "$1"
}

# timed FILE FIRST LAST: these columns are times with a unit, or 10 ms and more.
timed() {
    awk -v first="$2" -v last="$3" '$1 ~ /^(fib|nqueens)$/ {
        rows++
        for (i = first; i <= last; i++)
            if ($i !~ /^[0-9]+(\.[0-9]+)?[mun]s$/ && !($i ~ /^[0-9.]+$/ && $i >= 0.01)) { print $i ": " $0; bad = 1 }
    }
    END { exit bad || !rows }' "$1"
}

check 'a table' $bench fib nqueens --size 4 --runs 1 --workers 1,2
cp "$tmp/out" "$tmp/table"
check 'it is aligned' aligned "$tmp/table"
check 'no time reads 0.0000' timed "$tmp/table" 4 8
check 'which is said' grep -q '^Times without a unit are seconds\.' "$tmp/table"

check 'CSV' $bench fib --size 4 --runs 1 --workers 1 --format csv
cp "$tmp/out" "$tmp/csv"
check 'CSV: seconds' awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    { n++; for (k in c) if (k ~ /_s$/ && !($c[k] ~ /^[0-9.e-]+$/ && $c[k] > 0 && $c[k] < 60)) exit bad = 1 } END { exit bad || n != 1 }' "$tmp/csv"
check 'JSON' $bench fib --size 4 --runs 1 --workers 1 --format json
cp "$tmp/out" "$tmp/json"
check 'JSON: seconds' grep -Eq '"serial_s": [0-9.e-]+, "median_s": [0-9.e-]+, ' "$tmp/json"

if [ -z "${TEST_EMULATOR-}" ]; then
    check 'a comparison' sh "$srcdir/bench/compare" WSFJ_BIND close none --rounds 2 fib --size 4 --workers 1,2
    cp "$tmp/out" "$tmp/compared"
    check 'a line for each number of workers' [ "$(grep -Ec '^fib +[12] +[^ ]+ +[^ ]+ +[0-9.]+$' "$tmp/compared")" -eq 2 ]
    check 'its times have units' timed "$tmp/compared" 3 4
    check 'a comparison of nothing' sh -c '! sh "$@"' sh "$srcdir/bench/compare" WSFJ_BIND close none --rounds 1 elephants
fi

check 'an unknown kernel' refuses 2 '^wsfj-bench: .*elephants' $bench elephants
check 'no runs' refuses 2 '^wsfj-bench: .*--runs' $bench --runs 0
check 'no such format' refuses 2 '^wsfj-bench: .*--format' $bench --format png
[ ! -w /dev/full ] || check 'a full disk' sh -c '"$@" >/dev/full 2>"$0" && exit 1; grep -q "cannot be written" "$0"' "$tmp/full" \
    $bench fib --size 4 --runs 1
finish
