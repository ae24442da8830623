#!/bin/sh
# SPDX-License-Identifier: MIT
# idioms.sh - the blocks of code in doc/from/, doc/locks.md, doc/loops.md and doc/process.md compile without a warning and do
# what the line above them says: `<!-- check EXPRESSION -->`, or `<!-- check WORKERS: EXPRESSION -->`. A block is marked by
# the interface it uses: wsfj, openmp, tbb, go, or cilk (whose elision is tried: the keywords are macros). Runs in the build
# directory. Where the compilers of others are missing, their blocks are skipped. Environment: srcdir, CC, CXX, PKG_CONFIG,
# SANITIZER_FLAGS, TEST_EMULATOR; WSFJ_TEST_MATRIX=1 (make check-matrix): also the blocks of others, and ours in C++.
#
# Catches: an idiom that does not compile, warns, hangs, or gives another result than the one beside it.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
unset WSFJ_NUM_WORKERS

# extract PAGE: the files PAGE-NUMBER-WHOSE.LANGUAGE, each beside its expression (.check) and its workers (.workers).
extract() {
    awk -v to="$tmp/$(basename "$1" .md)" '
        /^#+ / && !file { expression = "" }
        /^<!-- check / {
            expression = $0; sub(/^<!-- check /, "", expression); sub(/ -->$/, "", expression)
            workers = "1 4"
            if (expression ~ /^[0-9]+: /) {
                workers = expression; sub(/:.*/, "", workers)
                sub(/^[0-9]+: /, "", expression)
            }
        }
        /^```/ && file { close(file); file = ""; next }
        /^```(c|cpp|go) / {
            base = sprintf("%s-%02d-%s", to, ++n, $2)
            print expression >(base ".check"); print workers >(base ".workers")
            file = base "." substr($1, 4); next
        }
        /^```./ { print FILENAME ": whose is " $0 "?"; exit 1 }
        file { print >file }' "$1"
}

go_program() {
    printf 'package main\nimport ('
    printf ' "%s";' context net os sync sync/atomic time
    printf ')\nvar _, _, _, _, _ = context.TODO, net.Pipe, sync.NewCond, atomic.AddInt64, time.Now\n'
    cat "$1"
    printf 'func main() { if !(%s) { os.Exit(1) } }\n' "$2"
}

# program BLOCK EXPRESSION: the block with what it takes for granted, and a main() that says if the expression holds.
program() {
    case $1 in *-go.go) go_program "$@" && return ;; esac
    case $1 in
        *go-*-wsfj.c) printf '#include <%s>\n' errno.h fcntl.h poll.h unistd.h wsfj.h ;;
        *locks-*) echo '#include "locks.h"' ;;
        *process-*) echo '#include "programs.h"' ;;
        *-wsfj.cpp) echo '#include <wsfj.hpp>' ;;
        *-wsfj.c) echo '#include <wsfj.h>' ;;
        *-openmp.*) echo '#include <omp.h>' ;;
        *-tbb.*) printf '#include <tbb/%s.h>\n' blocked_range parallel_for parallel_invoke parallel_reduce task_group ;;
        *-cilk.*)
            printf '#define cilk_%s\n' spawn 'sync (void)0' 'for for' scope 'reducer(identity, operation)'
            ;;
    esac
    case $1 in *.cpp) printf '#include <%s>\n' atomic exception functional memory numeric stdexcept ;; esac
    cat <<END
#include <stdio.h>
#include <stdlib.h>
static double numbers[100], other[100];
static const long start[] = {0, 1, 2, 4};
static const int column[] = {0, 1, 1, 2};
int step(int i);
int step(int i) { return i + 1; }
#line 1 "$(basename "$1")"
$(cat "$1")
END
    case $1 in
        *-wsfj.*) echo "static WS_TASK(int, holds) { return $2; }" ;;
        *) echo "static int holds(void) { return $2; }" ;;
    esac
    echo 'int main(void) { int yes = 0; (void)other, (void)start, (void)column;'
    echo 'for (int i = 0; i < 100; i++) numbers[i] = i;'
    case $1 in
        *-wsfj.*) echo 'if (ws_run(holds, &yes)) return 2;' ;;
        *-openmp.*) printf '\n#pragma omp parallel\n#pragma omp single\nyes = holds();\n' ;;
        *) echo 'yes = holds();' ;;
    esac
    echo 'if (!yes) puts("the check fails"); return !yes; }'
}

# runs SOURCE WORKERS COMMAND... -- LIBRARIES...: with each of these numbers of workers.
runs() {
    source=$1 workers=$2 command=
    shift 2
    while [ "$1" != -- ]; do
        command="$command $1"
        shift
    done
    shift
    # shellcheck disable=SC2086
    $command "$level" -Wall -Wextra -Wpedantic -Werror "-I$srcdir/include" "-I$srcdir/tests/build" -c -o "$tmp/o.o" \
        "$source" || return
    # shellcheck disable=SC2086
    link_program $command -o "$tmp/run" "$tmp/o.o" "$@" || return
    for number in $workers; do
        # shellcheck disable=SC2086
        WSFJ_NUM_WORKERS=$number timeout 60 ${TEST_EMULATOR-} "$tmp/run" || return
    done
}

# Go needs a folder to cache in, and must not ask the network for another version of itself.
go_run() {
    GOCACHE=$tmp/go-cache GO111MODULE=off GOTOOLCHAIN=local CGO_ENABLED=0 ${GO:-go} build -o "$tmp/run" "$tmp/program.go" &&
        timeout 60 "$tmp/run"
}

# has SUFFIX HEADER COMMAND...: the command makes programs that include it.
has() {
    printf '#include <%s>\nint main(void) { return 0; }\n' "$2" >"$tmp/try.$1"
    file=$tmp/try.$1
    shift 2
    "$@" -o "$tmp/try" "$file" 2>"$tmp/no"
}
others='-cilk.c ' level=-O0
[ -z "${WSFJ_TEST_MATRIX-}" ] || level=-O2
# shellcheck disable=SC2086
if [ -z "${WSFJ_TEST_MATRIX-}" ] || [ -n "${SANITIZER_FLAGS-}${TEST_EMULATOR-}" ]; then
    others=
else
    tbb=$(${PKG_CONFIG:-pkg-config} --libs tbb 2>/dev/null) || tbb=-ltbb
    has c omp.h $CC -fopenmp && others="$others-openmp.c "
    ${GO:-go} version >"$tmp/no" 2>&1 && others="$others-go.go "
    [ "$CXX" != no ] && has cc tbb/task_group.h $CXX -std=c++17 $tbb && others="$others-tbb.cpp "
fi
echo "tried of others: ${others:-nothing}"
c="$CC ${SANITIZER_FLAGS-} -std=gnu11" cxx="$CXX ${SANITIZER_FLAGS-} -std=gnu++17"

for page in "$srcdir"/doc/from/*.md "$srcdir/doc/locks.md" "$srcdir/doc/loops.md" "$srcdir/doc/process.md"; do
    words=600
    case $page in
        */openmp.md) words=1800 ;;
        */go.md) words=1300 ;;
        */loops.md) words=2200 ;;
        */process.md) words=2700 ;;
    esac
    check "$(basename "$page"): each block says whose it is" extract "$page"
    check "$(basename "$page"): at most $words words" [ "$(wc -w <"$page")" -le $words ]
done
check 'there are blocks' [ "$(find "$tmp" -name '*.check' | wc -l)" -ge 25 ]
# shellcheck disable=SC2086
for block in "$tmp"/*-*-*.c "$tmp"/*-*-*.cpp "$tmp"/*-*-*.go; do
    what=$(basename "$block")
    expression=$(cat "${block%.*}.check") workers=$(cat "${block%.*}.workers")
    check "$what: there is a check" [ -n "$expression" ]
    program "$block" "${expression:-0}" | tee "$tmp/program.cc" "$tmp/program.go" >"$tmp/program.c"
    case $what in
        *-wsfj.c)
            check "$what with -DWSFJ_DEBUG" runs "$tmp/program.c" "$workers" $c -DWSFJ_DEBUG -- libwsfj.la
            case $what in locks-* | go-*) ;; *) check "$what, the elision" runs "$tmp/program.c" 1 $c -DWSFJ_SERIAL -- ;; esac
            [ -n "${WSFJ_TEST_MATRIX-}" ] || continue
            check "$what" runs "$tmp/program.c" "$workers" $c -- libwsfj.la
            [ "$CXX" = no ] || check "$what in C++" runs "$tmp/program.cc" "$workers" $cxx -- libwsfj.la
            ;;
        *-wsfj.cpp) [ "$CXX" = no ] || check "$what" runs "$tmp/program.cc" "$workers" $cxx -- libwsfj.la ;;
    esac
    case "$others" in *"${what##*[0-9]} "*)
        case $what in
            *-openmp.c) check "$what" runs "$tmp/program.c" 1 $CC -std=gnu11 -fopenmp -- ;;
            *-tbb.cpp) check "$what" runs "$tmp/program.cc" 1 $CXX -std=gnu++17 -- $tbb ;;
            *-go.go) check "$what" go_run ;;
            *-cilk.c) check "$what" runs "$tmp/program.c" 1 $CC -std=gnu11 -- ;;
        esac
        ;;
    esac
done
# shellcheck disable=SC2086
check 'the rows of locks.md without code' runs "$srcdir/tests/build/locks.c" '1 2' $c -- libwsfj.la
finish
