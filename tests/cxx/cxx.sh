#!/bin/sh
# SPDX-License-Identifier: MIT
# cxx.sh - the C++ programs of this folder, with the library of this build directory: with the C++ compiler of this
# build, and with g++ and clang++ if installed. Runs in the build directory; skipped without a C++ compiler. Each program
# says what it catches. Environment: srcdir, CXX, SANITIZER_FLAGS, TEST_EMULATOR, STATIC_LIBS, STATIC_PROGRAMS.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
here=$srcdir/tests/cxx

if [ "$CXX" = no ]; then
    echo 'there is no C++ compiler'
    exit 77
fi

# build COMPILER SOURCE FLAGS...: the program $tmp/run.
build() {
    compiler=$1 source=$2
    shift 2
    # shellcheck disable=SC2086
    $compiler -std=c++17 -Wall -Wextra -Wshadow -Wpedantic -Werror "-I$srcdir/include" "$@" -c -o "$tmp/run.o" "$source" &&
        ./libtool --silent --tag=CC --mode=link $compiler -o "$tmp/run" "$tmp/run.o" libwsfj.la -pthread
}

runs() {
    # shellcheck disable=SC2086
    timeout 300 ./libtool --silent --mode=execute ${TEST_EMULATOR-} "$tmp/run"
}

# program COMPILER NAME FLAGS...
program() {
    check "$2: $1 $3 builds" build "$1" "$here/$2.cc" "$3"
    check "$2: $1 $3" runs
}

# A sanitizer needs its own compiler's runtime: another compiler is only tried without one.
compilers=$CXX
if [ -z "${SANITIZER_FLAGS-}" ]; then
    for compiler in g++ clang++; do
        case " $compilers " in
            *" $compiler "*) ;;
            *) ! command -v $compiler >/dev/null || compilers="$compilers $compiler" ;;
        esac
    done
fi

for compiler in $compilers; do
    for level in -O0 -O2; do
        program "$compiler ${SANITIZER_FLAGS-}" exception_state $level
    done
done
finish
