#!/bin/sh
# SPDX-License-Identifier: MIT
# pages.sh - the experiments of doc/sim are true: each command of a page prints what the page says, each picture is the
# one that a command makes, and each number of the text stands in what a command has or prints. Runs in the build
# directory. Environment: as `simulate` says; LONG=1: also the commands of blocks that are marked `long`.
#
# A command is a line with `$ ` in a block ```console; it may go on after `\`. Blanks at ends of lines do not count. In
# the text 42 % may stand for 0.42, 1.3 ms for 1287654 (ns), and 10,000 for 10000; years do not count.
#
#     sh tests/sim/pages.sh few.md              # this page only
#     sh tests/sim/pages.sh write [PAGE...]     # runs the commands and writes what they print into the pages
#
# Catches: figures of another library or another workload than the present one; a picture that nobody has made; a number
# in an answer that no run has given.
. "${srcdir:-.}/tests/sim/simulate"
pages=$srcdir/doc/sim
for name in $(env | sed -n 's/^\(WSFJ_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
# Assertions and points of delay are in the library's code, and cost time.
if grep -Eq '^FEATURE_CPPFLAGS = .*WSFJ_(DEBUG|CHAOS)' Makefile; then
    exit 77
fi
mkdir "$tmp/bin" "$tmp/made"
ln -s "$PWD/wsfj-sim" "$tmp/bin/wsfj-sim"

# split PAGE: its commands, with what they should print, as $tmp/split/N.command and .expected; .long, if it is.
split() {
    rm -rf "$tmp/split"
    mkdir "$tmp/split"
    awk -v to="$tmp/split" '
        /^```console/ { inside = 1; long = $2 == "long"; file = ""; next }
        /^```/ { inside = 0 }
        !inside { next }
        /^\$ / {
            command = substr($0, 3)
            while (sub(/\\$/, "", command) && (getline line) > 0)
                command = command line
            file = sprintf("%s/%02d", to, ++n)
            print command >(file ".command")
            printf "" >(file ".expected")
            if (long)
                print "" >(file ".long")
            next
        }
        { sub(/ +$/, ""); print >(file ".expected") }' "$1"
}

# run N: what the command prints, both streams.
run() {
    (cd "$tmp/made" && PATH=$tmp/bin:$PATH sh "$tmp/split/$1.command" </dev/null 2>&1) | sed 's/ *$//' >"$tmp/split/$1.got"
}

# The numbers of the text that are in no block: prints them.
unknown() {
    awk '
        function numbers(text, list,    n) {
            gsub(/`[^`]*`/, " ", text)
            gsub(/\]\([^)]*\)/, " ", text)
            n = 0
            while (match(text, /[0-9]+(,[0-9][0-9][0-9])*(\.[0-9]+)?( (%|ns|us|ms))?/)) {
                list[++n] = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
            }
            return n
        }
        function is(value, factor, number, digits) {
            return sprintf("%.*f", digits, value * factor) == number
        }
        FNR == 1 { pass++ }
        /^```/ { inside = !inside && /console/; if (/^```$/) inside = 0; next }
        pass == 1 && inside {
            gsub(/[^0-9.]+/, " ")
            for (i = 1; i <= NF; i++)
                if ($i ~ /^[0-9]+(\.[0-9]+)?$/)
                    known[$i + 0]
                else {
                    n = split($i, parts, /\.\.+/)
                    for (j = 1; j <= n; j++)
                        known[parts[j] + 0]
                }
        }
        pass == 2 && !inside && !/^#/ {
            count = numbers($0, list)
            for (i = 1; i <= count; i++) {
                unit = list[i]; sub(/^[^ ]* ?/, "", unit)
                number = list[i]; sub(/ .*/, "", number); gsub(/,/, "", number)
                if (unit == "" && number ~ /^(19|20)[0-9][0-9]$/)
                    continue
                digits = number ~ /\./ ? length(number) - index(number, ".") : 0
                found = 0
                for (value in known)
                    found = found || is(value, 1, number, digits) || (unit == "%" && is(value, 100, number, digits)) ||
                        (unit == "us" && is(value, 1e-3, number, digits)) ||
                        (unit == "ms" && (is(value, 1e-6, number, digits) || is(value, 1e-3, number, digits)))
                if (!found)
                    print "line " FNR ": " list[i]
            }
        }' "$1" "$1"
}

# written PAGE: the page with what its commands have printed just now.
written() {
    awk -v from="$tmp/split" '
        /^```console/ { inside = 1 }
        /^```$/ { inside = 0 }
        !inside || /^```/ { print; next }
        /^\$ / {
            print
            line = $0
            while (line ~ /\\$/ && (getline line) > 0)
                print line
            file = sprintf("%s/%02d.got", from, ++n)
            while ((getline line < file) > 0)
                print line
        }' "$1"
}

if [ "${1:-}" = write ]; then
    shift
    [ $# -gt 0 ] || set -- "$pages"/*.md
    for name; do
        page=$pages/$(basename "$name")
        split "$page"
        for command in "$tmp"/split/*.command; do
            [ -e "$command" ] && run "$(basename "$command" .command)"
        done
        written "$page" >"$tmp/page"
        cp "$tmp/page" "$page"
        unknown "$page" | sed "s|^|$page: in no block: |"
    done
    cp "$tmp"/made/*.svg "$pages" 2>/dev/null
    exit 0
fi

all=$#
[ $# -gt 0 ] || set -- "$pages"/*.md
for page; do
    title=$(basename "$page")
    page=$pages/$title
    split "$page"
    for command in "$tmp"/split/*.command; do
        at=$(basename "$command" .command)
        [ -e "$command" ] || continue
        if [ -e "$tmp/split/$at.long" ] && [ -z "${LONG:-}" ]; then
            sed -n 's/.*--plot \([^ ]*\).*/\1/p' "$command" >>"$tmp/later"
            continue
        fi
        run "$at"
        check "$title: $(cat "$command")" diff "$tmp/split/$at.expected" "$tmp/split/$at.got"
    done
    unknown "$page" >"$tmp/unknown"
    check "$title: each number stands in a block" sh -c '! grep . "$1"' sh "$tmp/unknown"
    [ "$title" = README.md ] || check "$title is in the index" grep -q "($title)" "$pages/README.md"
done
[ $all -eq 0 ] || finish
for picture in "$pages"/*.svg; do
    title=$(basename "$picture")
    grep -qx "$title" "$tmp/later" 2>/dev/null || check "$title is what its command makes" cmp "$picture" "$tmp/made/$title"
    check "$title is on a page" grep -q "($title)" "$pages"/*.md
done
check 'there are pages' test "$n" -gt 20
finish
