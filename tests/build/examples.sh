#!/bin/sh
# SPDX-License-Identifier: MIT
# examples.sh - the programs of examples/, as they are installed: the commands of their README print what stands there;
# with one worker, with four, profiled and with other compilers (WSFJ_TEST_MATRIX=1, make check-matrix) each does what
# its serial elision does; an error costs one line. Runs in the build directory. Environment: srcdir, CC, CXX,
# SANITIZER_FLAGS, TEST_EMULATOR.
#
# Catches: an example that no longer compiles, warns, or is not installed; a header that is not installed, or elsewhere;
# a README that says something else; a wrong result; an error that is not noticed, or takes more than a line.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
if [ -n "${TEST_EMULATOR-}" ]; then
    echo 'skipped: the commands of the README do not know of an emulator'
    exit 77
fi
warnings='-Wall -Wextra -Wpedantic -Werror'
c_programs='mergesort nqueens mandelbrot rgrep wordcount pool pipeline echo mirrors nursery two_files'
programs=$c_programs
[ "$CXX" = no ] || programs="$programs quicksort"
unset WSFJ_NUM_WORKERS WSFJ_PROFILE_OUT

# An installation of this build, where pkg-config finds it.
if ! env -u MAKEFLAGS -u MFLAGS make install DESTDIR="$tmp/root" >"$tmp/install" 2>&1; then
    tail -n 5 "$tmp/install"
    exit 1
fi
pc=$(find "$tmp/root" -name libwsfj.pc)
lib=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$(dirname "$pc")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
PKG_CONFIG_SYSROOT_DIR=$tmp/root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
export LD_LIBRARY_PATH
private=
[ -e "$lib/libwsfj.so" ] || private=$(pkg-config --static --libs libwsfj)
flags="$(pkg-config --cflags --libs libwsfj) $private"
installed=$(find "$tmp/root" -path '*/examples/README.md' | sed 's|/README.md$||')
check 'the examples are installed' test -n "$installed"
names() {
    (cd "$1" && find . -name '*.[chm]*' | LC_ALL=C sort)
}
check 'all of them' [ "$(names "$installed")" = "$(names "$srcdir/examples")" ]
check 'each has less than 120 lines' awk 'FNR >= 120 { print FILENAME; exit 1 }' "$installed"/*.c* "$installed"/*/*.c*

# The README's commands, in a copy of the installed folder, by a `cc` and a `c++` that refuse warnings.
mkdir "$tmp/bin" "$tmp/cases" && cp -r "$installed" "$tmp/copy" && chmod -R u+w "$tmp/copy"
cat >"$tmp/bin/cc" <<END
#!/bin/sh
exec $CC ${SANITIZER_FLAGS-} $warnings "\$@" $private
END
cat >"$tmp/bin/c++" <<END
#!/bin/sh
exec $CXX ${SANITIZER_FLAGS-} $warnings "\$@" $private
END
chmod +x "$tmp/bin/cc" "$tmp/bin/c++"
awk -v to="$tmp/cases" '
    /^```/ { inside = /^```console/; next }
    inside && /^\$ / {
        file = sprintf("%s/%02d", to, ++n); print substr($0, 3) >(file ".sh"); printf "" >(file ".out"); next
    }
    inside { print >(file ".out") }' "$installed/README.md"
