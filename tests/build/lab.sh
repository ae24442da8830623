#!/bin/sh
# SPDX-License-Identifier: MIT
# lab.sh - the laboratory at a tiny size: every experiment runs, its checks hold, the tables are as the pages expect.
# Runs in the build directory. Environment: srcdir, CC, TEST_EMULATOR; WSFJ_TEST_MATRIX=1 (make check-matrix), else it is
# skipped. Figures only where gnuplot is.
#
# Catches: an experiment that no longer fits the library; a lost task, or one that runs twice; a table without a column
# or with a gap; a page with a table that no experiment writes, with an empty table, with a broken link, or without a
# link in the list; an experiment without a plot, or without its one section in a page; a picture that no page shows; a
# simulated experiment whose page shows anything but what wsfj-sim prints.
# What figures.awk catches. The command line: lab-options.sh.
[ -n "${WSFJ_TEST_MATRIX-}" ] || {
    echo 'skipped: only with WSFJ_TEST_MATRIX=1'
    exit 77
}
srcdir=${srcdir:-.}
# shellcheck disable=SC2086
. "$srcdir/tests/build/checks"
for name in $(env | sed -n 's/^\(\(WSFJ\|OMP\|HWLOC\)_[A-Z_]*\)=.*/\1/p'); do
    case $name in WSFJ_CHAOS_*) ;; *) unset "$name" ;; esac
done
results=$tmp/results pages=$srcdir/doc/lab plots=$srcdir/bench/lab/plots
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

# A table has lines, each with as many values as the first line has names, and every value is a number.
is_table() {
    awk -F, 'NR == 1 { n = NF }
        NF != n { print FILENAME ": line " NR " has " NF " values, not " n; bad = 1 }
        { for (i = 1; i <= NF; i++) if ($i == "" || $i ~ /^-?(nan|inf)$/) { print FILENAME ": " $0; bad = 1 } }
        END { if (NR < 2) { print FILENAME ": no lines"; bad = 1 } exit bad }' "$1"
}

# is_filled PAGE LINES: each mark has text before its end; a table has that many lines, the first two being its head.
is_filled() {
    awk -v least="$2" '/^<!-- end/ { if (lines < (mark ~ /^<!-- table/ ? least : 1)) { print mark; bad = 1 } }
        { lines++ }
        /^<!-- (table|findings|machine|wsfj-sim)/ { mark = $0; lines = 0 }
        END { exit bad }' "$1"
}

# has_section NAME: a section "## N. ..." of one page has the experiment's command, its first table and its findings;
# its findings are nowhere else.
has_section() {
    number=$(echo "${1%%-*}" | sed 's/^0//')
    awk -v heading="^## $number\\\\. " -v command="make lab LAB=${1%%-*}" -v name="$1" '
        /^# |^## / { inside = $0 ~ heading; sections += inside }
        inside && index($0, "**Question**") { question = 1 }
        inside && index($0, "**What it shows.**") { answer = 1 }
        inside && index($0, command) { said = 1 }
        inside && /^<!-- table / && $3 == name { tables++ }
        /^<!-- findings / && $3 == name { if (inside) findings++; else strays++ }
        END {
            if (sections != 1) print sections + 0 " sections"
            if (!question) print "no question"
            if (!answer) print "nothing about what it shows"
            if (!said) print "no command"
            if (!tables) print "no table"
            if (findings != 1 || strays) print "its findings stand there " findings + strays " times"
            exit !(sections == 1 && question && answer && said && tables && findings == 1 && !strays)
        }' "$pages"/*.md
}

# is_simulated NUMBER: so is the section of an experiment that only wsfj-sim runs.
is_simulated() {
    awk -v heading="^## $1\\\\. " '
        /^# |^## / { inside = $0 ~ heading; sections += inside }
        inside && index($0, "**Question.**") { question = 1 }
        inside && index($0, "**What it shows.**") { answer = 1 }
        inside && /^<!-- wsfj-sim / { commands++ }
        END { exit !(sections == 1 && question && answer && commands) }' "$pages"/*.md
}

# The marks of a page name only files that the experiments wrote.
has_known_marks() {
    sed -n 's/^<!-- table \([^ ]*\).*/\1.csv/p; s/^<!-- findings \([^ ]*\).*/\1.findings/p' "$1" >"$tmp/marks"
    [ -s "$tmp/marks" ] || grep -q '^<!-- wsfj-sim ' "$1" || [ "$(basename "$1")" = README.md ] || return
    while read -r file; do
        [ -f "$results/$file" ] || { echo "$file"; return 1; }
    done <"$tmp/marks"
}

# The links of a page inside the lab, FILE, FILE#HEADING or #HEADING: file and heading exist.
has_good_links() {
    grep -o '](\([a-z0-9-]*\.[a-z]*\)\{0,1\}\(#[^)]*\)\{0,1\})' "$1" | sed 's/^](//; s/)$//' >"$tmp/links"
    while IFS='#' read -r file heading; do
        path=$pages/${file:-$(basename "$1")}
        [ -f "$path" ] || { echo "no $path"; return 1; }
        [ -z "$heading" ] || sed -n 's/^##* //p' "$path" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n-' | grep -qx -e "$heading" ||
            { echo "no $file#$heading"; return 1; }
    done <"$tmp/links"
}

check 'every experiment but the mistakes runs, and what must hold does' sh "$srcdir/bench/lab/run" "$results" \
    "$($lab --list | cut -c 1-2 | paste -sd ,)" quick
