#!/bin/sh
# SPDX-License-Identifier: MIT
# misuse.sh - wrong uses do not compile, and the message helps; beside each there is the right use, which compiles.
# Environment: srcdir, CC, SANITIZER_FLAGS.
#
# Catches: a macro that accepts anything: the mistake would show as a wrong result at run time, in a steal.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

compile() {
    {
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
        printf '%s\n' "$1"
    } >"$tmp/use.c"
    shift
    # shellcheck disable=SC2086
    $CC -std=c11 $SANITIZER_FLAGS "-I$srcdir/include" "$@" -c -o "$tmp/use.o" "$tmp/use.c"
}

# refused PATTERN TEXT FLAGS...: TEXT does not compile, and the first error matches PATTERN.
refused() {
    pattern=$1
    shift
    if compile "$@" 2>"$tmp/message"; then
        echo 'it compiles'
        return 1
    fi
    cat "$tmp/message"
    grep -E 'error' "$tmp/message" | grep -Eq "$pattern"
}

in_task() {
    printf 'WS_TASK(long, parent, long, n) { long r = 0; (void)r; (void)n; %s ws_sync(); return r; }' "$1"
}

in_main() {
    printf 'int main(void) { long r = 0; (void)r; %s return (int)r; }' "$1"
}

# pair WHAT PATTERN WRONG RIGHT [FLAGS...]: two whole functions.
pair() {
    what=$1 pattern=$2 wrong=$3 right=$4
    shift 4
    check "$what: the right use compiles $*" compile "$right" -Wall -Werror "$@"
    check "$what: refused $*" refused "$pattern" "$wrong" "$@"
}

# The same mistakes must be found with the serial elision.
for mode in -DWSFJ_PARALLEL -DWSFJ_SERIAL -DWSFJ_PROFILE; do
    pair 'ws_spawn, one argument too few' 'few arg|add' "$(in_task 'ws_spawn(add, &r, 1L);')" \
        "$(in_task 'ws_spawn(add, &r, 1L, n);')" $mode
    pair 'ws_spawn, one argument too many' 'many arg|add' "$(in_task 'ws_spawn(add, &r, 1L, n, n);')" \
        "$(in_task 'ws_spawn(add, &r, 1L, n);')" $mode
    pair 'ws_spawn, no result pointer' 'few arg|add' "$(in_task 'ws_spawn(add, 1L, n);')" \
        "$(in_task 'ws_spawn(add, NULL, 1L, n);')" $mode
    pair 'ws_spawn, a result pointer for a task without a result' 'many arg|note' \
        "$(in_task 'ws_spawn(note, &r, 1);')" "$(in_task 'ws_spawn(note, 1);')" $mode
    pair 'ws_call, one argument too few' 'few arg|add' "$(in_task 'r = ws_call(add, 1L);')" \
        "$(in_task 'r = ws_call(add, 1L, n);')" $mode
    pair 'ws_call, one argument too many' 'many arg|zero' "$(in_task 'r = ws_call(zero, n);')" \
        "$(in_task 'r = ws_call(zero);')" $mode
    pair 'ws_spawn of a declared task, one argument too few' 'few arg|elsewhere' \
        "$(in_task 'ws_spawn(elsewhere, &r, 1L);')" "$(in_task 'ws_spawn(elsewhere, &r, 1L, n);')" $mode
    pair 'ws_call of a declared task, one argument too many' 'many arg|elsewhere' \
        "$(in_task 'r = ws_call(elsewhere, 1L, n, n);')" "$(in_task 'r = ws_call(elsewhere, 1L, n);')" $mode
    pair 'ws_run, one argument too few' 'few arg|add' "$(in_main 'return ws_run(add, &r, 1L);')" \
        "$(in_main 'return ws_run(add, &r, 1L, 2L);')" $mode
    pair 'ws_run, one argument too many' 'many arg|add' "$(in_main 'return ws_run(add, &r, 1L, 2L, 3L);')" \
        "$(in_main 'return ws_run(add, &r, 1L, 2L);')" $mode
    pair 'ws_spawn, a result pointer of another type' 'result' "$(in_task 'int i; ws_spawn(add, &i, 1L, n);')" \
        "$(in_task 'long i; ws_spawn(add, &i, 1L, n); (void)i;')" $mode
    pair 'ws_spawn, a result pointer of another structure' 'result' "$(in_task 'ws_spawn(at, &r, 1.0);')" \
        "$(in_task 'struct point p; ws_spawn(at, &p, 1.0); (void)p;')" $mode
    pair 'ws_spawn, a pointer for a number' 'add|integer|pointer|type' "$(in_task 'ws_spawn(add, &r, 1L, &n);')" \
        "$(in_task 'ws_spawn(add, &r, 1L, n);')" $mode -Werror
    pair 'ws_spawn of a function that is no task' 'abs' "$(printf '#include <stdlib.h>\n%s' "$(in_task 'int i; ws_spawn(abs, &i, 1);')")" \
        "$(printf '#include <stdlib.h>\nWS_SPAWNABLE(int, abs, int, i);\n%s' "$(in_task 'int i; ws_spawn(abs, &i, 1); (void)i;')")" $mode -Werror=implicit-function-declaration
    pair 'a parameter without a name' 'type and a name' 'WS_TASK(long, half, long) { return 0; }' \
        'WS_TASK(long, half, long, n) { return n; }' $mode
    pair 'nine parameters' '~|WSFJ|error' \
        'WS_TASK(int, nine, int, a, int, b, int, c, int, d, int, e, int, g, int, h, int, i, int, j) { return a; }' \
        'WS_TASK(int, eight, int, a, int, b, int, c, int, d, int, e, int, g, int, h, int, i) { return a + b + c + d + e + g + h + i; }' $mode
    pair 'an assignment of nothing' 'void' "$(in_task 'r = ws_call(note, 1);')" "$(in_task 'ws_call(note, 1);')" $mode
done

# Not with the elision: there a spawn is a call.
for mode in -DWSFJ_PARALLEL -DWSFJ_PROFILE; do
    pair 'ws_spawn outside of a task' 'wsfj_f' 'long f(void) { long r; ws_spawn(add, &r, 1L, 2L); ws_sync(); return r; }' \
        'long f(void) { ws_frame(); long r; ws_spawn(add, &r, 1L, 2L); ws_sync(); return r; }' $mode
    pair 'ws_sync outside of a task' 'wsfj_f' 'void f(void) { ws_sync(); }' 'void f(void) { ws_frame(); ws_sync(); }' $mode
    pair 'ws_call outside of a task' 'wsfj_f' 'long f(void) { return ws_call(zero); }' 'long f(void) { return zero(); }' $mode
done
check 'profiled and serial at once: refused' refused 'exclude each other' '' -DWSFJ_PROFILE -DWSFJ_SERIAL
finish
