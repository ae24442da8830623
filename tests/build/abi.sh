#!/bin/sh
# SPDX-License-Identifier: MIT
# abi.sh - programs that were linked with 0.1.0 run with this library: abidiff compares libwsfj.so with what
# packaging/abi tells of 0.1.0. New functions are no difference. Runs in the build directory. Environment: srcdir,
# SANITIZER_FLAGS. Skipped without abidiff, on other processors, and where the library has no debug information.
#
# Catches: a function that is gone or has other parameters, a field that has moved, a constant with another value: then
# the soname must change (CONTRIBUTING.md). `make abi-dump` writes the dump anew.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
so=.libs/libwsfj.so
dump=$srcdir/packaging/abi/libwsfj.so.0-x86_64.abi

skip() {
    echo "skipped: $1"
    exit 77
}
command -v abidiff >/dev/null || skip 'abidiff (Debian: abigail-tools)'
[ -e "$so" ] || skip 'no shared library'
[ -z "${SANITIZER_FLAGS-}" ] || skip 'a sanitizer adds names'
readelf -h "$so" | grep -q 'Machine:.*X86-64' || skip 'the dump is of x86-64'
readelf -S "$so" | grep -q '\.debug_info' || skip 'the library has no debug information'

# same DUMP: a status of 0; 4 and 8 are differences, 1 and 2 errors. The dump knows the public structures only; of the others it
# has the names, and so no difference.
same() {
    abidiff --no-added-syms --no-show-locs "$1" "$so"
}

check "$(basename "$dump") and $so" same "$dump"
finish
