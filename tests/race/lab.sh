#!/bin/sh
# SPDX-License-Identifier: MIT
# lab.sh - doc/lab/mistakes.md says what wsfj-race prints of the laboratory's two mistakes, and of their remedies.
# Environment: CC.
#
# Catches: a page that is older than the reports; a mistake that is not found any more.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/race/compiled"

mkdir "$tmp/bin" "$tmp/work"
cp "$srcdir/bench/lab/mistakes/early.c" "$srcdir/bench/lab/mistakes/total.c" "$tmp/work"
ln -s "$race" "$tmp/bin/wsfj-race"
printf '#!/bin/sh\nexec %s "$@"\n' "$CC" >"$tmp/bin/cc"
chmod +x "$tmp/bin/cc"

# Each command of the page's console blocks, with what it prints there: NN.sh, NN.out.
awk -v to="$tmp/" '
    /^```/ { inside = /^```console/; next }
    inside && /^\$ / { file = sprintf("%s%02d", to, ++n); print substr($0, 3) >(file ".sh"); printf "" >(file ".out"); next }
    inside { print >(file ".out") }' "$srcdir/doc/lab/mistakes.md"

# clang instruments one access of `x += y`, the write.
same_for_all() {
    sed 's/write and write$/write and read/; s/later write by/later read by/' "$1"
}
says() {
    (cd "$tmp/work" && PATH=$tmp/bin:$PATH sh "$1.sh") >"$tmp/said" 2>&1
    status=$?
    same_for_all "$1.out" >"$tmp/expected"
    same_for_all "$tmp/said" | diff "$tmp/expected" - || return
    case $(cat "$1.sh") in
        *REMEDIED*) [ $status -eq 0 ] ;;
        *) [ $status -eq 66 ] ;;
    esac
}
for file in "$tmp"/*.sh; do
    check "$(cat "$file")" says "${file%.sh}"
done
check 'two mistakes, two remedies' test "$(cat "$tmp"/*.sh | grep -c 'wsfj-race cc')" = 4
finish
