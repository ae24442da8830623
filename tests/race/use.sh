#!/bin/sh
# SPDX-License-Identifier: MIT
# use.sh - what a user of wsfj-race sees: stacks, JSON, suppressions, the same report each time, and one clear line for each
# wrong use. Environment: CC.
#
# Catches: a report that depends on addresses, that names what the macros make of a task, or that goes into a file of the program;
# settings that do nothing, a wrong build that finds nothing in silence.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/race/compiled"

cat >"$tmp/racy.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wsfj.h>
static long *total;
static void deep(long n) { if (n) deep(n - 1); else ++*total; }
static WS_TASK_VOID(add, long, n) { deep(n); }
static WS_TASK_VOID(all, long, n) { for (long i = 0; i < n; i++) ws_spawn(add, i); ws_sync(); }
int main(void) { total = calloc(1, 8); ws_run(all, 4L); printf("%ld\n", *total); free(total); return 0; }
END

# says TEXT: one line of wsfj-race has it.
says() {
    cat "$tmp/stderr"
    [ "$(grep -c "^wsfj-race: .*$1" "$tmp/stderr")" -eq 1 ]
}

check 'it compiles' "$race" "$CC" -O1 "$tmp/racy.c" -o "$tmp/racy"
check 'a race is status 66' ends 66 "$tmp/racy"
check 'its output is there' grep -qx 4 "$tmp/stdout"
check 'the later stack' grep -q '#1 .*deep at .*racy.c:6\|#0 deep at .*racy.c:6' "$tmp/stderr"
cp "$tmp/stderr" "$tmp/first"
for i in 1 2 3 4 5 6 7 8 9; do
    check "the same report, run $i" ends 66 "$tmp/racy"
    check "byte for byte, run $i" cmp "$tmp/first" "$tmp/stderr"
done

check 'with stacks' ends 66 "$race" --stacks "$tmp/racy"
check 'one output' test "$(grep -cx 4 "$tmp/stdout")" = 1
check 'both stacks' test "$(grep -c '#. all at .*racy.c:8' "$tmp/stderr")" -ge 2

check 'JSON' ends 66 env WSFJ_RACE_OUT="$tmp/out.json" "$tmp/racy"
check 'one object' python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
assert r["races"][0]["earlier"]["line"] == 6 and r["races"][0]["later"]["stack"], r
assert r["spawns"] == 4 and r["suppressed"] == 0 and r["regions"] == 1, r' "$tmp/out.json"
check 'text in a file' ends 66 env WSFJ_RACE_OUT="$tmp/out.txt" "$tmp/racy"
check 'which has the race' grep -q '^wsfj-race: race 1: ' "$tmp/out.txt"
check 'no such folder' ends 66 env WSFJ_RACE_OUT=/nonexistent/out "$tmp/racy"
check 'is said' says 'WSFJ_RACE_OUT=/nonexistent/out cannot be written'

cat >"$tmp/two.c" <<'END'
#include <fcntl.h>
#include <unistd.h>
#include <wsfj.h>
static long total;
WS_LOOP(each, int, i, long *, p) { *p += i; }
static WS_TASK(int, all, const char *, name)
{
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    ws_for(each, 0, 100, &total);
    return fd;
}
int main(int n, char **names) { int fd = n; return ws_run(all, &fd, names[1]) || fd != 2; }
END
in_database() {
    : >"$tmp/database"
    ends 66 "$@" "$tmp/database"
}
check 'a file of the program as descriptor 2' "$race" "$CC" -O1 "$tmp/two.c" -o "$tmp/two"
# shellcheck disable=SC2016
check 'has its race' in_database sh -c '"$1" "$2" 2>&-' sh "$tmp/two"
check 'and no line' test ! -s "$tmp/database"
check 'also with a file for the reports' in_database sh -c 'WSFJ_RACE_OUT=$1.out "$1" "$2" 2>&-' sh "$tmp/two"
check 'there they are' grep -q '#0 each at .*two.c:5' "$tmp/two.out"
check 'the loop has one frame' test "$(grep -c '#. each at' "$tmp/two.out")" = 1

