#!/bin/sh
# SPDX-License-Identifier: MIT
# cxx.sh - the C++ programs of this folder, with the library of this build directory: with the C++ compiler of this
# build; with WSFJ_TEST_MATRIX=1 (make check-matrix) also with g++ and clang++ if installed, and in more modes;
# WSFJ_TEST_FULL: exceptions also with assertions, exceptions, loops and others also profiled. Runs in
# the build directory; skipped without a C++ compiler. Each program says what it catches. Environment: srcdir, CXX,
# SANITIZER_FLAGS, TEST_EMULATOR, STATIC_LIBS, STATIC_PROGRAMS.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
here=$srcdir/tests/cxx

if [ "$CXX" = no ]; then
    echo 'there is no C++ compiler'
    exit 77
fi

warnings='-Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror'

# build COMPILER SOURCE FLAGS...: the program $tmp/run.
build() {
    compiler=$1 source=$2
    shift 2
    # shellcheck disable=SC2086
    $compiler -std=c++17 -Wall -Wextra -Wshadow -Wpedantic -Werror "-I$srcdir/include" "$@" -c -o "$tmp/run.o" \
        "$source" && link_program $compiler -o "$tmp/run" "$tmp/run.o" libwsfj.la -pthread
}

runs() {
    # shellcheck disable=SC2086
    timeout "${WSFJ_TEST_LIMIT:-120}" ${TEST_EMULATOR-} "$tmp/run"
}

# program COMPILER NAME FLAGS...
program() {
    of=$1 name=$2
    shift 2
    check "$name: $of $* builds" build "$of" "$here/$name.cc" "$@"
    check "$name: $of $*" runs
}

# A sanitizer needs its own compiler's runtime: another compiler is only tried without one.
compilers=$CXX
if [ -z "${SANITIZER_FLAGS-}" ] && [ -n "${WSFJ_TEST_MATRIX-}" ]; then
    for compiler in g++ clang++; do
        case " $compilers " in
            *" $compiler "*) ;;
            *) ! command -v $compiler >/dev/null || compilers="$compilers $compiler" ;;
        esac
    done
fi

# says COMPILER CODE MESSAGE: the code does not compile, and the message is there.
says() {
    cat >"$tmp/mistake.cc" <<END
void task();
void task() { ws::task_scope s; int x = 0; (void)x;
$2
}
END
    # shellcheck disable=SC2086
    ! $1 -std=c++17 "-I$srcdir/include" -include "$tmp/header.hpp" -fsyntax-only "$tmp/mistake.cc" 2>"$tmp/said" &&
        grep -qF "$3" "$tmp/said" && return
    cat "$tmp/said"
    return 1
}

# Each line of code in `mistakes`, and the line after it. Their header is compiled once.
all_mistakes() {
    printf '#include <%s>\n' wsfj.hpp memory string >"$tmp/header.hpp"
    # shellcheck disable=SC2086
    $1 -std=c++17 "-I$srcdir/include" -x c++-header -o "$tmp/header.hpp.gch" "$tmp/header.hpp" || return
    grep -v '^#' "$here/mistakes" | while IFS= read -r code && IFS= read -r message; do
        says "$1" "$code" "${message#    }" || exit 1
    done
}

# The program has another `ws`.
renamed() {
    # shellcheck disable=SC2086
    printf '%s\n' '#define WSFJ_NAMESPACE wsfj_cxx' '#include <wsfj.hpp>' 'namespace workspace { int size = 3; }' \
        'namespace ws = workspace;' 'int main() { return wsfj_cxx::run([] { return ws::size; }) - 3; }' |
        $1 -std=c++17 "-I$srcdir/include" "$2" -fsyntax-only -x c++ -
}

refuses_old_standard() {
    # shellcheck disable=SC2086
    ! echo '#include <wsfj.hpp>' | $1 -std=c++14 "-I$srcdir/include" -fsyntax-only -x c++ - 2>"$tmp/said" &&
        grep -qF 'wsfj.hpp needs C++17' "$tmp/said"
}

# alone COMPILER FLAGS...: the header compiles twice in a file of its own.
alone() {
    compiler=$1
    shift
    # shellcheck disable=SC2086
    printf '#include <wsfj.hpp>\n#include <wsfj.hpp>\nextern int after_it;\nint after_it;\n' | $compiler $warnings \
        "-I$srcdir/include" "$@" -c -o "$tmp/alone.o" -x c++ -
}

