#!/bin/sh
# SPDX-License-Identifier: MIT
# profile.sh - the reports of a program compiled with -DWSFJ_PROFILE (profile.c): text and CSV. Runs in the build
# directory. Environment: srcdir, CC, SANITIZER_FLAGS, TEST_EMULATOR.
#
# Catches: a report that goes to the wrong place, follows a link, is lost, or is not what its name says; text of the
# program's that becomes another column.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
for name in $(env | sed -n 's/^\(\(WSFJ\|OMP\)_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done

# build PROGRAM FLAGS...: from profile.c.
build() {
    program=$1
    shift
    # shellcheck disable=SC2086
    $CC -std=c11 -O2 ${SANITIZER_FLAGS-} "-I$srcdir/include" "$@" -c -o "$tmp/$program.o" "$srcdir/tests/build/profile.c" &&
        link_program $CC ${SANITIZER_FLAGS-} -o "$tmp/$program" "$tmp/$program.o" libwsfj.la
}

# run VARIABLE=VALUE...: the program with $argument, if there is one; its stderr in $tmp/errors.
argument=
run() {
    # shellcheck disable=SC2086
    env "$@" ${TEST_EMULATOR-} "$tmp/run" $argument 2>"$tmp/errors"
}

# has PATTERN FILE: a line of it matches.
has() {
    grep -Eq -e "$1" "$2" && return
    cat "$2"
    return 1
}

says() {
    has "$1" "$tmp/errors"
}

check 'it builds' build run -DWSFJ_PROFILE

# Text.
check 'stderr by default' run WSFJ_PROFILE_UNIT=1
check 'regions and spawns' says '^libwsfj: profile of 2 regions, 11034 spawns$'
check 'work' says '^  work +22069$'
check 'span' says '^  span +31 +burdened +89$'
check 'speed-up' says '^  +1024 +[0-9.]+ +[0-9.]+$'
spawn=$(grep -n 'ws_spawn(fib, &x, n - 1)' "$srcdir/tests/build/profile.c" | cut -d : -f 1)
check 'a site' says "fib at .*/profile\\.c:$spawn\$"
# T1 = 22069, burdened span 89.
check 'it ends in a verdict' sh -c '[ "$(tail -n 2 "$1" | head -n 1)" = "$2" ]' sh "$tmp/errors" \
    '  The parallelism is 711.9, with the burden 248.0: enough for 145 workers, and more than 712 gain nothing.'
check 'which says what to do' sh -c 'tail -n 1 "$1" | grep -Eq "$2"' sh "$tmp/errors" \
    "^  Steals .* span 2\.9 times as long, .* first of fib at .*/profile\\.c:$spawn\.\$"
check 'the other one' says "fib at a \"<b>&c,'d\.c:7\$"
check 'in units nothing is rough' sh -c '! grep rough "$1"' sh "$tmp/errors"
check 'nor is there a word of traces' sh -c '! grep WSFJ_TRACE "$1"' sh "$tmp/errors"
argument='many 10'
check 'children that run at once' run WSFJ_PROFILE_UNIT=1
check 'are longer together than all' says "^  A site's span is the sum of its children's spans, .* longer than the program's\.\$"
argument='many 1'
check 'a single child' run WSFJ_PROFILE_UNIT=1
check 'is not' sh -c 'grep -q "^  *1 .* rarely at " "$1" && ! grep "can be longer than" "$1"' sh "$tmp/errors"
argument=nothing
check 'one strand' run WSFJ_PROFILE_UNIT=0
check 'is its own span' says '^  parallelism +1\.00   burdened +1\.00$'
argument=rough
check 'most of the work in few strands' run WSFJ_PROFILE_UNIT=0
check 'that is rough' says '^  rough: .*WSFJ_PROFILE_UNIT=1 '
argument=
check 'a trace of it' run WSFJ_PROFILE_UNIT=1 WSFJ_TRACE="$tmp/trace.json"
check 'is said to be without its tasks' says '^libwsfj: WSFJ_TRACE=.*/trace\.json: .* are not in the trace$'
check 'by the clock' run WSFJ_PROFILE_UNIT=0
check 'a span and what it may be' says '^  span +[0-9.]+ [mun]?s( to [0-9.]+ [mun]?s)?, burdened [0-9.]+ [mun]?s( to [0-9.]+ [mun]?s)?$'
check 'a parallelism and what it may be' says '^  parallelism +[0-9.]+( to [0-9.]+)?, burdened [0-9.]+( to [0-9.]+)?$'
check 'a burden' says '^  burden +[0-9.]+ [mun]?s a steal, [0-9.]+ [mun]?s a suspended join \((not )?measured'
check 'text in a file' run WSFJ_PROFILE_UNIT=1 WSFJ_PROFILE_OUT="$tmp/out.txt"
check 'it is there' has '^  work +22069$' "$tmp/out.txt"
check 'and nothing on stderr' test ! -s "$tmp/errors"

# CSV.
check 'CSV' run WSFJ_PROFILE_UNIT=1 WSFJ_PROFILE_OUT="$tmp/out.csv"
check 'a head' has '^kind,file,line,task,count,work,span,burdened_span,' "$tmp/out.csv"
check 'a total' has '^total,"",0,"",11034,22069,31,89,711\.903,247\.966,33104,0\.66665[0-9]*,units,2,0,1,1,0,0,0,0,,"run",31,31$' \
    "$tmp/out.csv"
check 'a site' has '^site,"a ""<b>&c,'"'"'d\.c",7,"fib",1,21891,20,' "$tmp/out.csv"
check 'the longest task of a site' has '^site,"a ""<b>&c,.*,0,20,,,$' "$tmp/out.csv"
check 'of many' has '^site,".*profile\.c",[0-9]+,"fib",11033,.*,0,19,,,$' "$tmp/out.csv"
check 'as many columns in each row' awk -F, '{ gsub(/"a ""<b>&c,/, "\"a") } NF != 25 { exit 1 }' "$tmp/out.csv"
check 'in the reader'"'"'s language, too' run WSFJ_PROFILE_OUT="$tmp/language.csv" LC_ALL=de_DE.UTF-8

# A page is made of CSV.
for suffix in html htm; do
    check "a page, .$suffix" run WSFJ_PROFILE_UNIT=1 WSFJ_PROFILE_OUT="$tmp/out.$suffix"
    check 'is made by another program, which is said' \
        says "^libwsfj: WSFJ_PROFILE_OUT=.*out\.$suffix cannot be written \(for a page: WSFJ_PROFILE_OUT=p\.csv, then wsfj-view p\.csv > p\.html\); the profile goes here$"
    check 'in one line, and nothing is lost' [ "$(sed -n '2s/^libwsfj: profile of .*/lost/p' "$tmp/errors")" = lost ]
    check 'there is no file' test ! -e "$tmp/out.$suffix"
done
if [ -x ./wsfj-view ]; then
    check 'wsfj-view makes it' ./wsfj-view -o "$tmp/made.html" "$tmp/out.csv"
    check 'of all that the text has' has '^<li>2 regions, 11034 spawns, 33104 strands of 0\.666[0-9]* on average; burdened span 89\.</li>$' \
        "$tmp/made.html"
fi

ln "$tmp/run" "$tmp/<i>&b"
odd() {
    env WSFJ_PROFILE_UNIT=1 "WSFJ_PROFILE_OUT=$1" ${TEST_EMULATOR-} "$tmp/<i>&b" 2>"$tmp/errors"
}
check 'an odd name in CSV' odd "$tmp/odd.csv"
check 'is in its column' has '^total,.*,"<i>&b",[0-9]+,[0-9]+$' "$tmp/odd.csv"

# Where it goes.
check 'a number in the name' run WSFJ_PROFILE_OUT="$tmp/number-%p.csv"
check 'it is the process'"'"'s' sh -c 'ls "$1" | grep -Eq "^number-[0-9]+\.csv$"' sh "$tmp"
echo precious >"$tmp/precious"
ln -s precious "$tmp/link.csv"
check 'a link' run WSFJ_PROFILE_UNIT=1 WSFJ_PROFILE_OUT="$tmp/link.csv"
check 'is not followed' has '^precious$' "$tmp/precious"
check 'which is said' says '^libwsfj: WSFJ_PROFILE_OUT=.*link\.csv cannot be written \(.+\); the profile goes here$'
check 'and the profile is not lost' says '^  work +22069$'
ln "$tmp/precious" "$tmp/hard.csv"
check 'another name of a file' run WSFJ_PROFILE_UNIT=1 WSFJ_PROFILE_OUT="$tmp/hard.csv"
check 'is not written over' has '^precious$' "$tmp/precious"
check 'which is said, too' says '^libwsfj: WSFJ_PROFILE_OUT=.*hard\.csv cannot be written \(.*second name\); the profile'
if [ "$(id -u)" -eq 0 ]; then
    echo theirs >"$tmp/theirs.csv"
    chown 65534 "$tmp/theirs.csv"
    check 'another user'"'"'s file' run WSFJ_PROFILE_UNIT=1 WSFJ_PROFILE_OUT="$tmp/theirs.csv"
    check 'is left alone' has '^theirs$' "$tmp/theirs.csv"
fi
check 'stderr by its name' run WSFJ_PROFILE_UNIT=1 WSFJ_PROFILE_OUT=/dev/stderr
check 'has the profile' says '^  work +22069$'
check 'and no line about a link' sh -c '! grep -q WSFJ_PROFILE_OUT "$1"' sh "$tmp/errors"
run WSFJ_PROFILE_UNIT=1 WSFJ_PROFILE_OUT=/dev/stdout >"$tmp/printed"
check 'and so has stdout' has '^  work +22069$' "$tmp/printed"
check 'no such folder' run WSFJ_PROFILE_UNIT=1 WSFJ_PROFILE_OUT=/nonexistent/out.csv
check 'not lost either' says '^  work +22069$'
if [ -w /dev/full ]; then
    check 'a full disk' run WSFJ_PROFILE_UNIT=1 WSFJ_PROFILE_OUT=/dev/full
    check 'is said' says 'WSFJ_PROFILE_OUT=/dev/full was cut short \(no space left'
    check 'and nothing is lost' says '^  work +22069$'
fi
check 'nonsense' run WSFJ_PROFILE_UNIT=2
check 'is said, too' says '^libwsfj: invalid value WSFJ_PROFILE_UNIT=2 \(expected 0 or 1\); using 0$'

# A task of a file that is not profiled.
printf '#include <wsfj.h>\nWS_TASK(long, elsewhere, long, n) { return n; }\n' >"$tmp/elsewhere.c"
check 'a file without' sh -c '$CC -std=c11 ${SANITIZER_FLAGS-} "-I$1/include" -c -o "$2/elsewhere.o" "$2/elsewhere.c"' \
    sh "$srcdir" "$tmp"
# shellcheck disable=SC2086
$CC -std=c11 ${SANITIZER_FLAGS-} "-I$srcdir/include" -DWSFJ_PROFILE -DELSEWHERE -c -o "$tmp/mixed.o" \
    "$srcdir/tests/build/profile.c"
# shellcheck disable=SC2086
link_program $CC ${SANITIZER_FLAGS-} -o "$tmp/mixed" "$tmp/mixed.o" "$tmp/elsewhere.o" \
    libwsfj.la 2>"$tmp/errors"
check 'its tasks cannot be spawned' test ! -e "$tmp/mixed"
check 'and the linker names the task' says 'wsfj_timed_elsewhere'
finish
