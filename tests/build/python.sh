#!/bin/sh
# SPDX-License-Identifier: MIT
# python.sh - examples/python: Python runs C tasks, and errors become exceptions. The example's lines in examples/README.md are
# build/examples.sh's. Runs in the build directory. Environment: srcdir, CC, SANITIZER_FLAGS, TEST_EMULATOR. Skipped without
# Python 3 or a shared library, and with a sanitizer, which would have to be in the interpreter.
#
# Catches: a result or an argument of the wrong size; an error that is lost; memory that is copied or of the wrong type; a
# call that keeps other Python threads waiting; a child process in which tasks do not run.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
if ! command -v python3 >/dev/null || [ ! -e .libs/libwsfj.so ] || [ -n "${SANITIZER_FLAGS-}${TEST_EMULATOR-}" ]; then
    echo 'skipped: Python 3 (Debian: python3), a shared library, no sanitizer and no emulator'
    exit 77
fi

# The example's tasks, one that fails, and one that waits until another thread calls release().
cat >"$tmp/more.c" <<'END_C'
#include "tasks.c"
#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int released;
int run_fails(long *result);
int run_waits(int *result);
int release(void);

int run_fails(long *result)
{
    *result = 1;
    return ENOMEM;
}

static WS_TASK(int, waits)
{
    while (!atomic_load(&released))
        usleep(1000);
    return 7;
}

int run_waits(int *result)
{
    return ws_run(waits, result);
}

int release(void)
{
    atomic_store(&released, 1);
    return 0;
}
END_C
build() {
    # shellcheck disable=SC2086
    $CC -std=gnu11 -O2 -Wall -Wextra -Werror -shared -fPIC "-I$srcdir/include" "-I$srcdir/examples/python" "$tmp/more.c" -L.libs -lwsfj \
        -o "$tmp/libtasks.so"
}

# python LINE...: a program that has the tasks must end well.
python() {
    {
        cat <<END_PYTHON
import array, ctypes, errno, os, sys, threading
import wsfj
tasks = wsfj.Library('$tmp/libtasks.so')
count = tasks.task('run_count', ctypes.c_long, ctypes.c_long, ctypes.c_long)
sort = tasks.task('run_sort', None, ctypes.POINTER(ctypes.c_double), ctypes.c_size_t)

def fails(kind, call, *arguments):
    try:
        call(*arguments)
    except kind as error:
        return error
    sys.exit('no exception')
END_PYTHON
        printf '%s\n' "$@"
    } >"$tmp/program.py"
    LD_LIBRARY_PATH=.libs PYTHONPATH=$srcdir/examples/python PYTHONDONTWRITEBYTECODE=1 WSFJ_NUM_WORKERS=3 \
        timeout 60 python3 "$tmp/program.py"
}

check 'the tasks compile' build
check 'a result, and workers' python 'assert tasks.num_workers() == 0' 'assert count(0, 100000) == 9592' 'assert tasks.num_workers() == 3'
check 'a result of 64 bits' python 'assert count(2**62, 2**62) == 0' 'assert count(2**40, 2**40 + 10) == 0'
check 'memory without a copy' python "a = array.array('d', (i * 7919 % 5003 for i in range(5003)))" \
    'assert sort(wsfj.array(a, ctypes.c_double), len(a)) is None' 'assert list(a) == list(range(5003))'
check 'memory of another type is refused' python "error = fails(TypeError, wsfj.array, array.array('f', [1]), ctypes.c_double)" \
    "assert \"'f'\" in str(error) and \"'d'\" in str(error)"
check 'memory that cannot be written is refused' python "fails(TypeError, wsfj.array, b'12345678', ctypes.c_char)"
check 'arguments of another type are refused' python "fails(ctypes.ArgumentError, count, 'a', 2)" 'fails(TypeError, count, 1)'
check 'a task that is not there' python "fails(AttributeError, tasks.task, 'run_nothing', None)"
check 'an error is an exception' python "error = fails(wsfj.Error, tasks.task('run_fails', ctypes.c_long))" \
    'assert error.errno == errno.ENOMEM and len(error.strerror) > 5'
check 'fini, and again' python 'count(0, 9)' 'tasks.fini()' 'assert tasks.num_workers() == 0' 'assert count(0, 9) == 4'
check 'the version of the header' python \
    "assert '%d.%d.%d' % tasks.version() == '$(sed -n 's/^#define WSFJ_VERSION_STRING "\(.*\)"/\1/p' "$srcdir/include/wsfj.h")'"
check 'other threads of Python run' python 'result = []' \
    "waiting = threading.Thread(target=lambda: result.append(tasks.task('run_waits', ctypes.c_int)()))" \
    'waiting.start()' 'assert count(0, 1000) == 168' 'tasks._library.release()' 'waiting.join()' 'assert result == [7]'
check 'in a child process' python 'count(0, 9)' 'child = os.fork()' 'if child == 0: os._exit(count(0, 100))' \
    'assert os.waitpid(child, 0)[1] == 25 << 8'
finish
