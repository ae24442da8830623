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

# "PAGE TARGET FILE HEADING LOST": what the pages whose names it reads link to, outside of code, from the folder $1. HEADING, if the
# link has one, and LOST, if FILE has no such heading in the form that GitHub makes of them; otherwise -.
links() {
    awk -v folder="$1" '
        function read_headings(file,    line, text, inside) {
            if (file in is_read)
                return
            is_read[file]
            while ((getline line <file) > 0) {
                if (line ~ /^```/)
                    inside = !inside
                else if (!inside && sub(/^##* /, "", line)) {
                    while (match(line, /\[[^\]]*\]\([^)]*\)/)) {
                        text = substr(line, RSTART + 1, RLENGTH - 1)
                        sub(/\].*/, "", text)
                        line = substr(line, 1, RSTART - 1) text substr(line, RSTART + RLENGTH)
                    }
                    line = tolower(line)
                    gsub(/ /, "-", line)
                    gsub(/[^a-z0-9_-]/, "", line)
                    headings[file, line]
                }
            }
            close(file)
        }
        {
            page = at = folder "/" $0
            read_headings(page) # first: below, awk has the page open under this name
            sub(/\/[^\/]*$/, "", at)
            inside = 0
            while ((getline line <page) > 0) {
                if (line ~ /^ *```/) {
                    inside = !inside
                    continue
                }
                if (inside)
                    continue
                gsub(/`[^`]*`/, "", line)
                while (match(line, /\]\([^()]*\)/)) {
                    file = substr(line, RSTART + 2, RLENGTH - 3)
                    line = substr(line, RSTART + RLENGTH)
                    if (file ~ /^[a-z]*:/)
                        continue
                    heading = "-"
                    if (sharp = index(file, "#")) {
                        heading = substr(file, sharp + 1)
                        file = substr(file, 1, sharp - 1)
                    }
                    target = file == "" ? page : at "/" file
                    lost = "-"
                    if (heading != "-") {
                        read_headings(target)
                        if (!((target, heading) in headings))
                            lost = "lost"
                    }
                    print $0, target, file == "" ? "-" : file, heading, lost
                }
            }
            close(page)
        }'
}

# Of these lines those that lead nowhere, as "PAGE: what is missing".
lost() {
    while read -r page target file heading lost; do
        if [ ! -e "$target" ]; then
            echo "$page: no $file"
        elif [ "$lost" = lost ]; then
            echo "$page: no heading $heading in ${file#-}"
        fi
    done
}

none() {
    ! grep "$1" "$tmp/lost"
}

# all_lead FOLDER: one check for each page below it; sets pages and count.
all_lead() {
    (cd "$1" && find . -name '*.md' ! -path './build*' ! -path './libwsfj-*' | LC_ALL=C sort) >"$tmp/pages"
    links "$1" <"$tmp/pages" >"$tmp/links"
    lost <"$tmp/links" >"$tmp/lost"
    pages=$(wc -l <"$tmp/pages") count=$(wc -l <"$tmp/links")
    for page in $(cat "$tmp/pages"); do
        check "$page" none "^$page: "
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
header=$(echo README.md | links "$docdir" | awk '$3 ~ /\/wsfj\.h$/ { print $3 }')
check 'the README leads to the installed header' cmp "$srcdir/include/wsfj.h" "$docdir/$header"
header=$(echo tuning.md | links "$docdir/doc" | awk '$3 ~ /\/wsfj\.h$/ { print $3; exit }')
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
