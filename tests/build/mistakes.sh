#!/bin/sh
# SPDX-License-Identifier: MIT
# mistakes.sh - each mistake of tests/campaigns/mutation/mistakes still changes its file, and its programs are there: one that does
# not would be counted as noticed by nobody, but only by who runs make check-mutation. Environment: srcdir.
#
# Catches: a line of the library that has changed below a mistake; a test that was renamed.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

# changes SED-COMMAND: the file that this part of the list is about.
changes() {
    sed -e "$1" "$srcdir/$file" >"$tmp/changed" && ! cmp -s "$srcdir/$file" "$tmp/changed"
}

# there PROGRAM
there() {
    case $1 in
        make:*) grep -rqE "^${1#make:}:" "$srcdir/tests" --include=local.mk ;;
        *) test -e "$srcdir/$1.c" ;;
    esac
}

while IFS= read -r line; do
    case $line in
        '' | '#'*) ;;
        ' '*)
            name=$(echo "$line" | awk '{ print $1 }')
            check "$name changes $file" changes "$(printf '%s\n' "$line" | sed 's/^ *[^ ]* *//')"
            ;;
        *)
            file=${line%%:*}
            for program in ${line#*: }; do
                check "$program, which looks at $file, is there" there "$program"
            done
            ;;
    esac
done <"$srcdir/tests/campaigns/mutation/mistakes"
finish
