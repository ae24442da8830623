#!/bin/sh
# SPDX-License-Identifier: MIT
# format.sh - each C file is laid out as clang-format does it with .clang-format. Formats nothing. Another major version of
# clang-format has other ideas, so the check is then skipped. Environment: srcdir; CLANG_FORMAT (clang-format).
#
# Catches: a file that was not formatted, by name. To format it: clang-format -i FILE.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
wanted=14 # Debian 12
format=${CLANG_FORMAT:-clang-format}

version=$($format --version 2>/dev/null | sed -n 's/.*clang-format version \([0-9]*\).*/\1/p')
if [ "$version" != $wanted ]; then
    echo "skipped: clang-format is ${version:-missing}, not $wanted (Debian 12: clang-format)"
    exit 77
fi

# tools/view/page.c is made of the page.
files() {
    (cd "$srcdir" && find lib include bench tools tests examples \( -name '*.[ch]' -o -name '*.cc' -o -name '*.hpp' \) ! -path tools/view/page.c | LC_ALL=C sort)
}

# formatted FILE...: names those that are not.
formatted() (
    cd "$srcdir" && ! "$format" --dry-run --Werror "$@" 2>&1 |
        sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: .*clang-format.*/\1/p' | LC_ALL=C sort -u | grep .
)

# One check for each folder.
for folder in $(files | sed 's|/[^/]*$||' | sort -u); do
    # shellcheck disable=SC2046
    check "$folder is formatted" formatted $(files | grep "^$folder/[^/]*\$")
done
finish
