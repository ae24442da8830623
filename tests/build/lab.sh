#!/bin/sh
# SPDX-License-Identifier: MIT
# lab.sh - the laboratory at a tiny size: every experiment runs, what must hold does, the tables are as the pages expect.
# Runs in the build directory. Environment: srcdir, CC, TEST_EMULATOR. Figures only where gnuplot is.
#
# Catches: an experiment that the library has outgrown, a task that is lost or runs twice, a table without a column or with a
# gap, a page whose table nobody writes, an experiment without a page or a plot.
srcdir=${srcdir:-.}
# shellcheck disable=SC2086
. "$srcdir/tests/build/checks"
for name in $(env | sed -n 's/^\(\(WSFJ\|OMP\|HWLOC\)_[A-Z_]*\)=.*/\1/p'); do
    case $name in WSFJ_CHAOS_*) ;; *) unset "$name" ;; esac
done
results=$tmp/results
lab="${TEST_EMULATOR-} ./wsfj-lab"

# refuses STATUS PATTERN COMMAND...
refuses() {
    status=$1 pattern=$2
    shift 2
    "$@" >"$tmp/shown" 2>&1
    [ $? -eq "$status" ] && grep -q "$pattern" "$tmp/shown" && return
    cat "$tmp/shown"
    return 1
}

# A table has lines, each with as many values as the first has names, and none of them is empty or no number's.
is_table() {
    awk -F, 'NR == 1 { n = NF }
        NF != n { print FILENAME ": line " NR " has " NF " values, not " n; bad = 1 }
        { for (i = 1; i <= NF; i++) if ($i == "" || $i ~ /^-?(nan|inf)$/) { print FILENAME ": " $0; bad = 1 } }
        END { if (NR < 2) { print FILENAME ": no lines"; bad = 1 } exit bad }' "$1"
}

# Each mark has something between it and its end.
is_filled() {
    awk '/^<!-- (table|findings|machine)/ { mark = $0; if ((getline) <= 0 || /^<!-- end/) { print mark; bad = 1 } }
        END { exit bad }' "$1"
}

check 'every experiment but the mistakes runs, and what must hold does' sh "$srcdir/bench/lab/run" "$results" \
    "$($lab --list | cut -c 1-2 | paste -sd ,)" quick
check 'the mistakes are seen as such' sh "$srcdir/bench/lab/run" "$results" 13 quick
for page in "$srcdir"/doc/lab/[0-9][0-9]-*.md; do
    which=$(basename "$page" .md)
    [ "$which" != 18-answers ] || continue
    check "$which: its table" is_table "$results/$which.csv"
    check "$which: its findings" test -s "$results/$which.findings"
    check "$which: its plot" test -f "$srcdir/bench/lab/plots/$which.gp"
    check "$which: its line in the list" grep -q "($which.md)" "$srcdir/doc/lab/README.md"
done
for which in $($lab --list | sed 's/ .*//'); do
    check "$which: its page" test -f "$srcdir/doc/lab/$which.md"
done
for table in "$results"/*-*-*.csv; do
    check "$(basename "$table")" is_table "$table"
done

# The pages, from these tables.
mkdir "$tmp/pages" && cp "$srcdir"/doc/lab/*.md "$tmp/pages" && chmod u+w "$tmp/pages"/*
sed -i '/^<!-- \(table\|findings\|machine\)/,/^<!-- end -->/{/^<!--/!d}' "$tmp/pages"/[0-9]*.md
check 'the pages are filled' sh "$srcdir/bench/lab/fill" "$results" "$tmp/pages"
for page in "$tmp/pages"/[0-9]*.md; do
    check "$(basename "$page"): nothing is empty" is_filled "$page"
done
cp "$tmp/pages/04-steal.md" "$tmp/once.md"
sh "$srcdir/bench/lab/fill" "$results" "$tmp/pages"
check 'filling twice changes nothing' cmp "$tmp/once.md" "$tmp/pages/04-steal.md"
sed -i 's/^<!-- table 04-steal/& no_such_column/' "$tmp/pages/04-steal.md"
check 'a column that is missing is named' refuses 1 'no column no_such_column' \
    sh "$srcdir/bench/lab/fill" "$results" "$tmp/pages"

check 'no such experiment' refuses 2 '99: no such experiment' $lab --out "$results" 99
check 'no such option' refuses 2 'Try wsfj-lab --help' $lab --elephants
check 'no such folder' refuses 2 '/nonexistent/lab' $lab --quick --out /nonexistent/lab 05
if command -v gnuplot >/dev/null; then
    check 'the figures are drawn' sh "$srcdir/bench/lab/plot" "$results" "$tmp"
    for plot in "$srcdir"/bench/lab/plots/[0-9]*.gp; do
        check "$(basename "$plot" .gp): a figure" grep -q '</svg>' "$tmp/$(basename "$plot" .gp).svg"
    done
else
    echo 'figures: skipped, there is no gnuplot here (Debian: gnuplot-nox)'
fi
finish