check 'the mistakes are seen as such' sh "$srcdir/bench/lab/run" "$results" 13 quick
experiments="$($lab --list | sed 's/ .*//') 13-mistakes"
for which in $experiments; do
    check "$which: its table" is_table "$results/$which.csv"
    check "$which: its findings" test -s "$results/$which.findings"
    check "$which: its plot" test -f "$plots/$which.gp"
    check "$which: its section" has_section "$which"
done
for number in 7 8 11 14 15 16; do
    check "$number: its section" is_simulated "$number"
done
for table in "$results"/*-*-*.csv; do
    check "$(basename "$table")" is_table "$table"
done

# The pages as they are.
for page in "$pages"/*.md; do
    which=$(basename "$page")
    check "$which: its marks" has_known_marks "$page"
    check "$which: its links" has_good_links "$page"
    check "$which: no table is empty" is_filled "$page" 3
    [ "$which" = README.md ] || check "$which: its link in the list" grep -q "^| .*($which)" "$pages/README.md"
done
for picture in "$pages"/*.svg; do
    check "$(basename "$picture"): units, room, colours" awk -f "$srcdir/tests/build/figures.awk" "$picture"
    check "$(basename "$picture"): a page shows it" grep -q "^!\[.*]($(basename "$picture"))" "$pages"/*.md
done
for plot in "$plots"/[0-9]*.gp; do
    check "$(basename "$plot"): its experiment" test -f "$results/$(basename "$plot" .gp).csv"
done

# The pages, filled from these tables.
mkdir "$tmp/none" "$tmp/pages" && cp "$pages"/*.md "$pages"/*.graph "$tmp/pages" && chmod u+w "$tmp/pages"/*
kinds='table\|findings\|machine'
if ./wsfj-sim --policy-list >/dev/null 2>&1; then
    kinds="$kinds\|wsfj-sim"
    check 'wsfj-sim prints what the pages show (else: make lab-pages)' sh -c '
        sh "$1/bench/lab/fill" "$2/none" "$2/pages" && for page in "$3"/*.md; do
            cmp "$page" "$2/pages/${page##*/}" || exit; done' sh "$srcdir" "$tmp" "$pages"
fi
sed -i "/^<!-- \($kinds\)/,/^<!-- end -->/{/^<!--/!d}" "$tmp/pages"/*.md
check 'the pages are filled' sh "$srcdir/bench/lab/fill" "$results" "$tmp/pages"
for page in "$tmp/pages"/*.md; do
    check "$(basename "$page"): nothing is empty" is_filled "$page" 2
done
cp -r "$tmp/pages" "$tmp/once"
sh "$srcdir/bench/lab/fill" "$results" "$tmp/pages"
check 'filling twice changes nothing' diff -r "$tmp/once" "$tmp/pages"
mkdir "$tmp/one" && cp "$results"/04-steal.* "$tmp/one"
sed -i 's/; load [0-9.]* at/; load 7.5 at/' "$tmp/one/04-steal.machine"
sed -i 's/\(04-steal (load \)[0-9.]*/\17.5/' "$tmp/once/steals.md"
check 'one experiment can be filled alone' sh "$srcdir/bench/lab/fill" "$tmp/one" "$tmp/pages"
check 'and all others stay' diff -r "$tmp/once" "$tmp/pages"

# spoil PATTERN SED: with this change to a page, filling it names what is wrong and leaves it as it is.
spoil() {
    sed "$2" "$tmp/once/steals.md" >"$tmp/pages/steals.md"
    cp "$tmp/pages/steals.md" "$tmp/spoilt.md"
    ! cmp -s "$tmp/once/steals.md" "$tmp/spoilt.md" &&
        refuses 1 "$1" sh "$srcdir/bench/lab/fill" "$results" "$tmp/pages" && cmp "$tmp/spoilt.md" "$tmp/pages/steals.md"
}
check 'a column that is missing is named' spoil 'no column no_such_column' 's/^<!-- table 04-steal [a-z_,]*/&,no_such_column/'
check 'so is one of a condition' spoil 'no column no_such_column' 's/^<!-- table 04-steal .* length=/&1 no_such_column=/'
check 'a mark without an end is named' spoil 'a mark without' '/^<!-- machine/,$ { /^<!-- end/d }'
check 'so is a mark of no kind' spoil 'no such mark' 's/^<!-- machine/<!-- machines/'

if command -v gnuplot >/dev/null; then
    check 'the figures are drawn' sh "$srcdir/bench/lab/plot" "$results" "$tmp"
    for plot in "$plots"/[0-9]*.gp; do
        figure=$tmp/$(basename "$plot" .gp).svg
        check "$(basename "$plot" .gp): a figure" grep -q '</svg>' "$figure"
        check "$(basename "$plot" .gp): units, room, colours" awk -f "$srcdir/tests/build/figures.awk" "$figure"
    done
    mkdir "$tmp/shown-only"
    check 'the figures that pages show are drawn' sh "$srcdir/bench/lab/plot" "$results" "$tmp/shown-only" "$pages"
    check 'and no others' sh -c "ls '$tmp/shown-only' | sort >'$tmp/drawn' && (cd '$pages' && ls *.svg) | sort | cmp - '$tmp/drawn'"
else
    echo 'figures: skipped, there is no gnuplot here (Debian: gnuplot-nox)'
fi
finish
