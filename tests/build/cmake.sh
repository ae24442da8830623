#!/bin/sh
# SPDX-License-Identifier: MIT
# cmake.sh - find_package(wsfj) in a user's project: wsfj::wsfj and wsfj::static compile, link and run, from an
# installation with a prefix and from one below a DESTDIR; versions and components that are not there are refused, in
# a message that says why. Runs in the build directory. Environment: srcdir, CC, SANITIZER_FLAGS, TEST_EMULATOR,
# INSTALLED (build/installations). Skipped without CMake.
#
# Catches: a target without a header's folder, the library, or what the archive needs; a folder that is only right where
# configure has put it; a version of another interface that is taken.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
if [ -n "${TEST_EMULATOR-}" ] || ! command -v cmake >/dev/null; then
    echo 'skipped: cmake (Debian: cmake), and no emulator'
    exit 77
fi
# shellcheck disable=SC1091
. "$srcdir/tests/build/installations"
version=$(PKG_CONFIG_PATH=. ${PKG_CONFIG:-pkg-config} --modversion libwsfj)
unset CMAKE_PREFIX_PATH wsfj_DIR

# project PLACE: configured and built.
project() {
    eval "lib=\$${1}_lib"
    CC=$CC cmake -S "$tmp/project" -B "$tmp/$1" "-DCMAKE_C_FLAGS=${SANITIZER_FLAGS-}" -DCMAKE_BUILD_TYPE=None \
        "-Dwsfj_DIR=$lib/cmake/wsfj" && cmake --build "$tmp/$1"
}

# finds PLACE ARGUMENTS...: a project without a language asks for find_package(wsfj ARGUMENTS...).
finds() {
    eval "lib=\$${1}_lib"
    shift
    mkdir -p "$tmp/ask"
    printf 'cmake_minimum_required(VERSION 3.10...3.25)\nproject(ask NONE)\nfind_package(wsfj %s)\n' "$*" >"$tmp/ask/CMakeLists.txt"
    rm -rf "$tmp/asked"
    cmake -S "$tmp/ask" -B "$tmp/asked" "-DCMAKE_PREFIX_PATH=$lib/cmake"
}

# refuses REASON PLACE ARGUMENTS...
refuses() {
    reason=$1
    shift
    if finds "$@" >"$tmp/refused" 2>&1 || ! tr -s '\n ' ' ' <"$tmp/refused" | grep -q "$reason"; then
        cat "$tmp/refused"
        return 1
    fi
}

# takes VERSION REQUEST: the version file of such an installation says that it fits. REQUEST: 1.2, or 1.2...1.5, or 1.2...<1.5.
takes() {
    sed "s/@VERSION@/$1/" "$srcdir/packaging/cmake/wsfj-config-version.cmake.in" >"$tmp/version.cmake"
    case $2 in
        *...*)
            max=${2#*...}
            set -- "$1" -DPACKAGE_FIND_VERSION_RANGE="$2" -DPACKAGE_FIND_VERSION_MIN="${2%%...*}" \
                -DPACKAGE_FIND_VERSION_MAX="${max#<}" -DPACKAGE_FIND_VERSION_RANGE_MAX="$(case $max in '<'*) echo EXCLUDE ;; *) echo INCLUDE ;; esac)"
            ;;
        *) set -- "$1" -DPACKAGE_FIND_VERSION="$2" ;;
    esac
    shift
    echo 'include(${VERSION_FILE})
        if(NOT PACKAGE_VERSION_COMPATIBLE)
            message(FATAL_ERROR "no")
        endif()' >"$tmp/takes.cmake"
    cmake "-DVERSION_FILE=$tmp/version.cmake" "$@" -P "$tmp/takes.cmake"
}
takes_not() {
    ! takes "$@"
}

cp -r "$srcdir/tests/build/projects/cmake" "$tmp/project" && chmod -R u+w "$tmp/project"
cp "$srcdir/tests/build/user.c" "$tmp/project"
# -pthread defines this.
printf '#ifndef _REENTRANT\n#error "compiled without -pthread"\n#endif\n' >>"$tmp/project/user.c"
for place in $places; do
    check "$place: the project builds" project "$place"
    kind=shared
    has libwsfj.so "$place" || kind=static
    check "$place: wsfj::wsfj runs" runs "$tmp/$place/user" "$place" $kind
    if has libwsfj.a "$place"; then
        check "$place: wsfj::static runs" runs "$tmp/$place/user-static" "$place" static
    fi
done

check 'this version, exactly' finds "$place" "$version EXACT REQUIRED"
check 'another version is refused' refuses "version: $version" "$place" 99.0 REQUIRED
check 'an unknown component is refused' refuses 'has no component more' "$place" REQUIRED COMPONENTS more
check 'an optional one is not needed' finds "$place" REQUIRED OPTIONAL_COMPONENTS more
if [ -z "${INSTALLED-}" ]; then
    rm "$prefix_lib/libwsfj.a"
    check 'an archive that is missing is refused' refuses 'without its static library' prefix REQUIRED COMPONENTS static
    rm -f "$prefix_lib"/libwsfj.so*
    check 'no library at all is refused' refuses 'neither libwsfj.so nor libwsfj.a is in' prefix REQUIRED
fi

check '0.1.0 for 0' takes 0.1.0 0
check '0.1.0 for 0.1' takes 0.1.0 0.1
check '0.1.3 for 0.1.2' takes 0.1.3 0.1.2
check '0.1.1 not for 0.1.2' takes_not 0.1.1 0.1.2
check '0.2.0 not for 0.1' takes_not 0.2.0 0.1
check '0.12.0 not for 0.1' takes_not 0.12.0 0.1
check '1.0.0 not for 0' takes_not 1.0.0 0
check '1.3.0 for 1.2' takes 1.3.0 1.2
check '2.0.0 not for 1.2' takes_not 2.0.0 1.2
check '0.3.0 for 0.1...0.3' takes 0.3.0 0.1...0.3
check '0.3.0 not for 0.1...<0.3' takes_not 0.3.0 '0.1...<0.3'
check '0.2.0 not for 0.3...0.4' takes_not 0.2.0 0.3...0.4
finish