# A serial program needs no symbol of the library.
needs_no_library() {
    # shellcheck disable=SC2086
    $1 -std=c++17 -Wall -Wextra -Wshadow -Wpedantic -Werror -DWSFJ_SERIAL "-I$srcdir/include" -o "$tmp/serial" "$here/others.cc" \
        -pthread &&
        timeout "${WSFJ_TEST_LIMIT:-120}" ${TEST_EMULATOR-} "$tmp/serial"
}

# aborts COMPILER CODE MESSAGE: with -DWSFJ_DEBUG the code ends the program with that message.
aborts() {
    cat >"$tmp/misuse.cc" <<END
#include <wsfj.hpp>
#include <sched.h>
static void misuse()
{
    ws::task_scope outer;
    $2
}
int main()
{
    ws::run(misuse);
}
END
    build "$1" "$tmp/misuse.cc" -DWSFJ_DEBUG || return 1
    ! (ulimit -c 0 && WSFJ_NUM_WORKERS=2 runs) 2>"$tmp/said" && grep -qF "$3" "$tmp/said" && return
    cat "$tmp/said"
    return 1
}

for compiler in $compilers; do
    full="$compiler ${SANITIZER_FLAGS-}"
    for name in exception_state called children scopes; do
        program "$full" $name -O2
    done
    check "$compiler: the header as C++14 says what it needs" refuses_old_standard "$full"
    check "$compiler: another namespace" renamed "$full" -DWSFJ_PARALLEL
    check "$compiler: another namespace, serial" renamed "$full" -DWSFJ_SERIAL
    check "$compiler: what it says of mistakes" all_mistakes "$full"
    if [ -z "${WSFJ_TEST_MATRIX-}" ]; then
        # These take long to compile.
        for name in exceptions loops others waits; do
            program "$full" $name -O0
        done
        check "$compiler: the header alone" alone "$full" -std=c++20 -O2
        continue
    fi
    for name in exceptions loops others waits; do
        program "$full" $name -O2
    done
    program "$full" others -O2 -fno-exceptions -fno-rtti
    program "$full" waits -O1 -fno-exceptions -fno-rtti
    program "$full" loops -O1 -fno-exceptions -fno-rtti
    for mode in -DWSFJ_PARALLEL -DWSFJ_DEBUG -DWSFJ_SERIAL -DWSFJ_PROFILE -fno-exceptions -DWSFJ_NO_ASM; do
        check "$compiler $mode: the header alone" alone "$full" -std=c++17 -O2 $mode
    done
    check "$compiler: the header as C++20" alone "$full" -std=c++20 -O2
done

# The rest does not depend on the compiler.
full="$CXX ${SANITIZER_FLAGS-}"
check 'a scope in a scope: the inner one has children' aborts "$full" \
    'ws::task_scope inner; inner.spawn([] {}); outer.spawn([] {}); inner.sync();' \
    'libwsfj: ws::task_scope: used while a scope that was made after it has children'
check 'a scope that another task uses' aborts "$full" \
    'std::atomic<bool> begun{false};
    outer.spawn([&] { begun = true; outer.spawn([] {}); });
    while (!begun) sched_yield();
    outer.sync();' \
    'libwsfj: ws::task_scope: used by another task than the one that has made it'
check 'a group that ends in one of its own tasks' aborts "$full" \
    'auto g = new ws::group;
    g->submit([g] { delete g; });
    while (true) ws_yield();' \
    'ws::group::~group'
[ -z "${WSFJ_TEST_MATRIX-}${WSFJ_TEST_FULL-}" ] || program "$full" exceptions -O0 -DWSFJ_DEBUG
level=-O0
if [ -n "${WSFJ_TEST_MATRIX-}" ]; then
    level=-O1
    program "$full" exception_state -O0
fi
for mode in -DWSFJ_SERIAL -DWSFJ_PROFILE; do
    for name in called children exceptions loops others waits; do
        case $name$mode${WSFJ_TEST_MATRIX:+-}${WSFJ_TEST_FULL:+-} in
            others-DWSFJ_SERIAL) ;; # below
            loops-DWSFJ_PROFILE | others-DWSFJ_PROFILE | exceptions-DWSFJ_PROFILE | waits-DWSFJ_PROFILE) ;; # the same text with other calls of C
            *) program "$full" $name $level $mode ;;
        esac
    done
done
check 'others, serial, links without the library' needs_no_library "$full"
finish
