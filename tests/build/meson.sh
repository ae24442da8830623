#!/bin/sh
# SPDX-License-Identifier: MIT
# meson.sh - Meson's dependency() in a user's project: by pkg-config and by CMake's files, shared and static, from an
# installation with a prefix and from one below a DESTDIR. Runs in the build directory. Environment: srcdir, CC,
# SANITIZER_FLAGS, TEST_EMULATOR, INSTALLED (build/installations). Skipped without Meson.
#
# Catches: a libwsfj.pc or a CMake target that Meson does not understand, warns about, or reads as another library.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
if [ -n "${TEST_EMULATOR-}" ] || ! command -v meson >/dev/null; then
    echo 'skipped: meson (Debian: meson), and no emulator'
    exit 77
fi
# shellcheck disable=SC1091
. "$srcdir/tests/build/installations"

# project PLACE: configured and built.
project() {
    eval "lib=\$${1}_lib sysroot=\$${1}_sysroot"
    [ -z "$sysroot" ] || export "PKG_CONFIG_SYSROOT_DIR=$sysroot" PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
    CC=$CC CFLAGS=${SANITIZER_FLAGS-} meson setup "-Dpkg_config_path=$lib/pkgconfig" "-Dcmake_prefix_path=${lib%/lib*}" \
        -Db_lundef=false --buildtype=plain "$tmp/$1" "$tmp/project" && meson compile -C "$tmp/$1"
    status=$?
    unset PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
    return $status
}

cmake=
! command -v cmake >/dev/null || cmake=cmake
cp -r "$srcdir/tests/build/projects/meson" "$tmp/project" && chmod -R u+w "$tmp/project"
cp "$srcdir/tests/build/user.c" "$tmp/project"
# -pthread defines this.
printf '#ifndef _REENTRANT\n#error "compiled without -pthread"\n#endif\n' >>"$tmp/project/user.c"
for place in $places; do
    check "$place: the project builds" project "$place"
    check "$place: without a warning about a library" sh -c '! grep "WARNING.*not found" "$1"' sh "$tmp/$place/meson-logs/meson-log.txt"
    kind=shared
    has libwsfj.so "$place" || kind=static
    for program in user $cmake; do
        check "$place: $program runs" runs "$tmp/$place/$program" "$place" $kind
        if has libwsfj.a "$place"; then
            check "$place: $program-static runs" runs "$tmp/$place/$program-static" "$place" static
        fi
    done
done
finish
