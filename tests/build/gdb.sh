#!/bin/sh
# SPDX-License-Identifier: MIT
# gdb.sh - gdb with tools/gdb.py on tests/debugger/family.c: backtraces continue to main() and have the tasks' names, and the
# commands are right; on calls.c: breakpoints at tasks; on waits.c: what tasks wait for. Runs in the build directory, with the shared library; WSFJ_TEST_MATRIX=1 (make check-matrix): also with the static one and a
# program without optimisation. Skipped where there is no gdb with Python, or it may not trace. Environment: srcdir, CC,
# SANITIZER_FLAGS, LIBRARY_LIBS, TEST_EMULATOR.
#
# Catches: a backtrace that ends at the bottom of a stack, at a slow-path exit, or below ws_run(); registers that
# are not those of the frame; a frame that has the name of a macro's function, or is shown twice; a worker, stack or length
# that is shown wrongly; a script that needs more than a symbol table; a breakpoint that misses copies of a task.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

skip() {
    echo "$1"
    exit 77
}

command -v gdb >/dev/null || skip 'gdb is not here (Debian: gdb)'
[ "$(gdb -nx -batch -ex 'python print(6 * 7)' 2>/dev/null)" = 42 ] || skip 'gdb has no Python'
gdb -nx -batch -ex run /bin/true 2>/dev/null | grep -q 'exited normally' || skip 'gdb may not trace'
[ -z "${TEST_EMULATOR-}" ] || skip 'not under an emulator'
[ -z "${SANITIZER_FLAGS-}" ] || skip "a sanitizer's frames come between"
! grep -q '^#define WSFJ_SWITCH_PORTABLE' config.h || skip 'backtraces end at the bottom of a stack with the portable switch'
case $(uname -m) in
    x86_64) ;;
    *) skip "not on $(uname -m)" ;;
esac
echo '#include <features.h>' | $CC -E -dM - | grep -q __GLIBC__ || skip 'gdb finds no way out of the functions of a libc without unwind tables'
here=$(pwd)
source=$srcdir/tests/debugger/family.c
calls=$srcdir/tests/debugger/calls.c
waits=$srcdir/tests/debugger/waits.c

# build PROGRAM FLAGS... -- LIBRARIES...
build() {
    program=$1
    shift
    # shellcheck disable=SC2086
    flags= && while [ "$1" != -- ]; do flags="$flags $1" && shift; done
    shift
    # shellcheck disable=SC2086
    $CC -std=gnu11 -g $flags "-I$srcdir/include" "$source" "$@" -o "$tmp/$program"
}

# debug LIBDIR COMMANDS... -- GDB ARGUMENTS...: what gdb says to each command is in $tmp/said.
debug() {
    library_path=$1
    shift
    option=-ex
    for argument; do
        shift
        case $option$argument in
            -ex--) option= ;;
            -ex*) set -- "$@" -ex "$argument" ;;
            *) set -- "$@" "$argument" ;;
        esac
    done
    env -u WSFJ_NUM_WORKERS -u WSFJ_PLACES LD_LIBRARY_PATH="$library_path" timeout "${WSFJ_TEST_LIMIT:-120}" \
        gdb -nx -batch -ex 'set width 0' -ex 'set debuginfod enabled off' -ex 'set print thread-events off' -x "$srcdir/tools/gdb.py" "$@" \
        </dev/null >"$tmp/said" 2>&1
}

# in_order PATTERN...: lines that match, one after the other.
in_order() {
    from=1
    for pattern; do
        line=$(tail -n "+$from" "$tmp/said" | grep -nE -m 1 -e "$pattern" | cut -d: -f1)
        if [ -z "$line" ]; then
            echo "no $pattern from line $from on"
            tail -n "+$from" "$tmp/said"
            return 1
        fi
        from=$((from + line))
    done
}

says() {
    grep -Eq -e "$1" "$tmp/said" && return
    echo "no $1"
    cat "$tmp/said"
    return 1
}

# appears N PATTERN
appears() {
    [ "$(grep -Ec -e "$2" "$tmp/said")" -eq "$1" ] && return
    echo "not $1 times $2"
    cat "$tmp/said"
    return 1
}

line_of() {
    grep -n "$1" "$source" | head -n 1 | cut -d: -f1
}

at() {
    echo "family\\.c:$(line_of "$1")"
}

# The parts of a backtrace. A slow-path exit has the line of its sync.
inside="^#[0-9]+ .*"
bottom="${inside}wsfj_context_start"
suspended="^#[0-9]+ +<stack [0-9]+ was stolen from stack [0-9]+, suspended>"
running="^#[0-9]+ +<stack [0-9]+ was stolen from stack [0-9]+, running>"
in_child="${inside}child \\(n=[^,)]*\\) .*$(at "the child's sync")"
in_elder="${inside}elder \\(n=[^,)]*\\) .*$(at "the elder's sync")"

