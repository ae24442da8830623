# SPDX-License-Identifier: MIT
"""Runs tasks of a C library that uses libwsfj, by ctypes.

For each task the C library has a function with the parameters of ws_run():

    WS_TASK(long, count, long, from, long, to) { ... }
    int run_count(long *result, long from, long to) { return ws_run(count, result, from, to); }

    tasks = wsfj.Library('./libtasks.so')
    count = tasks.task('run_count', ctypes.c_long, ctypes.c_long, ctypes.c_long)
    print(count(0, 1000000))

A call returns when the task is done. Other Python threads run meanwhile, and may run tasks, too. A task must not call
Python code: a task may continue on another thread, of which the interpreter does not know.
"""
import ctypes
import os


class Error(OSError):
    """A task that could not be run; errno is what ws_run() returned."""


class Library:
    """A shared library with tasks, linked with libwsfj."""

    def __init__(self, path):
        # The functions of libwsfj are found through the library that is linked with it.
        self._library = ctypes.CDLL(os.fspath(path))
        self._library.ws_strerror.restype = ctypes.c_char_p
        self._library.ws_num_workers.restype = ctypes.c_size_t
        self._library.ws_version.restype = ctypes.c_uint

    def task(self, name, result, *parameters):
        """The function `name` as a Python function; `result` is None for a task without one. All are types of ctypes."""
        function = getattr(self._library, name)
        function.restype = ctypes.c_int
        function.argtypes = ([ctypes.POINTER(result)] if result else []) + list(parameters)

        def run(*arguments):
            value = [result()] if result else []
            self._check(function(*value, *arguments))
            return value[0].value if value else None

        run.__name__ = name
        return run

    def num_workers(self):
        """The number of workers; 0 before the first task. WSFJ_NUM_WORKERS sets it."""
        return self._library.ws_num_workers()

    def version(self):
        """The version of libwsfj, as (major, minor, patch)."""
        version = self._library.ws_version(None)
        return version >> 16, version >> 8 & 255, version & 255

    def fini(self):
        """Ends the workers; the next task starts them again. Fails with EBUSY while a task runs."""
        self._check(self._library.ws_fini())

    def _check(self, error):
        if error:
            raise Error(error, self._library.ws_strerror(error).decode())


def array(values, ctype):
    """The memory of `values` (array.array, NumPy's array, bytearray), without a copy, for a parameter POINTER(ctype)."""
    view = memoryview(values)
    if view.readonly or not view.c_contiguous:
        raise TypeError('a task needs writable memory in one piece')
    if view.format != ctype._type_:
        raise TypeError(f'elements have the format {view.format!r}, not {ctype._type_!r} of {ctype.__name__}')
    return (ctype * (view.nbytes // view.itemsize)).from_buffer(values)
