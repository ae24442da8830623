#!/bin/sh
# SPDX-License-Identifier: MIT
# rpm.sh - packaging/rpm: rpmbuild --nodeps (the packages that it names have other names on Debian) builds its packages from
# the tarball, each file is in one of them, and the library's package has what programs need. Runs in the build directory
# (make check-rpm). Environment: srcdir. Skipped without rpmbuild.
#
# Catches: a file in no package, or listed and not there; a scriptlet or a macro that is wrong.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
if ! command -v rpmbuild >/dev/null; then
    echo 'skipped: make check-rpm needs rpmbuild (Debian: rpm)'
    exit 77
fi

builds() {
    env -u MAKEFLAGS -u MFLAGS make -s dist && mv libwsfj-*.tar.gz "$tmp" &&
        nice rpmbuild --nodeps --define "_topdir $tmp/rpm" -ta "$tmp"/libwsfj-*.tar.gz >"$tmp/log" 2>&1 && return
    tail -n 18 "$tmp/log"
    return 1
}

# has PACKAGE PATTERN
has() {
    rpm -qpl "$tmp"/rpm/RPMS/*/"$1"-[0-9]*.rpm >"$tmp/list" && grep -Eq "$2" "$tmp/list" && return
    cat "$tmp/list"
    return 1
}

check 'rpmbuild' builds
check 'the library' has libwsfj '/libwsfj\.so\.0$'
check 'the script for gdb' has libwsfj '/libwsfj\.so\.0\.[0-9]+\.[0-9]+-gdb\.py$'
check 'headers' has libwsfj-devel '/include/wsfj\.h$'
check 'CMake' has libwsfj-devel '/cmake/wsfj/wsfj-config\.cmake$'
check 'the archive' has libwsfj-static '/libwsfj\.a$'
check 'tools' has wsfj-tools '/bin/wsfj-view$'
finish
