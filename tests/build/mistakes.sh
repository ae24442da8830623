#!/bin/sh
# SPDX-License-Identifier: MIT
# mistakes.sh - each mistake of make check-mutation is possible: the function has this place, the sed command changes its
# file, names are unique, the programs exist, and each source file has programs or a reason why it has no mistakes. The
# mistakes of make check-race still change their files, too. Environment: srcdir; MUTATE, the program.
#
# Catches: a function that is gone, or has fewer places; a line that has changed in the library or in wsfj-race; a test that
# was renamed; a new file whose functions would have no mistakes.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
mutate="${TEST_EMULATOR:-} $(cd "$(dirname "${MUTATE:-tests/campaigns/mutation/mutate}")" && pwd)/mutate"
lists=$(cd "$srcdir/tests/campaigns/mutation" && pwd)

# chosen [proposed]: in srcdir; says on stderr what cannot be found.
chosen() {
    (cd "$srcdir" && sh "$lists/chosen" "$mutate" "$@")
}

possible() {
    chosen >"$tmp/all"
}

# changes FILE SED-COMMAND
changes() {
    sed -e "$2" "$srcdir/$1" >"$tmp/changed" && ! cmp -s "$srcdir/$1" "$tmp/changed"
}

# exists PROGRAM
exists() {
    case $1 in
        *.sh) test -e "$srcdir/$1" ;;
        *) test -e "$srcdir/$1.c" ;;
    esac
}

# has_mistakes LABEL: programs that look for them, or a reason; a label may leave out folders.
has_mistakes() {
    label=$1
    while ! grep -Eq "^(# )?$label: " "$lists/by_rule"; do
        case $label in */*) label=${label#*/} ;; *) return 1 ;; esac
    done
}

check 'all mistakes are possible' possible
check 'there are mistakes' test -s "$tmp/all"
check 'functions without mistakes have proposals' test "$(chosen proposed 2>/dev/null | wc -l)" -gt "$(wc -l <"$tmp/all")"
grep -v '	$' "$tmp/all" >"$tmp/by_sed"
while IFS='	' read -r file _ name _ _ command; do
    check "$name changes $file" changes "$file" "$command"
done <"$tmp/by_sed"
for program in $(sed -n 's/^[^ #][^ ]*: //p' "$lists/by_rule" | tr ' ' '\n' | sort -u); do
    check "$program exists" exists "$program"
done
# The lists of make check-race: a file of tools/race, a bar and a sed command.
for list in mistakes schedule_mistakes; do
    sed -n "/^done <<'END'/,/^END/{/|/p;}" "$srcdir/tests/race/$list.sh" >"$tmp/race"
    check "tests/race/$list.sh has a list" test -s "$tmp/race"
    while IFS='|' read -r file command; do
        check "$command changes tools/race/$file" changes "tools/race/$file" "$command"
    done <"$tmp/race"
done
# Those of libwsfj-mpi are in tests/mpi.
for file in $(ls "$srcdir"/lib/*/*.c | grep -v /lib/mpi/); do
    check "${file#"$srcdir"/} has mistakes" has_mistakes "${file#"$srcdir"/}"
done
finish
