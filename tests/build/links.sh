#!/bin/sh
# SPDX-License-Identifier: MIT
# links.sh - each relative link of each .md file leads to a file or folder, and to a heading if it names one: in the
# sources and in an installation, which `make uninstall` takes away again. Runs in the build directory. Environment:
# srcdir.
#
# Catches: a page that has moved or is not installed; a heading that has another name; a file that stays.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"

# The headings of a page as GitHub makes them into names.
headings() {
    sed -n '/^```/,/^```/d; s/^##* //p' "$1" | sed 's/\[\([^]]*\)\]([^)]*)/\1/g' | tr 'A-Z ' 'a-z-' |
        tr -cd 'a-z0-9_\n-'
}

# "LINK" lines: what a page links to, outside of code.
links() {
    sed '/^ *```/,/^ *```/d; s/`[^`]*`//g' "$1" | grep -o '](\([^()]*\))' | sed 's/^](//; s/)$//' | grep -v '^[a-z]*:'
}

# leads PAGE: names the links that lead nowhere.
leads() {
    links "$1" >"$tmp/links"
    status=0
    while IFS='#' read -r file heading; do
        target=$(dirname "$1")/$file
        [ -n "$file" ] || target=$1
        if [ ! -e "$target" ]; then
            echo "no $file"
            status=1
        elif [ -n "$heading" ] && ! headings "$target" | grep -qx -e "$heading"; then
            echo "no heading $heading in $file"
            status=1
        fi
    done <"$tmp/links"
    return $status
}

# all_lead FOLDER: one check for each page below it; sets pages and count.
all_lead() {
    pages=0 count=0
    for page in $(cd "$1" && find . -name '*.md' ! -path './build*' ! -path './libwsfj-*' | LC_ALL=C sort); do
        check "$page" leads "$1/$page"
        pages=$((pages + 1)) count=$((count + $(links "$1/$page" | wc -l)))
    done
}

all_lead "$srcdir"
check "the sources: $count links in $pages pages" [ $((count >= 140 && pages >= 50)) = 1 ]

quietly() {
    env -u MAKEFLAGS -u MFLAGS make "$@" DESTDIR="$tmp/root" >"$tmp/make" 2>&1 || {
        tail -n 5 "$tmp/make"
        return 1
    }
}
check 'make install' quietly install
readme=$(find "$tmp/root" -name README.md ! -path '*/examples/*' ! -path '*/doc/lab/*' ! -path '*/doc/sim/*')
check 'there is one README' test -f "$readme"
docdir=$(dirname "$readme")
all_lead "$docdir"
check "the installation: $count links in $pages pages" [ $((count >= 80 && pages >= 30)) = 1 ]
header=$(links "$readme" | grep '/wsfj.h$')
check 'the README leads to the installed header' cmp "$srcdir/include/wsfj.h" "$docdir/$header"
header=$(links "$docdir/doc/tuning.md" | grep -m 1 '/wsfj.h$')
check 'a page in a folder, too' cmp "$srcdir/include/wsfj.h" "$docdir/doc/$header"
check 'what is not installed is named, without a link' grep -q 'the code (lib/README.md)' "$readme"
# Without brackets, links and what stands in their places, both are the same text.
plain() {
    sed 's/!*\[\([^]]*\)\]([^)]*)/\1/g; s/ *([a-z/]*[A-Za-z/]*\(\.md\)*)//g' "$1"
}
plain "$srcdir/README.md" >"$tmp/plain"
plain "$readme" >"$tmp/installed"
check 'nothing else is changed' diff "$tmp/plain" "$tmp/installed"
for file in CHANGELOG.md LICENSE doc/pictures/mergesort.svg doc/from/cilk.md examples/two_files/main.c; do
    check "$file is installed" test -s "$docdir/$file"
done
check 'no machinery' [ -z "$(find "$docdir" -name '*.mk' -o -name install -o -name draw)" ]
check 'all can read it' [ -z "$(find "$docdir" -type f ! -perm 644)" ]
check 'twice' quietly install
[ -n "${TEST_EMULATOR-}" ] || check 'each program has --help and --version' quietly installcheck-binPROGRAMS installcheck-pkglibexecPROGRAMS
check 'make uninstall' quietly uninstall
find "$tmp/root" ! -type d >"$tmp/left"
check 'nothing is left' diff /dev/null "$tmp/left"
check 'no folder of documents, either' [ ! -d "$docdir/doc" ]
finish
