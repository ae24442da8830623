#!/bin/sh
# SPDX-License-Identifier: MIT
# manual-pages.sh - the manual pages are well formed and lead on: man and mandoc have no complaint, each example compiles
# without a warning and prints what the line above it says, each reference leads to a page or file, and `man NAME` finds
# the page of each function once they are installed. Runs in the build directory. Environment: srcdir, CC,
# SANITIZER_FLAGS, TEST_EMULATOR, with_simulator, LIBRARY_LIBS.
#
# Catches: a page that renders badly; an example that does not compile or prints something else, or that man shows in another
# way, without a backslash; a page that moved; a function that man does not find.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
man=$srcdir/doc/man
unset WSFJ_NUM_WORKERS MANPATH

# The examples: PAGE-N.c and what it prints.
extract() {
    awk -v to="$tmp/$(basename "$1" .scd)" '
        /^; prints:/ { said = substr($0, 11); next }
        /^```/ && inside { inside = 0; if (text ~ /main\([^;]*\n\{/) {
            n++; file = sprintf("%s-%d", to, n)
            printf "%s", text >(file ".c"); close(file ".c")
            if (said != "") print said >(file ".out"); else printf "" >(file ".out") }
            said = ""; next }
        /^```/ { inside = 1; text = ""; next }
        inside { gsub(/\\\\/, "\\"); text = text $0 "\n" }' "$1" # scdoc has \\ for a backslash
}
# runs SOURCE LIBRARIES... -- ARGUMENTS...
runs() {
    source=$1
    shift
    libraries=
    while [ "$1" != -- ]; do
        libraries="$libraries $1"
        shift
    done
    shift
    # shellcheck disable=SC2086
    $CC -std=gnu11 ${SANITIZER_FLAGS-} -O2 -Wall -Wextra -Wpedantic -Werror "-I$srcdir/include" -c -o "$tmp/o.o" "$source" &&
        link_program $CC ${SANITIZER_FLAGS-} -o "$tmp/run" "$tmp/o.o" $libraries || return
    for workers in 1 4; do
        WSFJ_NUM_WORKERS=$workers timeout 60 ${TEST_EMULATOR-} "$tmp/run" "$@" >"$tmp/printed" || return
        diff "${source%.c}.out" "$tmp/printed" || return
    done
}
for page in "$man"/*.scd; do
    extract "$page"
done
for page in "$man"/wsfj.7.scd "$man"/*.3.scd; do
    base=$(basename "$page" .scd)
    check "$base has one example" [ "$(find "$tmp" -name "$base-*.c" | wc -l)" -eq 1 ]
    case $base in
        wsfj-sim.3)
            if [ -f libwsfj-sim.a ]; then
                # shellcheck disable=SC2086
                check "$base: its example" runs "$tmp/$base-1.c" libwsfj-sim.a ${LIBRARY_LIBS--lhwloc} -lm -- --workers 8 --quiet
            else
                echo 'skipped: wsfj-sim is not built'
            fi ;;
        *) check "$base: its example" runs "$tmp/$base-1.c" libwsfj.la -- ;;
    esac
done
check 'there are examples' [ "$(find "$tmp" -name '*.[37]-1.c' | wc -l)" -ge 15 ]

# References: bold NAME(SECTION) and paths of the documentation.
names() {
    awk '/^# / { inside = $2 == "NAME"; next } inside { text = text " " $0 }
        END { sub(/ - .*/, "", text); gsub(/[, ]+/, "\n", text); print text }' "$1" | grep .
}
for page in "$man"/*.scd; do
    file=$(basename "$page" .scd)
    echo "${file%.*}(${file##*.})"
    names "$page" | sed "s/\$/(${file##*.})/"
done | sort -u >"$tmp/known"
references() {
    grep -ohE '\*[a-zA-Z0-9_-]+\*\([1-8]\)' "$1" | tr -d '*' | grep -iE '^(ws|sim_)' | sort -u | comm -23 - "$tmp/known" >"$tmp/lost"
    grep -ohE '\b(doc|examples)/[a-z/-]+\.md' "$1" | while read -r path; do
        [ -f "$srcdir/$path" ] || echo "$path"
    done >>"$tmp/lost"
    cat "$tmp/lost"
    [ ! -s "$tmp/lost" ]
}
for page in "$man"/*.scd; do
    check "$(basename "$page" .scd): its references" references "$page"
    check "$(basename "$page" .scd) is in the tarball" grep -qw "doc/man/$(basename "$page" .scd)" "$man/local.mk"
done
check 'there are references' [ "$(grep -ohE '\*[a-z_]+\*\(3\)' "$man"/*.scd | wc -l)" -gt 50 ]

# What the pages look like. Here or in the sources, if they come from a tarball.
pages=$(for page in "$man"/*.scd; do
    file=doc/man/$(basename "$page" .scd)
    for at in "$file" "$srcdir/$file"; do
        [ -f "$at" ] && echo "$at" && break
    done
done)
if [ -z "$pages" ]; then
    echo 'skipped: there are no pages, since scdoc is missing'
    finish
fi
quiet() {
    "$@" >"$tmp/said" 2>&1 && [ ! -s "$tmp/said" ] && return
    cat "$tmp/said"
    return 1
}
rendered() {
    LC_ALL=C.UTF-8 MANWIDTH=80 quiet sh -c 'man --warnings -E UTF-8 -l -Tutf8 -Z "$1" >/dev/null' - "$1"
}
# Each line of the page's example, but for its indentation, one after the other.
shows_example() {
    LC_ALL=C.UTF-8 MANWIDTH=160 man -E UTF-8 -l "$1" >"$tmp/shown"
    awk '{ sub(/^ +/, "") }
        FNR == NR { want[++n] = $0; next }
        i < n { if ($0 != want[i + 1]) i = 0; if ($0 == want[i + 1] && ++i > most) most = i }
        END { if (i < n) { print "not there: " want[most + 1]; exit 1 } }' "$tmp/$(basename "$1")-1.c" "$tmp/shown"
}
if command -v mandoc >/dev/null; then
    for page in $pages; do
        check "mandoc -T lint $page" quiet mandoc -T lint "$page"
    done
else
    echo 'skipped: there is no mandoc'
fi
if man --help 2>/dev/null | grep -q -- --warnings; then
    for page in $pages; do
        check "man --warnings $page" rendered "$page"
        [ ! -f "$tmp/$(basename "$page")-1.c" ] || check "man shows the example of $page" shows_example "$page"
    done
else
    echo 'skipped: there is no man of man-db'
fi

# An installation.
quietly() {
    env -u MAKEFLAGS -u MFLAGS make "$@" DESTDIR="$tmp/root" >"$tmp/make" 2>&1 || {
        tail -n 5 "$tmp/make"
        return 1
    }
}
check 'make install' quietly install-data
mandir=$(find "$tmp/root" -type d -name man3 | sed 's|/man3$||')
check 'one folder of pages' test -d "$mandir/man7"
# Each name of a page leads to that page.
found() {
    section=${1##*.}
    # shellcheck disable=SC2046
    LC_ALL=C.UTF-8 man -M "$mandir" -w "$section" $(names "$srcdir/doc/man/$1.scd") >"$tmp/where" 2>&1 || { cat "$tmp/where"; return 1; }
    [ "$(sort -u "$tmp/where")" = "$mandir/man$section/$1" ] || { cat "$tmp/where"; return 1; }
    LC_ALL=C.UTF-8 MANWIDTH=80 man -M "$mandir" "$section" "$(names "$srcdir/doc/man/$1.scd" | tail -n 1)" 2>&1 |
        head -n 1 | grep -qi "^${1%.*}($section)"
}
if command -v man >/dev/null; then
    for page in "$mandir"/man[137]/wsfj[.-]*[137]; do
        check "man finds $(basename "$page")" found "$(basename "$page")"
    done
fi
check 'all pages are installed' [ "$(find "$mandir" -name 'wsfj*' | wc -l)" -ge 17 ]
check 'their links, too' [ "$(find "$mandir" -name 'ws_*.3' | wc -l)" -ge 45 ]
finish
