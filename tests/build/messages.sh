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

# The programs: 003/wrong.c, 003/right. The words of each use in a line of `table`: number, as, in, most, lines, says, what.
mkdir "$tmp/use"
cat >"$tmp/head" <<'END'
#include <wsfj.h>
struct point { double x, y; };
WS_TASK(long, add, long, a, long, b) { return a + b; }
WS_TASK(long, zero) { return 0; }
WS_TASK(struct point, at, double, x) { struct point p = {x, 0}; return p; }
WS_TASK_VOID(note, int, n) { (void)n; }
WS_TASK_VOID(nothing) { }
WS_DECLARE(long, elsewhere, long, a, long, b);
END
awk -v out="$tmp/use" -v table="$tmp/table" '
    function row() {
        if (n)
            printf "%03d\t%s\t%s\t%s\t%s\t%s\t%s\n", n, of["as"], of["in"], of["most"], of["lines"], of["says"], of["what"] >table
        of["as"] = of["in"] = of["most"] = of["lines"] = "-"
    }
    FILENAME ~ /head$/ { head = head $0 "\n"; next }
    /^#/ { next }
    /^what: / { row(); use = out "/" sprintf("%03d", ++n); system("mkdir " use) }
    match($0, /^[a-z ]+: /) {
        key = substr($0, 1, RLENGTH - 2)
        text = substr($0, RLENGTH + 1)
        if (split(key, part, " ") == 2)
            text = part[2] == "task" ? "WS_TASK(long, parent, long, n) { long r = 0; (void)r; (void)n; " text " ws_sync(); return r; }" \
                                     : "int main(void) { long r = 0; (void)r; " text " }"
        of[part[1]] = text
        if (part[1] == "wrong")
            printf "%s%s\n", head, text >(use "/wrong.c")
        if (part[1] == "right")
            print text >(use "/right")
        close(use "/" part[1])
        close(use "/wrong.c")
    }
    END { row() }' "$tmp/head" "$srcdir/tests/build/messages"

# refused WRONG.c FLAGS...: it does not compile, and the first message matches $says.
refused() {
    wrong=$1
    shift
    # shellcheck disable=SC2086
    if LC_ALL=C $compiler $SANITIZER_FLAGS "$@" -S -o "$tmp/use.s" "$wrong" >"$tmp/message" 2>&1; then
        echo 'it compiles'
        return 1
    fi
    says=$says awk -v most="$most" -v lines="$lines" '
        NR <= 16 { print substr($0, 1, 150) }
        /(error|warning): / && !n++ { first = $0 }
        END {
            if (first !~ ENVIRON["says"]) { print "does not say first: " ENVIRON["says"]; exit 1 }
            if (n > most) { print n " messages, more than " most; exit 1 }
            if (NR > lines) { print NR " lines, more than " lines; exit 1 }
        }' "$tmp/message"
}

compiles() {
    # shellcheck disable=SC2086
    $compiler $SANITIZER_FLAGS -Wall -Wextra -Wpedantic -Werror "$@" -S -o "$tmp/use.s" "$tmp/use.c"
}

# right NUMBER FLAGS...
right() {
    cat "$tmp/head" "$tmp/use/$1/right" >"$tmp/use.c"
    shift
    compiles "$@"
}

# All right uses at once, each with names of its own.
rights() {
    {
        cat "$tmp/head"
        while IFS=$tab read -r use _; do
            sed -E "s/\\b(add_it|f|g|h|later|main|of|owner|parent|plain|some|text|three|zero_it)\\b/&_$use/g" "$tmp/use/$use/right"
        done <"$tmp/chosen"
    } >"$tmp/use.c"
    compiles "$@"
}

# all LANGUAGE MODE FLAGS...: every use of the table; without WSFJ_TEST_MATRIX in a profiled program those that it refuses by checks
# of its own (scoped.h): the table says `in`.
tab=$(printf '\t')
all() {
    language=$1 mode=$2
    shift 2
    case "${WSFJ_TEST_MATRIX-} $mode" in ' profile') everywhere='' ;; *) everywhere='parallel serial profile' ;; esac
    awk -F '\t' -v language="$language" -v mode="$mode" -v everywhere="$everywhere" '
        ($2 == "-" || $2 == language) && index(" " ($3 == "-" ? everywhere : $3) " ", " " mode " ")' "$tmp/table" >"$tmp/chosen"
    # One file takes a tenth of the time. If it does not compile, each use says for itself whether it does.
    right=right
    ! rights "$@" >"$tmp/rights" 2>&1 || right=:
    while IFS=$tab read -r use _ _ most lines says what; do
        [ "$most" != - ] || most=$usual
        [ "$lines" != - ] || lines=25
        check "$compiler $mode $*: $what: refused" refused "$tmp/use/$use/wrong.c" "$@"
        case $* in *-isystem*) ;; *) check "$compiler $mode: $what: the right use compiles" $right "$use" "$@" ;; esac
    done <"$tmp/chosen"
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
    case $($name --version 2>&1) in *clang*) usual=1 ;; *) usual=4 ;; esac
    case $name in *++*) language=c++ compiler="$name -std=c++17 -x c++" ;; *) language=c compiler="$name -std=c11" ;; esac
    all $language parallel "-I$srcdir/include"
    [ -z "${WSFJ_TEST_MATRIX-}" ] || all $language parallel -isystem "$srcdir/include"
    case $name${WSFJ_TEST_MATRIX:+-} in
        "$CC" | "$CC-" | "$CXX-") all $language serial "-I$srcdir/include" -DWSFJ_SERIAL ;;
    esac
    case $name in
        "$CC" | "$CXX") all $language profile "-I$srcdir/include" -DWSFJ_PROFILE ;;
    esac
    [ $language = c++ ] ||
        check "$compiler: no declaration after a statement" right 001 "-I$srcdir/include" -Wdeclaration-after-statement
done
compiler="$CC -std=c11" says='exclude each other' most=4 lines=25
check 'profiled and serial at once: refused' refused "$tmp/head" -x c "-I$srcdir/include" -DWSFJ_PROFILE -DWSFJ_SERIAL
compiler="$CC -std=c99" says='libwsfj: wsfj\.h needs C11: compile with -std=c11 or later, or with -std=gnu11'
check 'C99: refused' refused "$tmp/head" -x c "-I$srcdir/include"
finish