echo '# known
function de?p' >"$tmp/rules"
check 'suppressed by function' ends 0 env WSFJ_RACE_SUPPRESS="$tmp/rules" "$tmp/racy"
check 'and counted' says '0 races, 1 suppressed'
echo 'file racy.c' >"$tmp/rules"
check 'suppressed by file' ends 0 env WSFJ_RACE_SUPPRESS="$tmp/rules" "$tmp/racy"
echo 'file other.c' >"$tmp/rules"
check 'another file' ends 66 env WSFJ_RACE_SUPPRESS="$tmp/rules" "$tmp/racy"
# Each side of a race suppresses it: by its function, by its file, by a function of its stack.
cat >"$tmp/left.c" <<'END'
#include <wsfj.h>
static long total;
static void left(void) { ++total; }
static WS_TASK_VOID(to_the_left, int, n) { (void)n; left(); }
#line 1 "right.c"
static void right(void) { total += 2; }
static WS_TASK_VOID(to_the_right, int, n) { (void)n; right(); }
static WS_TASK_VOID(both, int, n) { ws_spawn(to_the_left, n); ws_spawn(to_the_right, n); ws_sync(); }
int main(void) { ws_run(both, 1); return total != 3; }
END
check 'two sides' "$race" "$CC" -O0 "$tmp/left.c" -o "$tmp/sides"
check 'race' ends 66 "$tmp/sides"
for rule in 'function left' 'function right' 'file left.c' 'file right.c' "file $tmp/*.c" 'function to_the_right'; do
    printf 'function other\n%s\nfile none.c\n' "$rule" >"$tmp/rules"
    check "$rule" ends 0 env WSFJ_RACE_SUPPRESS="$tmp/rules" "$tmp/sides"
done
echo 'function to_the_left' >"$tmp/rules" # the second run knows the stack of the earlier access, too
check 'the earlier stack' ends 0 env WSFJ_RACE_SUPPRESS="$tmp/rules" "$race" --stacks "$tmp/sides"
printf 'function lef\nfile ight.c\nfunction left.c\nfile left\n' >"$tmp/rules"
check 'a part of a name' ends 66 env WSFJ_RACE_SUPPRESS="$tmp/rules" "$tmp/sides"
echo 'line 3' >"$tmp/rules"
check 'a wrong rule' ends 66 env WSFJ_RACE_SUPPRESS="$tmp/rules" "$tmp/racy"
check 'is said' says 'line 1: expected .function PATTERN. or .file PATTERN.'
check 'no such file' ends 99 env WSFJ_RACE_SUPPRESS=/nonexistent "$tmp/racy"
check 'is said' says 'WSFJ_RACE_SUPPRESS=/nonexistent cannot be read'

cat >"$tmp/null.c" <<'END'
#include <errno.h>
#include <wsfj.h>
static ws_group g;
static WS_TASK(int, refused, int, zero)
{
    return zero + (ws_submit(NULL, NULL) == EINVAL && ws_try_submit(NULL, NULL) == EINVAL &&
                   ws_group_submit(&g, NULL, NULL) == EINVAL && ws_group_try_submit(&g, NULL, NULL) == EINVAL);
}
int main(void) { int inside = 0; return ws_submit(NULL, NULL) != EINVAL || ws_run(refused, &inside, 0) || !inside; }
END
check 'a task without a function' "$race" "$CC" "$tmp/null.c" -o "$tmp/null"
check 'is refused' ends 0 "$tmp/null"
check 'by a schedule, too' ends 0 "$race" --schedules 2 "$tmp/null"

