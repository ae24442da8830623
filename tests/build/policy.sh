#!/bin/sh
# SPDX-License-Identifier: MIT
# policy.sh - the numbers of lib/base/policy.h are constants in the library's machine code: each file that reads them
# compiles to the same code with the numbers written in their places. The functions that the simulator replaces are
# functions of the library here, and nothing else. Runs in the build directory. Environment: srcdir, CC, CFLAGS, NM. Skipped
# where the compiler does not fold constants (-O0).
#
# Catches: a number that is read from memory; a number that nothing reads; a function of the seam under another name in the
# library, or one that the simulator does not replace.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
NM=${NM:-nm}
command -v "${NM%% *}" >/dev/null || exit 77
policy=$srcdir/lib/base/policy.h

# compiled FILE NAME: compiles a file as the library's; its symbols go to $tmp/NAME.
compiled() {
    # shellcheck disable=SC2086
    check "$2 is compiled" $CC $CFLAGS -g0 -I. "-I$srcdir/include" -iquote "$srcdir/lib" -include config.h -c "$1" -o "$tmp/$2.o"
    $NM "$tmp/$2.o" >"$tmp/$2"
}
printf '#include "base/policy.h"\nunsigned f(void);\nunsigned f(void) { return wsfj_policy.ask_ns; }\n' >"$tmp/reads.c"
printf '#include "base/policy.h"\nextern const void *p;\nconst void *p = &wsfj_policy;\n' >"$tmp/points.c"
compiled "$tmp/reads.c" reads
! grep -q wsfj_policy "$tmp/reads" || exit 77
compiled "$tmp/points.c" points
check 'a policy in memory would be seen' grep -q wsfj_policy "$tmp/points"

$NM .libs/libwsfjcore.a 2>/dev/null >"$tmp/library"
check 'the library is there' grep -q wsfj_steal "$tmp/library"
check 'the library has no policy in memory' sh -c '! grep wsfj_policy "$1"' sh "$tmp/library"
# The seam.
grep -Eroh 'WSFJ_POLICY_FUNCTION\([a-z_]+\)\(' "$srcdir/lib" --include='*.[ch]' | sed 's/.*FUNCTION(//; s/).*//' | sort >"$tmp/seam"
check "functions of the seam: $(wc -l <"$tmp/seam")" test "$(wc -l <"$tmp/seam")" -gt 10
check 'the library has none of another name' sh -c '! grep -E "_of_library$" "$1"' sh "$tmp/library"
while read -r function; do
    [ "$function" = wsfj_run_queue_pop_of ] || # inlined
        check "the library has $function()" grep -q " T $function\$" "$tmp/library"
    check "$function() has another one in the simulator" grep -Eq "^[a-z].*\b$function\(" "$srcdir"/tools/sim/other_*.c
done <"$tmp/seam"

# Each number: "name value". The values as they stand in the initializer, comments and line ends aside.
sed -n '/^#define WSFJ_POLICY /,/^    }$/p' "$policy" | tr -d '\\\n' | grep -oE '\.[a-z_]+ = [A-Za-z0-9_]+' |
    sed 's/^\.//; s/ = / /' | LC_ALL=C sort -u >"$tmp/values"
check "all numbers are known: $(wc -l <"$tmp/values")" test "$(wc -l <"$tmp/values")" -gt 20
# With its type: a bare 1000 is signed.
while read -r number value; do
    check "$number is used" grep -Erq "wsfj_policy\.$number\b" "$srcdir/lib" --include='*.[ch]'
    printf 's/wsfj_policy\\.%s\\>/((unsigned)%s)/g\n' "$number" "$value"
done <"$tmp/values" >"$tmp/values.sed"
(cd "$srcdir" && find lib -name '*.[ch]' | tar cf - -T -) | tar xf - -C "$tmp"
files=$(cd "$srcdir" && grep -Erl 'wsfj_policy\.' lib --include='*.[ch]')
for file in $files; do
    rm -f "$tmp/$file"
    sed -f "$tmp/values.sed" "$srcdir/$file" >"$tmp/$file"
    check "$file: all numbers are replaced" sh -c '! grep -n "wsfj_policy\." "$1"' sh "$tmp/$file"
done

# object FILE.c FOLDER NAME: compiles it there, to $tmp/NAME.o, without what depends on columns and folders.
build=$(pwd) tree=$(cd "$srcdir" && pwd)
object() {
    # shellcheck disable=SC2086
    (cd "$2" && $CC $CFLAGS -g0 -fno-lto -fno-sanitize=all -fno-profile-arcs -fno-test-coverage "-I$build" \
        "-I$tree/include" -iquote lib -include config.h -c "$1" -o "$tmp/$3.o")
}
for file in $(printf '%s\n' "$files" | grep '\.c$'); do
    check "$file: compiled" object "$file" "$tree" constant
    check "$file: compiled with the numbers" object "$file" "$tmp" number
    check "$file: the same machine code" cmp "$tmp/constant.o" "$tmp/number.o"
done
check 'steal.c: compiled' object lib/sched/steal.c "$tree" constant
sed -i 's/(unsigned)1000)/(unsigned)1001)/' "$tmp/lib/sched/steal.c"
check 'another number: compiled' object lib/sched/steal.c "$tmp" number
check 'another number would be seen' sh -c '! cmp -s "$1" "$2"' sh "$tmp/constant.o" "$tmp/number.o"
finish
