#!/bin/sh
# SPDX-License-Identifier: MIT
# policy.sh - the numbers of lib/base/policy.h are constants in the library's machine code. Runs in the build directory.
# Environment: srcdir, CC, CFLAGS, NM. Skipped where the compiler does not fold constants (-O0).
#
# Catches: a number that is read from memory, or a call through one of the pointers, which only the simulator has; a
# number that nothing reads.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
NM=${NM:-nm}
command -v "${NM%% *}" >/dev/null || exit 77

# compiled NAME: compiles a file that includes the policy; its symbols go to $tmp/NAME.
compiled() {
    # shellcheck disable=SC2086
    check "$1.c is compiled" $CC $CFLAGS "-I$srcdir/include" -iquote "$srcdir/lib" -c "$tmp/$1.c" -o "$tmp/$1.o"
    $NM "$tmp/$1.o" >"$tmp/$1"
}
printf '#include "base/policy.h"\nunsigned f(void);\nunsigned f(void) { return wsfj_policy.ask_ns; }\n' >"$tmp/reads.c"
printf '#include "base/policy.h"\nextern const void *p;\nconst void *p = &wsfj_policy;\n' >"$tmp/points.c"
compiled reads
! grep -q wsfj_policy "$tmp/reads" || exit 77
compiled points
check 'a policy in memory would be seen' grep -q wsfj_policy "$tmp/points"

$NM .libs/libwsfjcore.a 2>/dev/null >"$tmp/library"
check 'the library is there' grep -q wsfj_steal "$tmp/library"
check 'the library has no policy in memory' sh -c '! grep wsfj_policy "$1"' sh "$tmp/library"

grep -oE '\.[a-z_]+ = ' "$srcdir/lib/base/policy.h" | tr -d '. =' | LC_ALL=C sort -u >"$tmp/names"
check "all numbers are known: $(wc -l <"$tmp/names")" test "$(wc -l <"$tmp/names")" -gt 20
while read -r name; do
    check "$name is used" grep -Erq "wsfj_policy\.$name\b" "$srcdir/lib" --include='*.c'
done <"$tmp/names"
finish
