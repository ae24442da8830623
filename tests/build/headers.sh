#!/bin/sh
# SPDX-License-Identifier: MIT
# headers.sh - each public header compiles alone, and the example of wsfj.h in each of its forms, as C11 and C++17,
# without a warning. Environment: srcdir, CC, CXX, SANITIZER_FLAGS.
#
# Catches: a header that needs another one to come first; a macro whose expansion warns in the user's code at some level
# of optimisation or in C++.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
warnings='-Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror'

# compile FILE FLAGS...: as C and as C++ ($CXX is "no" where there is none).
compile() {
    file=$1
    shift
    # shellcheck disable=SC2086
    check "C11: $*: $(basename "$file")" $CC -std=c11 $warnings $SANITIZER_FLAGS "-I$srcdir/include" "$@" -c -o "$tmp/o" \
        -x c "$file"
    # shellcheck disable=SC2086
    [ "$CXX" = no ] || check "C++17: $*: $(basename "$file")" $CXX -std=c++17 $warnings $SANITIZER_FLAGS \
        "-I$srcdir/include" "$@" -c -o "$tmp/o" -x c++ "$file"
}

for header in "$srcdir"/include/wsfj.h "$srcdir"/include/wsfj/*.h; do
    name=${header#"$srcdir/include/"}
    # Twice: the guard. A declaration after it: a header must not leave one open.
    printf '#include <%s>\n#include <%s>\nextern int after_it;\nint after_it;\n' "$name" "$name" >"$tmp/$(basename "$name").c"
    compile "$tmp/$(basename "$name").c" -O2
done

user=$srcdir/tests/build/user.c
for file in "$user" "$srcdir/tests/build/forms.c"; do
    for level in -O0 -O1 -O2 -O3 -Os; do
        compile "$file" $level
        compile "$file" $level -DWSFJ_DEBUG
        compile "$file" $level -DWSFJ_SERIAL
    done
done
compile "$user" -O2 -DWSFJ_NO_ASM
compile "$user" -O2 -fPIC -g
if $CC -mavx2 -c -o "$tmp/o" -x c /dev/null 2>/dev/null; then
    compile "$user" -O2 -mavx2
fi
if $CC -mavx512f -c -o "$tmp/o" -x c /dev/null 2>/dev/null; then
    compile "$user" -O2 -mavx512f
fi

# The elision is an ordinary program: it links without the library.
# shellcheck disable=SC2086
check 'the elision links and runs without the library' sh -c \
    '$CC $SANITIZER_FLAGS -std=c11 -DWSFJ_SERIAL -I"$1/include" "$1/tests/build/user.c" -o "$2/serial" && "$2/serial"' \
    sh "$srcdir" "$tmp"
finish
