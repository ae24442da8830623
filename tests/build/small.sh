#!/bin/sh
# SPDX-License-Identifier: MIT
# small.sh - the programs of bench/peers/small that can be built here run each task and each iteration once, and the table of
# loops has a row for each. Peers that are not installed are named and left out. Lace is tried if LACE is a folder with its source,
# Taskflow also if TASKFLOW is. Builds in a folder of its own. Environment: srcdir, CC, CXX, PKG_CONFIG, SANITIZER_FLAGS,
# TEST_EMULATOR.
#
# Catches: a contender that loses a task or runs it twice, or leaves before all are done; a driver that takes any count for good;
# a table without a contender, or with a row of nothing.
srcdir=$(cd "${srcdir:-.}" && pwd)
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
for name in $(env | sed -n 's/^\(\(WSFJ\|OMP\)_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done

skip() {
    echo "skipped: $1"
    exit 77
}
[ -z "${TEST_EMULATOR-}" ] || skip 'not under an emulator'
[ -z "${SANITIZER_FLAGS-}" ] || skip 'the others know no sanitizer'

top=$PWD
for file in libwsfjcore.la .libs; do
    ln -s "$top/$file" "$tmp/$file" || exit 1
done
features=$(sed -n 's/^FEATURE_CPPFLAGS = //p' Makefile)

built() {
    (cd "$tmp" && MAKE=make MAKEFLAGS='' LIBTOOL="/bin/sh $top/libtool" PEER_CPPFLAGS="$features" PEER_LDFLAGS='' \
        sh "$srcdir/bench/peers/build" "$srcdir" peers/small)
}
programs=$tmp/bench/peers/small
check 'the programs are built' built
[ -x "$programs/wsfj-small-wsfj" ] || {
    [ "$failures" -gt 0 ] || skip 'the tables compare programs of gcc, which is not here'
    finish
}

# ran RUNTIME WORKERS LINE: it says what it has counted.
ran() {
    timeout 300 "$programs/wsfj-small-$1" check "$2" >"$tmp/counts" && [ "$(cat "$tmp/counts")" = "$3" ] && return
    cat "$tmp/counts"
    return 1
}
left_out=
for runtime in wsfj serial futex libgomp libomp tbb tbb-enqueue taskflow go glib lace; do
    if [ ! -x "$programs/wsfj-small-$runtime" ]; then
        left_out="$left_out $runtime"
        continue
    fi
    # 1010 iterations at each place.
    case $runtime in
        wsfj) line='tasks 10007, starts 100, iterations 3030' ;;
        futex) line='starts 100' ;;
        serial) line='tasks 10007, iterations 1010' ;;
        tbb-enqueue) line='tasks 10007' ;;
        go) line='tasks 10007, starts 100, iterations 1010' ;;
        glib) line='tasks 10007, starts 100' ;;
        lace) line='tasks 10007, iterations 2020' ;;
        *) line='tasks 10007, starts 100, iterations 2020' ;;
    esac
    for workers in 1 2 3; do
        check "$runtime, $workers workers" ran "$runtime" $workers "$line"
    done
done
[ -z "$left_out" ] || echo "left out:$left_out"

# seen CHANGE MESSAGE: a contender with this mistake ends with this message.
seen() {
    sed "$1" "$srcdir/bench/peers/small/serial.c" >"$tmp/mistaken.c"
    # shellcheck disable=SC2086
    ${CC:-cc} -O1 "-I$srcdir/bench/peers/small" -o "$tmp/mistaken" "$tmp/mistaken.c" "$programs"/objects/driver/*.o -lm || return
    "$tmp/mistaken" check 1 >"$tmp/shown" 2>"$tmp/message"
    [ $? -eq 1 ] && grep -Fqx "wsfj-small: $2" "$tmp/message" && return
    cat "$tmp/shown" "$tmp/message"
    return 1
}
check 'a task that is lost is seen' seen '/f(first/s/first + i/first/' 'task 0 of 10007 ran 23 times'
check 'the last task that is lost is seen' seen '0,/i < n/s/i < n/i < n - 1/' 'task 10006 of 10007 ran 0 times'
check 'an iteration that runs twice is seen' seen 's/small_iteration(runs, i);/& small_iteration(runs, 0);/' \
    'iteration 0 of 1 ran 2 times'

tables() {
    (cd "$tmp" && sh "$srcdir/bench/peers/small/run" --rounds 1 --workers 2 loops >"$tmp/tables") || return
    for program in "$programs"/wsfj-small-*; do
        rows=1
        case $program in *-glib | *-enqueue | *-futex) rows=0 ;; esac # they have no loops
        [ "$(grep -c "^${program##*small-}  *[-0-9]" "$tmp/tables")" = $rows ] || {
            echo "not $rows rows of $program"
            cat "$tmp/tables"
            return 1
        }
    done
    for runtime in $left_out; do
        grep -q "^$runtime: left out, " "$tmp/tables" || return
    done
    grep -Eq '^wsfj +[0-9.]+ +1\.00 +[0-9.]+ +1\.00 +[0-9.]+ +1\.00$' "$tmp/tables"
}
check 'the table of loops has a row for each' tables
finish
