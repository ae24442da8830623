#!/bin/sh
# SPDX-License-Identifier: MIT
# cost.sh [ROUNDS] - what the detector costs: a table of kernels, as elisions and under wsfj-race, with the least time of
# ROUNDS runs each (default: 5), by turns, and the memory. With valgrind, also the ratio of instructions, at small sizes, which
# other programs on the machine do not change. No test: it prints figures. Environment: CC. Runs in the build directory.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/race/compiled"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
kernels=
for kernel in fib mergesort matmul cilksort heat; do
    kernels="$kernels $srcdir/bench/kernels/$kernel.c"
done
# shellcheck disable=SC2086
set -- "${1:-5}" -O2 -w -I"$srcdir/bench" -iquote "$srcdir/bench" $kernels "$srcdir/tests/race/cost.c" -lm
rounds=$1
shift
${CC:-gcc} -DWSFJ_SERIAL -I"$srcdir/include" "$@" -o "$tmp/elision"
"$race" "${CC:-gcc}" "$@" -o "$tmp/raced"

# instructions PROGRAM KERNEL SMALL LARGE: how many more the larger size takes, so that the start does not count.
instructions() {
    program=$1 kernel=$2
    shift 2
    for size; do
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$kernel" "$size" 2>&1 |
            sed -n 's/,//g; s/.*refs: *//p'
    done | awk '{ n = $1 - n } END { print n }'
}

echo '| kernel | size | elision | wsfj-race | times as long | times the memory | times the instructions |'
echo '|---|---|---|---|---|---|---|'
while read -r kernel size small large; do
    i=0
    while [ $i -lt "$rounds" ]; do
        echo "elision $("$tmp/elision" "$kernel" "$size")"
        echo "raced $("$tmp/raced" "$kernel" "$size" 2>/dev/null)"
        i=$((i + 1))
    done >"$tmp/runs"
    ratio=-
    if command -v valgrind >/dev/null; then
        ratio=$(echo "$(instructions "$tmp/raced" "$kernel" "$small" "$large")" \
            "$(instructions "$tmp/elision" "$kernel" "$small" "$large")" | awk '{ printf "%.1f", $1 / $2 }')
    fi
    awk -v name="$kernel" -v size="$size" -v ratio="$ratio" '
        !($1 in least) || $2 < least[$1] { least[$1] = $2 }
        { memory[$1] = $3 }
        END {
            printf "| %s | %s | %.3f s, %.1f MB | %.3f s, %.1f MB | %.1f | %.1f | %s |\n", name, size, least["elision"],
                memory["elision"] / 1024, least["raced"], memory["raced"] / 1024, least["raced"] / least["elision"],
                memory["raced"] / memory["elision"], ratio
        }' "$tmp/runs"
done <<'END'
fib 39 18 21
mergesort 2000000 20000 40000
matmul 512 64 128
cilksort 2000000 20000 40000
heat 512 32 64
END
