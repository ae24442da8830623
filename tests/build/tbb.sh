#!/bin/sh
# SPDX-License-Identifier: MIT
# tbb.sh - oneTBB and the library in one process (tests/interop/tbb.cc). Runs in the build directory; skipped without
# a C++ compiler or oneTBB. Environment: srcdir, CXX, PKG_CONFIG, SANITIZER_FLAGS.
#
# Catches: a thread of one runtime that the other takes for its own; a loop inside a task that does not end.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/build/interop"

tbb=$(${PKG_CONFIG:-pkg-config} --cflags --libs tbb 2>/dev/null) || tbb=-ltbb
printf '#include <tbb/task_group.h>\nint main() { tbb::task_group group; group.wait(); }\n' >"$tmp/try.cc"
# shellcheck disable=SC2086
if [ "$CXX" = no ] || ! $CXX -std=c++17 -o "$tmp/try" "$tmp/try.cc" $tbb 2>/dev/null || ! "$tmp/try"; then
    echo 'no C++ compiler, or no oneTBB here'
    exit 77
fi
echo 'int main() { return 0; }' >"$tmp/plain.cc"
if [ -n "${SANITIZER_FLAGS-}" ] && ! build "$CXX -std=c++17" -- "$tmp/plain.cc" 2>/dev/null; then
    echo 'the C++ compiler has another sanitizer than the library'
    exit 77
fi

# shellcheck disable=SC2086
check 'it builds' build "$CXX -std=c++17" $tbb -- "$srcdir/tests/interop/tbb.cc"
check 'side by side' alone 300 "$tmp/run"
check 'with small stacks' alone 300 "$tmp/run" small
finish