says() {
    (cd "$tmp/copy" && PATH=$tmp/bin:$PATH sh "$1.sh") >"$tmp/said" 2>&1 && diff "$1.out" "$tmp/said"
}
python=
[ ! -e "$lib/libwsfj.so" ] || [ -n "${SANITIZER_FLAGS-}" ] || python=$(command -v python3) # as python.sh has it
for file in "$tmp"/cases/*.sh; do
    case $CXX$(cat "$file") in no*quicksort*) continue ;; esac
    [ -n "$python" ] || ! grep -q python "$file" || continue
    check "README: $(cat "$file")" says "${file%.sh}"
done
for program in $c_programs quicksort; do
    check "README: $program has a line and a run" [ "$(cat "$tmp"/cases/*.sh | grep -c "$program")" -ge 2 ]
done

# compile COMPILER PROGRAM OUTPUT FLAGS...
compile() {
    case $2 in
        two_files) sources=$(echo "$installed"/two_files/*.c) ;;
        quicksort) sources="-std=c++17 $installed/quicksort.cc" ;;
        *) sources=$installed/$2.c ;;
    esac
    compiler=$1 output=$3
    shift 3
    # shellcheck disable=SC2086
    $compiler -O2 $warnings "$@" $sources $flags -o "$output"
}

# The input of all: lines with repetitions, empty ones, a long one, none at the end; a folder to search.
mkdir -p "$tmp/in/deep/er/and/deeper" "$tmp/in/empty"
awk 'BEGIN {
    for (x = i = 0; i < 20000; i++) { x = (x * 1140671 + 12345) % 16777216; print i % 100 ? x % 5000 : "" }
    for (i = 0; i < 9999; i++) printf "long line "; printf "the end" }' >"$tmp/in/lines"
printf 'a needle\nhay\n' >"$tmp/in/deep/er/and/deeper/a file"
printf 'binary needle\0\n' >"$tmp/in/deep/binary"
: >"$tmp/in/deep/nothing"
ln -s .. "$tmp/in/deep/er/loop"
for i in 1 2 3 4 5 6 7 8 9; do
    head -n "${i}000" "$tmp/in/lines" | sed 's/99/needle/' >"$tmp/in/deep/$i"
done

# run PROGRAM FILE: what it prints, in an order of its own.
run() {
    case $1 in
        mergesort) "$2" "$tmp/in/lines" ;;
        nqueens) "$2" 9 ;;
        mandelbrot) "$2" 90 60 ;;
        rgrep) "$2" needle "$tmp/in/" "$tmp/in/deep/3" | LC_ALL=C sort ;;
        wordcount) "$2" "$tmp"/in/deep/? "$tmp/in/lines" "$tmp/in/deep/nothing" ;;
        pool) seq 1 3000 | "$2" ;;
        pipeline) "$2" 20000 ;;
        echo) "$2" 100 ;;
        mirrors) "$2" 60000 'exit 1' 'echo 12; echo 34' 'exit 2' ;;
        nursery) "$2" true 'exit 3' true || [ $? -eq 3 ] ;;
        two_files) "$2" 5000 ;;
        quicksort) "$2" 300000 ;;
    esac
}

# agrees PROGRAM FILE VARIABLE...
agrees() {
    program=$1 file=$2
    shift 2
    (
        [ $# -eq 0 ] || export "$@"
        run "$program" "$file"
    ) >"$tmp/output" && cmp "$tmp/output" "$tmp/$program.wanted"
}

for program in $programs; do
    case $program in
        quicksort) own="$CXX ${SANITIZER_FLAGS-}" others='g++ clang++' ;;
        *) own="$CC ${SANITIZER_FLAGS-}" others='gcc clang' ;;
    esac
    check "$program compiles with -DWSFJ_SERIAL" compile "$own" $program "$tmp/$program.serial" -DWSFJ_SERIAL
    case $program in
        echo) echo '100 clients got their answers; fib(25) is 75025' ;; # no serial program can be its own client
        *) run $program "$tmp/$program.serial" ;;
    esac >"$tmp/$program.wanted"
    check "$program: the elision says something" test -s "$tmp/$program.wanted"
    check "$program compiles" compile "$own" $program "$tmp/$program"
    check "$program: one worker" agrees $program "$tmp/$program" WSFJ_NUM_WORKERS=1
    check "$program: four workers" agrees $program "$tmp/$program" WSFJ_NUM_WORKERS=4
    check "$program compiles with -DWSFJ_PROFILE" compile "$own" $program "$tmp/$program.profiled" -DWSFJ_PROFILE
    [ $program = echo ] || check "$program: profiled" agrees $program "$tmp/$program.profiled" WSFJ_PROFILE_OUT=/dev/null
    for other in $others; do
        [ -n "${WSFJ_TEST_MATRIX-}" ] || continue
        [ -z "${SANITIZER_FLAGS-}" ] && [ "$other " != "$own" ] && command -v "$other" >/dev/null || continue
        check "$program compiles with $other" compile "$other" $program "$tmp/$program.other"
        check "$program: with $other, four workers" agrees $program "$tmp/$program.other" WSFJ_NUM_WORKERS=4
    done
done

# Others know the right answers, too.
LC_ALL=C sort "$tmp/in/lines" >"$tmp/sorted"
check 'mergesort sorts as sort does' cmp "$tmp/sorted" "$tmp/mergesort.wanted"
(grep -rIF needle "$tmp/in/" && grep -HF needle "$tmp/in/deep/3") 2>"$tmp/no-grep" | LC_ALL=C sort >"$tmp/grepped"
[ -s "$tmp/no-grep" ] || check 'rgrep finds what grep finds' cmp "$tmp/grepped" "$tmp/rgrep.wanted"
LC_ALL=C wc "$tmp"/in/deep/? "$tmp/in/lines" "$tmp/in/deep/nothing" |
    awk '{ printf "%7d %7d %7d %s\n", $1, $2, $3, $4 }' >"$tmp/counted"
check 'wordcount counts as wc does' cmp "$tmp/counted" "$tmp/wordcount.wanted"
check 'pool compiles with -DPTHREAD_POOL' compile "$CC ${SANITIZER_FLAGS-} -pthread" pool "$tmp/pool.pthreads" \
    -DPTHREAD_POOL
check 'pool: the pool of pthreads says the same' agrees pool "$tmp/pool.pthreads"
check 'rgrep: 1 if nothing is found' sh -c '"$1" such-text-is-nowhere "$2"; [ $? -eq 1 ]' sh "$tmp/rgrep" "$tmp/in"
check 'mergesort: nothing' sh -c '"$1" </dev/null | cmp /dev/null' sh "$tmp/mergesort"
check 'pool: nothing' sh -c '"$1" </dev/null | cmp /dev/null' sh "$tmp/pool"

# refuses STATUS TEXT PROGRAM ARGUMENTS...: that exit status, and one line on stderr, which has TEXT. A program that gives
# up frees nothing: no sanitizer shall mind.
refuses() {
    status=$1 text=$2 program=$3
    shift 3
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 "$tmp/$program" "$@" >"$tmp/shown" 2>"$tmp/line"
    got=$?
    cat "$tmp/line"
    [ $got -eq "$status" ] && [ "$(wc -l <"$tmp/line")" -eq 1 ] && grep -qF "$program" "$tmp/line" &&
        grep -qF -e "$text" "$tmp/line"
}
wrong() {
    check "$3 $4 $5: one line" refuses "$@"
}
for number in 0 -1 x 8x '' 99999999999999999999; do
    wrong 2 "'$number'" nqueens "$number"
    wrong 2 "'$number'" two_files "$number"
    wrong 2 "'$number'" mandelbrot "$number"
    wrong 2 "'$number'" mandelbrot 10 "$number"
    [ "$CXX" = no ] || wrong 2 "'$number'" quicksort "$number"
done
for program in nqueens two_files mergesort mandelbrot; do
    wrong 2 usage "$program" 1 2 3
done
wrong 2 usage pool 7
wrong 2 usage pipeline 1
wrong 2 usage pipeline 20x
wrong 2 usage echo 0
wrong 2 usage echo 7 7
wrong 2 usage mirrors 100
wrong 2 usage mirrors 1x true
wrong 2 usage nursery
check 'mirrors: none succeeds' refuses 1 'none succeeds' mirrors 60000 false 'exit 2'
# A command that sleeps is not awaited.
soon() {
    start=$(date +%s)
    "$@" && [ $(($(date +%s) - start)) -lt 60 ]
}
ended() {
    "$tmp/nursery" 'sleep 100' 'sleep 0.1; exit 7' 'sleep 100' >"$tmp/shown"
    [ $? -eq 7 ] && grep -qx "'sleep 0.1; exit 7' has failed with 7: .*" "$tmp/shown"
}
check 'mirrors: none in time' soon refuses 1 'too late' mirrors 200 'sleep 100' 'sleep 100'
check 'nursery: the others are ended' soon ended
check 'nursery: all succeed' sh -c '[ "$("$1" true true)" = "2 commands have succeeded" ]' sh "$tmp/nursery"
# Few descriptors: a line, and as many clients as there is room for.
few() {
    (ulimit -n 60 && "$tmp/echo" 100) >"$tmp/shown" 2>"$tmp/line"
    [ "$(cat "$tmp/shown" "$tmp/line")" = '20 clients got their answers; fib(25) is 75025
echo: 20 clients only (ulimit -n)' ]
}
check 'echo: fewer clients' few
wrong 2 usage wordcount
wrong 2 usage rgrep text
wrong 2 'one line' rgrep 'two
lines' .
wrong 1 "$tmp/missing: No such" mergesort "$tmp/missing"
wrong 1 "$tmp/in: " mergesort "$tmp/in"
wrong 1 "$tmp/missing: No such" wordcount "$tmp/missing" "$tmp/in/lines"
check 'wordcount: the other file is counted' grep -q "20000 .*total" "$tmp/shown"
wrong 1 "$tmp/in: " wordcount "$tmp/in"
wrong 2 "$tmp/missing: No such" rgrep needle "$tmp/missing" "$tmp/in"
check 'rgrep: the other folder is searched' grep -q 'a file:a needle' "$tmp/shown"
for word in 12a -3 1234567890123456789; do
    echo "2 $word 5" >"$tmp/numbers"
    check "pool: $word" refuses 1 "'$word'" pool <"$tmp/numbers"
done

# full HOW COMMAND...: one line, and not 0.
full() {
    how=$1
    shift
    case $how in
        closed) "$@" 2>"$tmp/line" >&- ;;
        full) "$@" 2>"$tmp/line" >/dev/full ;;
    esac
    got=$?
    cat "$tmp/line"
    [ $got -ne 0 ] && [ "$(wc -l <"$tmp/line")" -eq 1 ] && grep -q 'standard output' "$tmp/line"
}
for program in $programs; do
    for how in closed full; do
        case $program in
            mergesort) set -- "$installed/README.md" ;; # less than stdout's buffer
            rgrep) set -- needle "$tmp/in" ;;
            *) set -- ;;
        esac
        if [ $# -gt 0 ]; then
            check "$program: stdout is $how" full $how "$tmp/$program" "$@"
        else
            check "$program: stdout is $how" full $how run "$program" "$tmp/$program"
        fi
    done
done
short() (
    ulimit -v 900000
    refuses "$@"
)
# A sanitizer's shadow does not fit.
if [ -z "${SANITIZER_FLAGS-}" ]; then
    check 'mandelbrot: no memory' short 1 '32768 x 32768' mandelbrot 32768 32768
    [ "$CXX" = no ] || check 'quicksort: no memory' short 1 '500000000' quicksort 500000000
fi
finish