rest_is_main() {
    in_order "$@" '<root of stack [0-9]+>' "${inside}wsfj_root_run" "${inside}begin \\(.*n=39" "${inside}main \\("
}

everything_waits() {
    rest_is_main '^#[0-9]+ .*reached' "${inside}grandchild \\(n=[^,)]*\\)" "$bottom" \
        "$suspended" "${inside}wsfj_sync_" "$in_child" "$bottom" \
        "$suspended" "${inside}wsfj_sync_" "$in_elder" "$bottom" &&
        appears 0 "${inside}wsfj_(body|run_0|go|exec)_[a-z]" && appears 1 "${inside}grandchild"
}

elder_runs() {
    rest_is_main '^#0 .*reached' "$bottom" "$suspended" "$in_child" "$bottom" "$running" "${inside}elder \\(\\)" &&
        appears 0 'busy'
}

workers_are_right() {
    running_worker='^worker [0-2]: running in thread [0-9]+, stack [0-9]+,'
    says "$running_worker stolen grandchild \\(.*$(at 'task grandchild')\\), deque 2, queue 0\$" &&
        says "$running_worker detached witness, deque 0, queue 2\$" && appears "$1" "$running_worker detached witness"
}

# The numbers differ from run to run, their relations do not. On a slow machine a witness may have waited long enough for a
# task to give way to it at its sync: that task then waits for a worker, all of which are kept busy.
stacks_are_right() {
    stack='s/^stack \([0-9]*\):'
    elder=$(sed -n "$stack root elder (.*$(at 'task elder')), $1\$/\\1/p" "$tmp/said")
    child=$(sed -n "$stack stolen child (.*$(at 'task child')), waits for \\(1 child\\|a worker\\), parent: stack $elder\$/\\1/p" "$tmp/said")
    [ -n "$child" ] &&
        says "^stack [0-9]+: stolen grandchild .*, runs on worker [0-2] in thread [0-9]+, parent: stack $child\$" && return
    cat "$tmp/said"
    return 1
}

stop='break reached'
[ -e .libs/libwsfj.so ] && library=$here/.libs/libwsfj.so || library=
static=
if [ -z "$library" ] || [ -n "${WSFJ_TEST_MATRIX-}" ]; then
    [ ! -e .libs/libwsfj.a ] || static=.libs/libwsfj.a
fi
if [ -n "$library" ]; then
    check 'a program compiles' build family -O2 -- "$library"
    [ -z "${WSFJ_TEST_MATRIX-}" ] || check 'one without optimisation compiles' build plain -O0 -fno-omit-frame-pointer -- "$library"
fi
# shellcheck disable=SC2086
[ -z "$static" ] || check 'a static one compiles' build static -O2 -- $static $LIBRARY_LIBS

# shellcheck disable=SC2086
clang=$($CC -v 2>&1 | grep -c 'clang version')

# all_of PROGRAM LIBDIR NAME: what holds in each build.
all_of() {
    debug "$2" "$stop" 'run waits' bt 'frame apply all -s -q print mine' 'frame apply all -s -q print one*1000+two*100+three*10+four' \
        -- "$tmp/$1"
    check "$3: from a grandchild to main, all of them waiting" everything_waits
    [ "$1" != plain ] || check "$3: a variable of the elder's" says '^\$1 = 78'
    # clang does not tell where they are in optimised code.
    [ "$clang" -gt 0 ] && [ "$1" != plain ] || check "$3: the caller's variables in registers" says '= 6789$'
    debug "$2" "$stop" 'run runs' bt -- "$tmp/$1"
    check "$3: past an elder that runs" elder_runs
    debug "$2" "$stop" 'run waits' 'wsfj workers' 'wsfj stacks' -- "$tmp/$1"
    check "$3: workers, all else waiting" workers_are_right 2
    check "$3: stacks, all else waiting" stacks_are_right 'waits for \(1 child\|a worker\)'
    debug "$2" "$stop" 'run runs' 'wsfj workers' 'wsfj stacks' -- "$tmp/$1"
    check "$3: workers, the elder running" workers_are_right 1
    check "$3: stacks, the elder running" stacks_are_right 'runs on worker [0-2] in thread [0-9]*'
    debug "$2" "$stop" 'run guest' bt 'wsfj workers' 'wsfj stacks' -- "$tmp/$1"
    check "$3: past an elder in the thread of its caller" elder_runs
    check "$3: the guest" says '^worker [0-2]: guest in thread 1, stack [0-9]+, root elder \(.*\), deque 0, queue 0$'
    check "$3: stacks, with a guest" stacks_are_right 'runs on worker [0-2] in thread 1'
}

