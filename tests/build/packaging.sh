#!/bin/sh
# SPDX-License-Identifier: MIT
# packaging.sh - each recipe of packaging/ and each text about the release has the version of include/wsfj.h; the languages in
# which they are written can read them (where these are installed); the symbols file of Debian's package has the names that
# libwsfj.so exports. Runs in the build directory. Environment: srcdir, NM.
#
# Catches: a version or a date that was forgotten at a release; a recipe with a bracket too few; a name that was added to the
# library or has gone, without `make abi-dump`.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
version=$(sed -n 's/^#define WSFJ_VERSION_STRING "\(.*\)"/\1/p' "$srcdir/include/wsfj.h")
there() {
    command -v "$1" >/dev/null && return
    echo "not tried: $2 (Debian: $3)"
    return 1
}

# says FILE PATTERN: the first group of the sed pattern is the version, where the file first has it.
says() {
    found=$(sed -n "s/$2.*/\1/p" "$srcdir/$1" | head -n 1)
    [ "$found" = "$version" ] && return
    echo "$1 is of ${found:-no version}, include/wsfj.h of $version"
    return 1
}
check 'packaging/debian/changelog' says packaging/debian/changelog '^libwsfj (\([0-9.]*\)-'
check 'packaging/rpm/libwsfj.spec' says packaging/rpm/libwsfj.spec '^Version: *\([0-9.]*\)'
check 'packaging/nix/default.nix' says packaging/nix/default.nix '^  version = "\([0-9.]*\)";'
check 'packaging/spack/package.py' says packaging/spack/package.py '^    version("\([0-9.]*\)")'
check 'packaging/guix/libwsfj.scm' says packaging/guix/libwsfj.scm '^  (version "\([0-9.]*\)")'
check 'CITATION.cff' says CITATION.cff '^version: \([0-9.]*\)'
check 'CHANGELOG.md' says CHANGELOG.md '^## \[\([0-9.]*\)\] - '

# One day of release: in CHANGELOG.md, for who cites the library, and for those who install packages.
day=$(sed -n "s/^## \[$version\] - \([0-9-]*\)\$/\1/p" "$srcdir/CHANGELOG.md")
check 'CITATION.cff has the day' grep -qx "date-released: $day" "$srcdir/CITATION.cff"
check "Debian's changelog has the day" [ "$(sed -n 's/^ -- .*>  //p' "$srcdir/packaging/debian/changelog" | head -n 1 | date -u -f - +%F)" = "$day" ]
check "the spec's changelog has the day" grep -q "^\* $(date -u -d "$day" '+%a %b %d %Y') .* - $version-" \
    "$srcdir/packaging/rpm/libwsfj.spec"

# Nothing is evaluated: only the syntax counts here.
if there nix-instantiate packaging/nix nix-bin; then
    check 'packaging/nix can be parsed' nix-instantiate --parse "$srcdir/packaging/nix/default.nix"
fi
if there python3 packaging/spack python3; then
    check 'packaging/spack can be compiled' python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' \
        "$srcdir/packaging/spack/package.py"
fi
if there guile packaging/guix guile-3.0; then
    # shellcheck disable=SC2016
    check 'packaging/guix can be read' guile --no-auto-compile -c '(call-with-input-file (cadr (command-line))
        (lambda (port) (do ((form (read port) (read port)) (forms 0 (+ forms 1))) ((eof-object? form) (exit (= forms 2))))))' \
        "$srcdir/packaging/guix/libwsfj.scm"
fi

# The symbols file, without what is only there for other processors or this one.
if [ -e .libs/libwsfj.so ] && [ -z "${SANITIZER_FLAGS-}" ]; then
    ${NM:-nm} -D --defined-only .libs/libwsfj.so | awk '{ print $3 }' | sed 's/@@/@/; s/^WSFJ_0$/&@&/' | grep -v '_thunk@' |
        LC_ALL=C sort -u >"$tmp/exported"
    sed -n 's/^ \([a-zA-Z0-9_@]*\) [0-9.]*$/\1/p' "$srcdir/packaging/debian/libwsfj0.symbols" | LC_ALL=C sort >"$tmp/listed"
    check 'packaging/debian/libwsfj0.symbols (make abi-dump)' diff "$tmp/listed" "$tmp/exported"
fi
finish
