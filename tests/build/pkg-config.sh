#!/bin/sh
# SPDX-License-Identifier: MIT
# pkg-config.sh - libwsfj.pc in a user's project: the flags compile, link and run a program, shared and with the archive, from
# an installation with a prefix and from one below a DESTDIR. Runs in the build directory. Environment: srcdir, CC,
# SANITIZER_FLAGS, PKG_CONFIG, TEST_EMULATOR, INSTALLED (build/installations).
#
# Catches: a folder or a library that libwsfj.pc does not name, or that is only right without DESTDIR.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
if [ -n "${TEST_EMULATOR-}" ]; then
    echo 'skipped: not under an emulator'
    exit 77
fi
# shellcheck disable=SC1091
. "$srcdir/tests/build/installations"

# flags PLACE ARGUMENTS...
flags() {
    eval "lib=\$${1}_lib sysroot=\$${1}_sysroot"
    shift
    PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
        PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 ${PKG_CONFIG:-pkg-config} "$@" 'libwsfj >= 0.1'
}

# build OUTPUT LIBRARIES: the user's program.
build() {
    # shellcheck disable=SC2046,SC2086
    $CC ${SANITIZER_FLAGS-} -std=c11 $(flags "$place" --cflags) "$tmp/user.c" -o "$1" $2
}

cp "$srcdir/tests/build/user.c" "$tmp"
# -pthread defines this.
printf '#ifndef _REENTRANT\n#error "compiled without -pthread"\n#endif\n' >>"$tmp/user.c"
for place in $places; do
    if has libwsfj.so "$place"; then
        check "$place: shared" build "$tmp/$place-shared" "$(flags "$place" --libs)"
        check "$place: shared, runs" runs "$tmp/$place-shared" "$place" shared
    fi
    if has libwsfj.a "$place"; then
        check "$place: static" build "$tmp/$place-static" "$(flags "$place" --static --libs | sed 's/-lwsfj\b/-l:libwsfj.a/')"
        check "$place: static, runs" runs "$tmp/$place-static" "$place" static
    fi
done
finish
