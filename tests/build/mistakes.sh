#!/bin/sh
# SPDX-License-Identifier: MIT
# mistakes.sh - each mistake of tests/campaigns/mutation/mistakes still changes its file, and its programs exist.
# Otherwise make check-mutation would count the mistake as unnoticed. Environment: srcdir.
#
# Catches: a mistake whose line of the library has changed; a test that was renamed.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

# changes SED-COMMAND: it changes the file of this part of the list.
changes() {
    sed -e "$1" "$srcdir/$file" >"$tmp/changed" && ! cmp -s "$srcdir/$file" "$tmp/changed"
}

# exists PROGRAM
exists() {
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
                check "$program, which tests $file, exists" exists "$program"
            done
            ;;
    esac
done <"$srcdir/tests/campaigns/mutation/mistakes"
finish