# Stack N by itself, suspended or running; what is not there.
by_number() {
    number='python all = gdb.execute("wsfj stacks", to_string=True);'
    number="$number import re; elder = re.search('stack (.+): root elder', all).group(1)"
    debug "$1" "$stop" 'run waits' "$number" 'python gdb.execute("wsfj bt " + elder)' -- "$tmp/$2"
    check 'a suspended stack by its number' rest_is_main '^#0 .*(switch_told|wsfj_asan_switch|wsfj_fiber_run_leave)' "$in_elder" "$bottom"
    check '... and no other frames' appears 0 '^#.*(reached|grandchild|between|morestack)'
    debug "$1" "$stop" 'run runs' "$number" 'python gdb.execute("wsfj bt " + elder)' frame -- "$tmp/$2"
    check 'a running stack by its number' rest_is_main '^#0 .*' "${inside}busy" "${inside}elder" "$bottom"
    check '... and the thread is selected as before' in_order "${inside}main \\(" '^#0 +reached'
    for arguments in 'bt 77' bt; do
        debug "$1" "$stop" 'run waits' "wsfj $arguments" -- "$tmp/$2"
        check "wsfj $arguments is refused in one line" says '^wsfj bt.*(there is no such stack|which stack)'
    done
}

# hits NUMBER LEAST: how often `info breakpoints` says that a breakpoint was hit.
hits() {
    n=$(sed -n "/^$1 /,/^[0-9]* /s/.*breakpoint already hit \([0-9]*\) times*/\1/p" "$tmp/said")
    [ "${n:-0}" -ge "$2" ] && return
    echo "breakpoint $1: hit ${n:-0} times"
    cat "$tmp/said"
    return 1
}

# Breakpoints at tasks. Optimised code is in many copies, and a copy may have more than one place.
by_name() {
    debug "$1" 'wsfj break solve' 'ignore 1 100000' 'wsfj break mark' 'ignore 2 100000' run 'info breakpoints' -- "$tmp/$2"
    check "$2: a breakpoint at a task stops in all copies" hits 1 67
    check "$2: ... and at a loop in each iteration" hits 2 10
    check "$2: ... and the program ends as it does" says '^21 3$'
    debug "$1" 'wsfj break solve if n == 1' run 'bt 1' -- "$tmp/$2"
    check "$2: a condition" says '^#0 +(0x[0-9a-f]+ in )?solve \(n=(1|<optimized out>)\)'
    debug "$1" 'wsfj break solve' 'wsfj break mark' 'info breakpoints' "file $tmp/$2" run 'bt 1' 'delete 1 2' c 'bt 1' 'info breakpoints' --
    check "$2: a task that comes later" in_order 'PENDING.*wsfj_body_solve' '^#0 .*solve \(n=' '^#0 .*mark \(.*by=3' \
        '^3 .* n .*wsfj_body_mark|^3 .* n .*MULTIPLE' '^4 .* y '
    debug "$1" 'break solve' 'break main' 'break mark' -- "$tmp/$2"
    check "$2: a plain breakpoint names the other one" in_order '^wsfj: solve is a task' 'wsfj break solve' 'wsfj break mark'
    check "$2: ... only of tasks" appears 2 '^wsfj: .* is a task'
    debug "$1" 'wsfj break solve if nothing' 'wsfj break 7' 'wsfj break solve if' 'wsfj break main' -- "$tmp/$2"
    check "$2: what cannot be is refused in one line" appears 3 '^wsfj break: (No symbol "nothing"|the name of a task)'
    check "$2: ... without a trace of Python" appears 0 'Traceback|Exception'
    check "$2: another function has its plain breakpoint" says '^Breakpoint 1 at .*calls\.c'
}

# waits_for FUNCTION WORDS: a detached task in this function, and what it waits for, for how long and perhaps until when.
waits_for() {
    says "^stack [0-9]+: detached $1, $2, for [0-9]+\\.[0-9] s${3+, $3}\$"
}

until_later='timer in 3[56][0-9][0-9]\.[0-9] s'

