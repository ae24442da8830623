#!/bin/sh
# SPDX-License-Identifier: MIT
# mistakes.sh - each mistake of make check-mutation still changes its file and has a name of its own, its programs exist,
# and each source file of the library has a mistake, or a reason why it has none. Otherwise make check-mutation would
# count a mistake as unnoticed, or leave a file out. The mistakes of make check-race still change their files, too.
# Environment: srcdir.
#
# Catches: a mistake whose line has changed in the library or in wsfj-race; a test that was renamed; a new file without a
# mistake.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

# changes SED-COMMAND: it changes the file of this part of the list.
changes() {
    sed -e "$1" "$srcdir/$file" >"$tmp/changed" && ! cmp -s "$srcdir/$file" "$tmp/changed"
}

# exists PROGRAM
exists() {
    case $1 in
        *.sh) test -e "$srcdir/$1" ;;
        *) test -e "$srcdir/$1.c" ;;
    esac
}

# has_mistake FILE: or a reason.
has_mistake() {
    grep -Eq "^(# )?$1: " $lists
}

lists="$srcdir/tests/campaigns/mutation/mistakes $srcdir/tests/campaigns/mutation/by_rule"
cat $lists >"$tmp/all"
while IFS= read -r line; do
    case $line in
        '' | '#'*) ;;
        ' '*)
            line=${line#"${line%%[! ]*}"}
            name=${line%% *}
            check "$name changes $file" changes "${line#"$name"}"
            ;;
        *)
            file=${line%%:*}
            for program in ${line#*: }; do
                check "$program, which tests $file, exists" exists "$program"
            done
            ;;
    esac
done <"$tmp/all"
check 'no two mistakes have the same name' test -z "$(sed -n 's/^ *\([^ #][^ ]*\) .*/\1/p' "$tmp/all" | grep -v ':$' | sort | uniq -d)"
# The lists of make check-race: a file of tools/race, a bar and a sed command.
for list in mistakes schedule_mistakes; do
    sed -n "/^done <<'END'/,/^END/{/|/p;}" "$srcdir/tests/race/$list.sh" >"$tmp/race"
    check "tests/race/$list.sh has a list" test -s "$tmp/race"
    while IFS='|' read -r file command; do
        file=tools/race/$file
        check "$command changes $file" changes "$command"
    done <"$tmp/race"
done
for file in "$srcdir"/lib/*/*.c; do
    check "${file#"$srcdir"/} has a mistake" has_mistake "${file#"$srcdir"/}"
done
finish
