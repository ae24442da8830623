#!/bin/sh
# SPDX-License-Identifier: MIT
# reference.sh - `make html` makes a page of each manual page, whose references are links, and a reference of the
# interface without a warning of Doxygen, which opens with README's example. Runs in the build directory. Environment:
# srcdir.
#
# Catches: a comment of a header that Doxygen does not understand, a public name without a comment, a name of the manual
# that the reference does not have, a link that leads nowhere.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
for tool in doxygen mandoc; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
if [ ! -f doc/man/wsfj.7 ] && [ ! -f "$srcdir/doc/man/wsfj.7" ]; then
    echo 'skipped: there are no pages, since scdoc is missing'
    exit 77
fi

quietly() {
    env -u MAKEFLAGS -u MFLAGS make "$@" >"$tmp/make" 2>&1 || {
        grep -E 'warning|error|make html' "$tmp/make" | head -n 20
        return 1
    }
}
check 'make html' quietly html
for page in "$srcdir"/doc/man/wsfj-[i-t]*.scd "$srcdir"/doc/man/wsfj*.7.scd; do
    name=$(basename "$page" .scd)
    [ "${name#wsfj-sim}" = "$name" ] || continue
    check "$name" grep -q '<h1 ' "html/$name.html"
    check "$name is in the index" grep -q "href=\"$name.html\"" html/index.html
done

# The local links of the pages lead to files.
leads() {
    sed 's/href="/\n&/g' html/*.html | sed -n 's/^href="\([^"#]*\)[#"].*/\1/p' | grep -v '^[a-z]*:' | sort -u >"$tmp/links"
    while read -r link; do
        [ -z "$link" ] || [ -f "html/$link" ] || { echo "$link"; return 1; }
    done <"$tmp/links"
    [ "$(wc -l <"$tmp/links")" -gt 15 ]
}
check 'links lead to pages' leads
check 'a function is a link to its page' grep -q '<a href="wsfj-run.3.html"><b>ws_run</b>(3)</a>' html/wsfj-init.3.html

# The reference: its first page has README's example, line by line.
sed -e 's/<[^>]*>//g' -e 's/&lt;/</g' -e 's/&gt;/>/g' -e 's/&quot;/"/g' -e "s/&#39;/'/g" -e 's/&amp;/\&/g' \
    html/api/index.html | tr -s ' ' | sed 's/^ //; s/ $//' >"$tmp/first"
awk '/^```c$/ { inside = 1; next } inside && /^```$/ { exit } inside' "$srcdir/README.md" | tr -s ' ' |
    sed 's/^ //; s/ $//' | grep . >"$tmp/example"
opens() {
    while IFS= read -r line; do
        grep -qF -e "$line" "$tmp/first" || { echo "no $line"; return 1; }
    done <"$tmp/example"
    [ "$(wc -l <"$tmp/example")" -gt 15 ]
}
check 'it opens with the example' opens

# It has each name that the manual describes, but the marks for wsfj-race: their names begin as private ones do.
sed -n 's|.*<name>\([A-Za-z_0-9]*\)</name>.*|\1|p' html/api.tags | sort -u >"$tmp/tags"
for page in "$srcdir"/doc/man/*.3.scd; do
    awk '/^# / { inside = $2 == "NAME"; next } inside { text = text " " $0 }
        END { sub(/ - .*/, "", text); gsub(/[, ]+/, "\n", text); print text }' "$page" | grep .
done | grep -v '^wsfj_' | sort -u >"$tmp/described"
check 'it has all names of the manual' [ -z "$(comm -23 "$tmp/described" "$tmp/tags" | tee "$tmp/names")" ]
sed 's/^/    not there: /' "$tmp/names"
sed -n 's/^\(template <class wsfj_T> \)*class \([a-z_]*\).*/ws::\2/p' "$srcdir/include/wsfj.hpp" "$srcdir/include/wsfj/wait.hpp" "$srcdir/include/wsfj/inline/cxx_channel.hpp" | sort >"$tmp/classes"
sed -n 's|.*<name>\(ws::[a-z_]*\)</name>.*|\1|p' html/api.tags | sort >"$tmp/shown"
check 'it has the classes of wsfj.hpp' diff "$tmp/classes" "$tmp/shown"
check 'there are some' test -s "$tmp/classes"
check 'names of the library are not there' [ -z "$(grep '^wsfj_' "$tmp/tags" | tee "$tmp/names")" ]
sed 's/^/    /' "$tmp/names"
finish
