#!/bin/sh
# SPDX-License-Identifier: MIT
# width.sh - prose of the pages is wrapped: no line of a .md file has more than 132 columns, outside of code, tables, pictures,
# comments and what the lab writes (from `<!-- machine -->` to `<!-- end -->`). Needs git, for the list of pages.
# Environment: srcdir.
#
# Catches: a rewrapping that was left unfinished, after which no two lines of a paragraph are alike.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"

# too_wide FILE...: "FILE:LINE: COLUMNS" of each line that is. Bytes of a character after its first have no column.
too_wide() {
    LC_ALL=C awk '
        FNR == 1 { code = made = comment = 0 }
        /^ *```/ { code = !code; next }
        /^<!-- machine -->/ { made = 1 }
        /^<!-- end -->/ { made = 0 }
        /^<!--/ { comment = 1 }
        comment { comment = !/-->/; next }
        code || made || /^ *\|/ || /^!\[/ { next }
        { text = $0; gsub(/[\200-\277]/, "", text) }
        length(text) > 132 { print FILENAME ":" FNR ": " length(text) " columns" }' "$@"
}

pages=$(git -C "$srcdir" ls-files '*.md' 2>/dev/null) || pages=
if [ -z "$pages" ]; then
    echo 'skipped: there is no git checkout'
    exit 77
fi
none_too_wide() {
    # shellcheck disable=SC2086
    (cd "$srcdir" && too_wide $pages) >"$tmp/wide" && [ ! -s "$tmp/wide" ] && return
    cat "$tmp/wide"
    return 1
}
check 'each line of prose has at most 132 columns' none_too_wide

# Each rule of the list above, seen at work.
wide=$(printf '%0140d' 0)
printf '%s\n' "$wide" '```' "$wide" '```' "| $wide |" "![$wide](x)" '<!-- a' "$wide" '-->' '<!-- machine -->' "$wide" '<!-- end -->' \
    "$(printf '%0132d' 0)" "$(printf '%0131d' 0)$(printf '\303\244')" "- $wide" >"$tmp/page"
only_two() {
    [ "$(too_wide "$tmp/page" | cut -d : -f 2 | tr '\n' ' ')" = '1 15 ' ]
}
check 'code, tables, pictures, comments and what the lab writes may be wider' only_two
finish
