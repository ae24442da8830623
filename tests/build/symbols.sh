#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh - libwsfj.so exports what the public headers declare, and nothing else. Runs in the build directory.
# Environment: srcdir, CC, NM. Skipped without a shared library.
#
# Catches: a declared function that is not exported (a user's program does not link); a private name that programs could
# depend on or collide with; getenv(), system() and the like, which are unsafe in a set-uid program.
srcdir=${srcdir:-.}
so=.libs/libwsfj.so
[ -e "$so" ] || exit 77
. "$srcdir/tests/build/checks"
NM=${NM:-nm}
command -v ${NM%% *} >/dev/null || exit 77

# The names that the headers declare, after preprocessing: before a parenthesis or a semicolon in a file-scope
# declaration that is not static.
for mode in -DWSFJ_PARALLEL -DWSFJ_PROFILE; do
    printf '#include <wsfj.h>\n' | $CC -std=gnu11 "-I$srcdir/include" $mode -E -P -x c -
done >"$tmp/all.c"
awk '{
    # One line for each declaration: cut function bodies and structs out by counting braces.
    for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        if (c == "{") depth++
        else if (c == "}") depth--
        else if (depth == 0) text = text c
        if (depth == 0 && (c == ";" || c == "}")) { print text; text = "" }
    }
    text = text " "
}' "$tmp/all.c" | grep -Ev '(^| )(static|typedef) |^ *struct [a-z_]+ *;' |
    grep -oE '\b(ws|wsfj)_[a-z0-9_]+ *(\(|;)' | sed 's/ *[(;]$//' | sort -u |
    grep -vxE 'wsfj_f|wsfj_unfit' >"$tmp/declared" # only the checks at a spawn look these up, and nothing calls them

$NM -D --defined-only "$so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$tmp/exported"

check 'the headers declare something' test "$(wc -l <"$tmp/declared")" -gt 15
check 'ws_init is among it' grep -qx ws_init "$tmp/declared"
while read -r name; do
    check "$name is declared, so it is exported" grep -qx "$name" "$tmp/exported"
done <"$tmp/declared"
while read -r name; do
    check "$name is exported, so it is declared" grep -qx "$name" "$tmp/declared"
done <"$tmp/exported"
# Our functions call each other without the PLT (-Bsymbolic-functions), if the linker can.
readelf=$($CC -print-prog-name=readelf)
no_own_plt() {
    $readelf -rW "$so" | grep -E 'JUMP_SLO|GLOB_DAT' | grep -E ' wsfj?_[a-z_]+@' | grep -v wsfj_tls && return 1
    $readelf -rW "$so" | grep -q 'JUMP_SLO\|GLOB_DAT' # the others do
}
if grep -q 'Bsymbolic-functions' Makefile; then
    check 'no call of our own goes through the PLT' no_own_plt
fi
# A program that is not position-independent has its own address for each of our functions. It is the same for all who ask.
cat >"$tmp/addresses.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include "fib_task.h"
#define SAME(f) (same((uintptr_t)f, #f))
static int same(uintptr_t here, const char *name)
{
    if (here == (uintptr_t)dlsym(RTLD_DEFAULT, name))
        return 1;
    printf("%s has two addresses\n", name);
    return 0;
}
int main(void)
{
    long r = 0;
    int equal = SAME(ws_init) & SAME(ws_fini) & SAME(ws_worker_id) & SAME(ws_yield) & SAME(wsfj_descriptor_fetch) & SAME(wsfj_serial_end);

    return !equal || ws_run(fib, &r, 20) || r != 6765;
}
END
addresses() {
    # shellcheck disable=SC2086
    $CC $SANITIZER_FLAGS -std=gnu11 "$@" "-I$srcdir/include" "-I$srcdir/tests/support" "$tmp/addresses.c" -o "$tmp/addresses" "$so" -Wl,-rpath,"$PWD/.libs" &&
        ${TEST_EMULATOR-} "$tmp/addresses"
}
check 'addresses of our functions, position-independent' addresses -fPIE -pie
check 'addresses of our functions, not position-independent' addresses -fno-pic -no-pie
# gcc on x86 only. Without a line, the program would crash somewhere.
says_split_stack() {
    addresses -fsplit-stack 2>&1 | grep -q 'libwsfj: the program has code compiled with -fsplit-stack'
}
if [ -z "${TEST_EMULATOR-}" ] && echo 'int main(void) { return 0; }' | $CC -fsplit-stack -x c -o "$tmp/split" - 2>/dev/null; then
    check 'a program with -fsplit-stack is told' says_split_stack
fi
# The library reads variables with secure_getenv(), and starts no program.
$NM -D --undefined-only "$so" | sed 's/@.*//' | awk '{ print $2 }' >"$tmp/used"
check 'secure_getenv() is used' grep -qx secure_getenv "$tmp/used"
for name in getenv system popen execve execv execvp execl execlp posix_spawn posix_spawnp tempnam tmpnam; do
    check "$name() is not used" sh -c "! grep -qx $name '$tmp/used'"
done
finish
