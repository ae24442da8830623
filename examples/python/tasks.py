#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tasks.py LIBRARY N - counts the primes below N and sorts N numbers, with the tasks of tasks.c."""
import array
import ctypes
import random
import sys

import wsfj

if len(sys.argv) != 3 or not sys.argv[2].isdigit():
    sys.exit(__doc__)
n = int(sys.argv[2])
tasks = wsfj.Library(sys.argv[1])
count = tasks.task('run_count', ctypes.c_long, ctypes.c_long, ctypes.c_long)
sort = tasks.task('run_sort', None, ctypes.POINTER(ctypes.c_double), ctypes.c_size_t)

try:
    print(f'{count(0, n)} primes below {n}')
    numbers = array.array('d', (random.random() for _ in range(n)))
    sort(wsfj.array(numbers, ctypes.c_double), n)
    in_order = all(a <= b for a, b in zip(numbers, numbers[1:]))
    print(f'{n} numbers {"in order" if in_order else "out of order"}')
except wsfj.Error as error:
    sys.exit(f'tasks.py: {error}')
