#!/bin/sh
# SPDX-License-Identifier: MIT
# headers.sh - each public header compiles alone, and the example of wsfj.h in each of its forms, as C11 and C++17,
# without a warning: with the compilers of this build. Environment: srcdir, CC, CXX, SANITIZER_FLAGS, TEST_EMULATOR;
# WSFJ_TEST_MATRIX=1 (make check-matrix): with gcc and clang if installed, and at all levels of optimisation.
#
# Catches: a header that needs another one to come first; a macro whose expansion warns in the user's code at some level
# of optimisation, in C++, or with the compiler that the library was not built with; a macro with ten parameters or more that
# the table of forms.h does not have.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
warnings='-Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror -DWSFJ_WARN_IN_HEADERS'

# compile_with COMPILER LANGUAGE STANDARD FILE FLAGS...
compile_with() {
    compiler=$1 language=$2 standard=$3 file=$4
    shift 4
    # shellcheck disable=SC2086
    check "$compiler -std=$standard $*: $(basename "$file")" $compiler -std="$standard" $warnings "-I$srcdir/include" "$@" \
        -c -o "$tmp/o" -x "$language" "$file"
}

# compile FILE FLAGS...: as C and as C++ ($CXX is "no" where there is none).
compile() {
    compile_with "$CC $SANITIZER_FLAGS" c c11 "$@"
    [ "$CXX" = no ] || compile_with "$CXX $SANITIZER_FLAGS" c++ c++17 "$@"
}

user=$srcdir/tests/build/user.c
users="$user $srcdir/tests/build/forms.c $srcdir/tests/build/loops.c"
modes='-DWSFJ_PARALLEL -DWSFJ_DEBUG -DWSFJ_SERIAL -DWSFJ_PROFILE'

for header in "$srcdir"/include/wsfj.h "$srcdir"/include/wsfj/*.h; do
    # Those of libwsfj-mpi need that MPI's.
    case $header in
        */mpi*) [ "${with_mpi:-no}" = yes ] || continue; more=$MPI_CPPFLAGS ;;
        *) more= ;;
    esac
    included=${header#"$srcdir/include/"}
    alone=$tmp/$(basename "$header").c
    # Twice: the guard. A declaration after it: a header must not leave one open.
    printf '#include <%s>\n#include <%s>\nextern int after_it;\nint after_it;\n' "$included" "$included" >"$alone"
    # shellcheck disable=SC2086
    compile_with "$CC $SANITIZER_FLAGS" c c11 "$alone" -O2 $more
    # shellcheck disable=SC2086
    compile "$alone" -O2 -DWSFJ_PROFILE $more
done

# The macros with ten parameters or more, which stand in the table of forms.h.
many_parameters() {
    cat "$srcdir"/include/wsfj/*.h "$srcdir"/include/wsfj/inline/*.h |
        sed -n 's/^#define \(WSFJ_[A-Z0-9_]*\)(\([^)]*,[^)]*\)).*/\1 \2/p' |
        awk -F, 'NF >= 10 { sub(/ .*/, ""); print }' | sort -u
}
in_the_table() {
    sed '/^ \*\/$/q' "$srcdir/include/wsfj/inline/forms.h" | grep -q "^ \*   \(WSFJ_[A-Z0-9]*, \)*$1[, ]"
}
check 'there are such macros' test "$(many_parameters | wc -l)" -ge 10
for macro in $(many_parameters); do
    check "forms.h tells of $macro" in_the_table "$macro"
done

if [ -n "${WSFJ_TEST_MATRIX-}" ]; then
    for file in $users; do
        for level in -O0 -O1 -O2 -O3 -Os; do
            for mode in $modes '-DWSFJ_PROFILE -DWSFJ_DEBUG'; do
                # shellcheck disable=SC2086
                compile "$file" $level $mode
            done
        done
    done
else
    for file in $users; do
        compile_with "$CC $SANITIZER_FLAGS" c c11 "$file" -O2 -DWSFJ_PARALLEL
        compile_with "$CC $SANITIZER_FLAGS" c c11 "$file" -O2 -DWSFJ_PROFILE
        compile "$file" -O0 -DWSFJ_DEBUG
        compile "$file" -O0 -DWSFJ_SERIAL
    done
fi

# A user may have another compiler than this build.
for compiler in ${WSFJ_TEST_MATRIX:+gcc clang g++ clang++}; do
    case $compiler in
        *++) language=c++ standard=c++17 ;;
        *) language=c standard=c11 ;;
    esac
    if ! command -v "$compiler" >/dev/null; then
        echo "skipped: there is no $compiler"
        continue
    fi
    for file in "$tmp"/*.h.c; do
        compile_with "$compiler" "$language" "$standard" "$file" -O0
    done
    for file in $users; do
        compile_with "$compiler" "$language" "$standard" "$file" -O0 -DWSFJ_PARALLEL
        compile_with "$compiler" "$language" "$standard" "$file" -O0 -DWSFJ_PROFILE
        for mode in $modes; do
            compile_with "$compiler" "$language" "$standard" "$file" -O0 "$mode"
            compile_with "$compiler" "$language" "$standard" "$file" -O3 "$mode"
        done
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

# The elision is an ordinary program: it needs nothing of the library.
serial() {
    # shellcheck disable=SC2086
    $1 $SANITIZER_FLAGS -Wall -Wextra -Werror -DWSFJ_SERIAL "-I$srcdir/include" "$2" -o "$tmp/serial" && $TEST_EMULATOR "$tmp/serial"
}
for file in "$user" "$srcdir/tests/build/loops.c" "$srcdir/tests/build/serial.c"; do
    check "$(basename "$file"): the elision links and runs without the library" serial "$CC -std=c11" "$file"
    [ "$CXX" = no ] || check "$(basename "$file"): in C++, too" serial "$CXX -std=c++17 -x c++" "$file"
done
# ... and serial.c has all functions.
all_functions() {
    for name in $(cat "$srcdir"/include/wsfj.h $(find "$srcdir/include/wsfj" -maxdepth 1 -name '*.h' ! -name 'mpi*') | sed -n 's/^[a-z][a-z_ \*]*[ \*]\(ws_[a-z_]*\)(.*/\1/p' | grep -v function | sort -u); do
        grep -q "$name(" "$srcdir/tests/build/serial.c" || { echo "$name"; missing=1; }
        functions=$((${functions:-0} + 1))
    done
    [ -z "$missing" ] && [ "${functions:-0}" -gt 20 ]
}
missing=
check 'serial.c calls every function' all_functions
finish