each_wait_is_told() {
    holder=$(sed -n 's/^stack \([0-9]*\): detached holder,.*/\1/p' "$tmp/said")
    waits_for holder 'waits for the word at 0x[0-9a-f]+' &&
        waits_for waits_for_event 'waits for the event at 0x[0-9a-f]+' "$until_later" &&
        waits_for waits_for_future 'waits for the future at 0x[0-9a-f]+' &&
        waits_for waits_for_mutex "waits for the mutex at 0x[0-9a-f]+ held by stack $holder" &&
        waits_for waits_for_mutex 'waits for the mutex at 0x[0-9a-f]+ held by a thread' &&
        waits_for waits_for_semaphore 'waits for the semaphore at 0x[0-9a-f]+' &&
        waits_for receives 'waits for the channel at 0x[0-9a-f]+ \(in\)' &&
        waits_for sends 'waits for the channel at 0x[0-9a-f]+ \(out\)' &&
        waits_for sleeps sleeps "$until_later" &&
        waits_for waits_for_pipe 'waits for fd [0-9]+ \(in\)' &&
        waits_for waits_for_any 'waits for any of 2, the first at 0x[0-9a-f]+' &&
        waits_for waits_for_group 'waits for the group at 0x[0-9a-f]+ \(1 task\)'
}

sleeping() {
    debug "$1" "$stop" 'run idle' 'wsfj workers' 'wsfj stacks' -- "$tmp/$2"
    check 'workers that sleep' appears 3 '^worker [0-2]: parked in thread [0-9]+, queue 0$'
    check '... and no stack with a task' appears 0 '^stack'
}

# A core of the kernel's. (What gdb's own command makes lacks what is near a guard.)
in_core() {
    (
        cd "$tmp" && ulimit -c unlimited 2>/dev/null &&
            env -u WSFJ_NUM_WORKERS -u WSFJ_PLACES LD_LIBRARY_PATH="$1" timeout "${WSFJ_TEST_LIMIT:-120}" "./$2" waits abort
    ) >"$tmp/out" 2>&1
    mv "$tmp"/core* "$tmp/dumped" 2>/dev/null
    if [ ! -s "$tmp/dumped" ]; then
        echo "skipped: cores: they are not allowed, or go elsewhere ($(cat /proc/sys/kernel/core_pattern))"
        return
    fi
    debug "$1" bt 'wsfj workers' 'wsfj stacks' -- "$tmp/$2" "$tmp/dumped"
    check 'a core: from a grandchild to main' everything_waits
    check 'a core: workers' workers_are_right 2
    check 'a core: stacks' stacks_are_right 'waits for \(1 child\|a worker\)'
}

stripped() {
    mkdir "$tmp/symbols" "$tmp/nothing"
    strip -g -o "$tmp/symbols/libwsfj.so.0" .libs/libwsfj.so
    strip -o "$tmp/nothing/libwsfj.so.0" .libs/libwsfj.so
    debug "$tmp/symbols" "$stop" 'run waits' bt 'wsfj workers' 'wsfj stacks' -- "$tmp/family"
    check 'a library with a symbol table only: from a grandchild to main' everything_waits
    check 'a library with a symbol table only: workers' workers_are_right 2
    debug "$tmp/nothing" "$stop" 'run waits' bt 'wsfj workers' -- "$tmp/family"
    check 'a library without any: one line' says '^wsfj: no libwsfj here, or one without a symbol table'
    check 'a library without any: no trace of a Python program' appears 0 'Traceback|Error'
    check 'a library without any: the backtrace ends as it did' \
        in_order '^#0 .*reached' '#[0-9]+ .*grandchild' '^#[0-9]+ .* \(\)'
}

if [ -n "$library" ]; then
    all_of family "$here/.libs" 'shared'
    in_core "$here/.libs" family
    by_number "$here/.libs" family
    sleeping "$here/.libs" family
    [ -z "${WSFJ_TEST_MATRIX-}" ] || all_of plain "$here/.libs" 'not optimised'
    family=$source source=$calls
    for level in O0 O2; do
        check "calls, -$level: compiles" build "calls-$level" "-$level" -- "$library"
        by_name "$here/.libs" "calls-$level"
    done
    build calls-bare -O2 -g0 -- "$library"
    debug "$here/.libs" 'wsfj break solve' -- "$tmp/calls-bare"
    check 'a program without debug information: one line' says '^wsfj break solve: no debug information.*-g'
    source=$waits
    check 'waits: compiles' build waits -O2 -- "$library"
    debug "$here/.libs" "$stop" run 'wsfj stacks' -- "$tmp/waits"
    check 'each task that waits says for what, and for how long' each_wait_is_told
    source=$family
    [ -z "$(command -v strip)" ] || stripped
fi
if [ -n "$static" ]; then
    all_of static '' 'static'
    [ -n "$library" ] || sleeping '' static
fi
finish
