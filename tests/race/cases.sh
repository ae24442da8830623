#!/bin/sh
# SPDX-License-Identifier: MIT
# cases.sh - each pair of cases*.c, with and without its race: the one is found, with its title, at its lines, with exit
# status 66; in the other nothing is. Environment: CC, RACE_COMPILERS (default: CC), RACE_LEVELS (default: -O2; a blank
# inside of one is `\ `). A compiler that is not there is left out, with a line.
#
# Catches: accesses that a compiler hides from the detector or that it does not understand; wrong words, wrong lines.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/race/compiled"

# What a compiler does not tell (doc/races.md).
untold() {
    case $compiler:$1 in *clang*:long_double) return 0 ;; esac
    return 1
}

clean() {
    "$tmp/program" "$1" clean >"$tmp/report" 2>&1 && grep -q '^wsfj-race: 0 races$' "$tmp/report" && return
    cat "$tmp/report"
    return 1
}

# found NAME TITLE: the race, and no line that is not the pair's.
found() {
    "$tmp/program" "$1" bug >"$tmp/report" 2>&1
    status=$?
    cat "$tmp/report"
    [ $status -eq 66 ] && grep -q "^wsfj-race: race [0-9]*: $2" "$tmp/report" || return
    for line in $(sed -n 's/^  \(earlier\|later\) .*:\([0-9]*\)$/\2/p' "$tmp/report" | sort -u); do
        sed -n "${line}p" "$srcdir/tests/race/$source.c" | grep -q "/\*.*\<$1\>.*\*/" || {
            echo "line $line is not marked with $1"
            return 1
        }
    done
}

for compiler in ${RACE_COMPILERS:-$CC}; do
    command -v "$compiler" >"$tmp/out" || {
        echo "$compiler is not there"
        continue
    }
    printf '%s\n' "${RACE_LEVELS:--O2}" | sed 's/\\ /@/g; s/ /\n/g' | sed 's/@/ /g' >"$tmp/levels"
    while read -r level; do
        for source in cases cases_memory cases_sync; do
            # shellcheck disable=SC2086
            check "$source.c with $compiler $level" "$race" "$compiler" $level "$srcdir/tests/race/$source.c" -o "$tmp/program" \
                -lpthread
            "$tmp/program" >"$tmp/pairs" 2>"$tmp/out"
            while read -r pair title; do
                check "$compiler $level: clean $pair" clean "$pair"
                untold "$pair" || check "$compiler $level: race $pair" found "$pair" "$title"
            done <"$tmp/pairs"
        done
    done <"$tmp/levels"
done
finish
