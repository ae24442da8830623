#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh - `make dist` gives the same tarball, byte for byte: here, from a copy of the sources elsewhere with another umask,
# time zone and language, and from the tarball itself; it has all files of git but those that only a clone needs. Runs in the
# build directory (make check-dist). Environment: srcdir. Skipped without git.
#
# Catches: a time, an owner, a mode or an order that gets into the tarball; a file that EXTRA_DIST lacks; a file that is
# only in this working directory.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
if ! command -v git >/dev/null || [ ! -e "$srcdir/.git" ]; then
    echo 'skipped: make check-dist compares with a clone: git, and a tree that git knows'
    exit 77
fi
only_in_clones='bootstrap|compile_flags\.txt|\.ci/.*|\.clang-format|\.editorconfig|\.git[a-z-]*(/.*)?'
SOURCE_DATE_EPOCH=$(git -C "$srcdir" log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# dist NAME: of the tree in the current folder, as $tmp/NAME.tar.gz.
dist() {
    rm -f libwsfj-*.tar.gz
    env -u MAKEFLAGS -u MFLAGS make -s dist && mv libwsfj-*.tar.gz "$tmp/$1.tar.gz"
}

# The tracked files, as they are in this tree.
elsewhere() (
    mkdir -m 755 "$tmp/a folder" && cd "$srcdir" && git ls-files -z | xargs -0 cp --parents -t "$tmp/a folder" &&
        cd "$tmp/a folder" && umask 077 && export TZ=Asia/Tokyo LC_ALL=C.UTF-8 && autoreconf -fi && ./configure --quiet &&
        dist elsewhere
)

from_tarball() (
    cd "$tmp" && tar -xzf here.tar.gz && cd libwsfj-*/ && unset SOURCE_DATE_EPOCH && ./configure --quiet && dist again
)

# equal FILE: to the first one; says which member differs.
equal() {
    cmp "$tmp/here.tar.gz" "$tmp/$1.tar.gz" && return
    for name in here "$1"; do
        mkdir -p "$tmp/x$name" && tar -C "$tmp/x$name" -xzf "$tmp/$name.tar.gz"
        tar -tvzf "$tmp/$name.tar.gz" >"$tmp/$name.list"
    done
    diff "$tmp/here.list" "$tmp/$1.list"
    diff -r "$tmp/xhere" "$tmp/x$1"
    return 1
}

all_of_git() {
    git -C "$srcdir" ls-files | grep -vxE "$only_in_clones" | LC_ALL=C sort >"$tmp/wanted"
    tar -tzf "$tmp/here.tar.gz" | sed 's|^[^/]*/||' | LC_ALL=C sort >"$tmp/packed"
    missing=$(LC_ALL=C comm -23 "$tmp/wanted" "$tmp/packed")
    [ -z "$missing" ] && return
    echo "missing:" $missing
    return 1
}

check 'make dist' dist here
check 'it has the files of git' all_of_git
check 'make dist elsewhere' elsewhere
check 'both are equal' equal elsewhere
check 'make dist from the tarball, without SOURCE_DATE_EPOCH' from_tarball
check 'it is equal, too' equal again
finish