# Wrong builds.
flags="-g -DWSFJ_RACE -I$WSFJ_RACE_INCLUDEDIR -L$WSFJ_RACE_LIBDIR -Wl,-rpath,$WSFJ_RACE_LIBDIR"
check 'a sanitizer' ends 99 "$race" "$CC" -fsanitize=thread "$tmp/racy.c" -o "$tmp/wrong"
check 'is refused' says '-fsanitize=thread: .*leave out sanitizers'
check '-static' ends 99 "$race" "$CC" -static "$tmp/racy.c" -o "$tmp/wrong"
check 'is refused' says '-static: the detector is a shared library'
check '-flto' ends 99 "$race" "$CC" -O2 -flto "$tmp/racy.c" -o "$tmp/wrong"
check 'is refused' says '-flto: with link-time optimisation the compiler may leave out accesses'
check '-flto=auto' ends 99 "$race" "$CC" -flto=auto -c "$tmp/racy.c" -o "$tmp/wrong"
check 'is refused' says '-flto=auto: '
check 'an unknown option' ends 99 "$race" --stack "$tmp/racy"
check 'is refused' says 'unknown option --stack'
check 'no such program' ends 99 "$race" "$tmp/nothing"
check 'is said' says 'nothing cannot be run: '
not_instrumented() {
    # shellcheck disable=SC2086
    ! $CC $flags -c "$tmp/racy.c" -o "$tmp/wrong.o" 2>"$tmp/stderr" && grep -q 'compile with .wsfj-race cc.' "$tmp/stderr"
}
check '-DWSFJ_RACE alone' not_instrumented
# shellcheck disable=SC2086
check 'linked with libtsan' $CC $flags -fsanitize=thread "$tmp/racy.c" -lwsfj-race -o "$tmp/wrong"
check 'does not run' ends 99 setarch -R "$tmp/wrong"
check 'and says why' says 'the program is linked with libtsan\|is compiled or linked without the flags'
# clang shows these copies whatever the flags.
case $CC in
*clang*) ;;
*)
    # shellcheck disable=SC2086
    check 'with builtins' $CC $flags -fsanitize=thread -c "$tmp/racy.c" -o "$tmp/wrong.o"
    # shellcheck disable=SC2086
    check 'and the right link' "$race" $CC "$tmp/wrong.o" -o "$tmp/wrong"
    check 'does not run' ends 99 "$tmp/wrong"
    check 'and says why' says 'racy.c is compiled or linked without the flags that show copies of memory'
    ;;
esac

printf 'extern long *total; void deep(long n); void deep(long n) { *total += n; }\n' >"$tmp/plain.c"
sed 's/^static void deep.*/void deep(long n);/; s/static long \*total/long *total/' "$tmp/racy.c" >"$tmp/two.c"
check 'an object of another compiler' "$CC" -c "$tmp/plain.c" -o "$tmp/plain.o"
check 'is linked' ends 0 "$race" "$CC" "$tmp/two.c" "$tmp/plain.o" -o "$tmp/two"
check 'with a line' says 'plain.o is not compiled by wsfj-race: its accesses are not checked'
check 'two sources' "$race" "$CC" "$tmp/two.c" "$tmp/plain.c" -o "$tmp/two"
check 'are both checked' ends 66 "$tmp/two"
check 'compiled one by one' "$race" "$CC" -c "$tmp/two.c" -o "$tmp/two.o"
check 'the other one' "$race" "$CC" -c "$tmp/plain.c" -o "$tmp/one.o"
check 'and linked' "$race" "$CC" "$tmp/two.o" "$tmp/one.o" -o "$tmp/three"
if [ "${CXX:-no}" != no ]; then
    check 'C++' "$race" "$CXX" -std=c++17 -O2 "$srcdir/tests/race/cxx.cc" -o "$tmp/cxx"
    check 'is clean' ends 0 "$tmp/cxx"
    check 'or not' ends 66 "$tmp/cxx" bug
    check 'at the spawn' grep -q 'in child push, spawned at .*cxx.cc:2[89]' "$tmp/stderr"
    check 'at the variable' grep -q 'bytes of bank::total' "$tmp/stderr"
    check 'by the task' grep -q 'earlier write by put at .*cxx.cc:' "$tmp/stderr"
    check 'result of a task' grep -q 'race [0-9]*: result of value read before ws_sync' "$tmp/stderr"
    check 'a frame for each task' test "$(sed -n '/^    #/s/.* \(put\|early\|value\|all\) at .*/\1/p' "$tmp/stderr" | uniq -d)" = ''
    check 'by its own name' test "$(grep -c wsfj_ "$tmp/stderr")" = 0
    check 'wsfj.hpp' "$race" "$CXX" -std=c++17 -O2 "$srcdir/tests/race/hpp.cc" -o "$tmp/hpp"
    check 'is clean' ends 0 "$tmp/hpp"
    check 'or not' ends 66 "$tmp/hpp" bug
    check 'a result' grep -q 'race [0-9]*: result of .* read before ws_sync' "$tmp/stderr"
    check 'its spawn' grep -q 'in child .*, spawned at .*hpp.cc:17' "$tmp/stderr"
    check 'a loop' grep -q 'later write by .* at .*hpp.cc:31' "$tmp/stderr"
    check 'a reduction' grep -q 'bytes of total' "$tmp/stderr"
fi
printf 'int main(void) { return 0; }\n' >"$tmp/none.c"
check 'a program without tasks' "$race" "$CC" "$tmp/none.c" -o "$tmp/none"
check 'ends well' ends 0 "$tmp/none"
check 'and is told so' says 'no region has run: nothing was checked'
finish
