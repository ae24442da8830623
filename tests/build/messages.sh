#!/bin/sh
# SPDX-License-Identifier: MIT
# messages.sh - wrong uses do not compile; the compiler says one thing (gcc at most four), in at most 25 lines, and the first in the
# user's words. The right use beside each compiles without a warning. The uses are in the file `messages`.
# Environment: srcdir, CC, CXX, SANITIZER_FLAGS; COMPILERS, to try only these; WSFJ_TEST_MATRIX=1 (make check-matrix): more compilers,
# headers of the system, C++ serial, and all uses profiled.
#
# Catches: a macro that accepts anything, whose mistake would show as a wrong result in a steal; a message that names only what the
# macros are made of; a page of messages for one mistake.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

# The words of `messages`, a file each: 3/says, 3/wrong ...
mkdir "$tmp/use"
awk -v out="$tmp/use" '
    /^#/ { next }
    /^what: / { use = out "/" sprintf("%03d", ++n); system("mkdir " use) }
    match($0, /^[a-z ]+: /) {
        key = substr($0, 1, RLENGTH - 2)
        text = substr($0, RLENGTH + 1)
        if (split(key, part, " ") == 2)
            text = part[2] == "task" ? "WS_TASK(long, parent, long, n) { long r = 0; (void)r; (void)n; " text " ws_sync(); return r; }" \
                                     : "int main(void) { long r = 0; (void)r; " text " }"
        print text >(use "/" part[1])
        close(use "/" part[1])
    }' "$srcdir/tests/build/messages"

# The words of one use.
says() {
    cat "$use/$1" 2>/dev/null || echo "$2"
}

program() {
    cat <<'END'
#include <wsfj.h>
struct point { double x, y; };
WS_TASK(long, add, long, a, long, b) { return a + b; }
WS_TASK(long, zero) { return 0; }
WS_TASK(struct point, at, double, x) { struct point p = {x, 0}; return p; }
WS_TASK_VOID(note, int, n) { (void)n; }
WS_TASK_VOID(nothing) { }
WS_DECLARE(long, elsewhere, long, a, long, b);
END
    cat "$use/$1"
}

# refused FLAGS..., right FLAGS...
refused() {
    program wrong >"$tmp/use.c"
    # shellcheck disable=SC2086
    if LC_ALL=C $compiler $SANITIZER_FLAGS "$@" -S -o "$tmp/use.s" "$tmp/use.c" >"$tmp/message" 2>&1; then
        echo 'it compiles'
        return 1
    fi
    wc -l <"$tmp/message"
    cut -c 1-150 "$tmp/message" | head -n 16
    grep -E '(error|warning): ' "$tmp/message" >"$tmp/diagnostics"
    head -n 1 "$tmp/diagnostics" | grep -Eq "$pattern" || { echo "does not say first: $pattern"; return 1; }
    [ "$(wc -l <"$tmp/diagnostics")" -le "$(says most "$most")" ] || { echo "more than $most"; return 1; }
    [ "$(wc -l <"$tmp/message")" -le "$(says lines 25)" ] || { echo 'too many lines'; return 1; }
}

compiles() {
    # shellcheck disable=SC2086
    $compiler $SANITIZER_FLAGS -Wall -Wextra -Wpedantic -Werror "$@" -S -o "$tmp/use.s" "$tmp/use.c"
}

right() {
    program right >"$tmp/use.c"
    compiles "$@"
}

# All right uses at once, each with names of its own.
rights() {
    {
        use=$tmp/none
        program right 2>/dev/null
        for use in $uses; do
            sed -E "s/\\b(add_it|f|g|h|later|main|of|owner|parent|plain|some|text|three|zero_it)\\b/&_${use##*/}/g" "$use/right"
        done
    } >"$tmp/use.c"
    compiles "$@"
}

# all LANGUAGE MODE FLAGS...: every use of the table; without WSFJ_TEST_MATRIX in a profiled program those that it refuses by checks
# of its own (scoped.h): the table says `in`.
all() {
    language=$1 mode=$2 uses=
    shift 2
    for use in "$tmp"/use/*; do
        case $(says as "$language") in "$language") ;; *) continue ;; esac
        case "${WSFJ_TEST_MATRIX-} $mode" in ' profile') everywhere='' ;; *) everywhere='parallel serial profile' ;; esac
        case " $(says in "$everywhere") " in *" $mode "*) uses="$uses $use" ;; esac
    done
    # One file takes a tenth of the time. If it does not compile, each use says for itself whether it does.
    right=right
    ! rights "$@" >"$tmp/rights" 2>&1 || right=:
    for use in $uses; do
        pattern=$(says says)
        check "$compiler $mode $*: $(says what): refused" refused "$@"
        case $* in *-isystem*) ;; *) check "$compiler $mode: $(says what): the right use compiles" $right "$@" ;; esac
    done
}

tried=
others='gcc clang clang-19 g++ clang++ clang++-19'
for name in ${COMPILERS:-"$CC" "$CXX" ${WSFJ_TEST_MATRIX:+$others}}; do
    case " $tried " in *" $name "*) continue ;; esac
    tried="$tried $name"
    if ! command -v "${name%% *}" >/dev/null; then
        case $name in *19) ;; *) echo "skipped: there is no $name" ;; esac
        continue
    fi
    case $($name --version 2>&1) in *clang*) most=1 ;; *) most=4 ;; esac
    case $name in *++*) language=c++ compiler="$name -std=c++17 -x c++" ;; *) language=c compiler="$name -std=c11" ;; esac
    all $language parallel "-I$srcdir/include"
    [ -z "${WSFJ_TEST_MATRIX-}" ] || all $language parallel -isystem "$srcdir/include"
    case $name${WSFJ_TEST_MATRIX:+-} in
        "$CC" | "$CC-" | "$CXX-") all $language serial "-I$srcdir/include" -DWSFJ_SERIAL ;;
    esac
    case $name in
        "$CC" | "$CXX") all $language profile "-I$srcdir/include" -DWSFJ_PROFILE ;;
    esac
    use=$tmp/use/001
    [ $language = c++ ] ||
        check "$compiler: no declaration after a statement" right "-I$srcdir/include" -Wdeclaration-after-statement
done
compiler="$CC -std=c11" pattern='exclude each other' most=4
: >"$use/wrong"
check 'profiled and serial at once: refused' refused "-I$srcdir/include" -DWSFJ_PROFILE -DWSFJ_SERIAL
compiler="$CC -std=c99" pattern='libwsfj: wsfj\.h needs C11: compile with -std=c11 or later, or with -std=gnu11'
check 'C99: refused' refused "-I$srcdir/include"
finish
