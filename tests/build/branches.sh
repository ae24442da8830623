#!/bin/sh
# SPDX-License-Identifier: MIT
# branches.sh - with -mbranch-protection on aarch64 all of the library is marked for branch target identification, the
# assembly too, and a shared library of it keeps the mark. Runs in the build directory; skipped elsewhere. Environment:
# CC, CFLAGS.
#
# Catches: an object without the property note: the linker then removes the mark from everything linked with it; an
# entry that is called through a register and has no landing pad: with the mark that is a SIGILL.
srcdir=${srcdir:-.}
if ! $CC ${CFLAGS-} -dM -E -x c /dev/null | grep -q __ARM_FEATURE_BTI_DEFAULT; then
    echo 'not compiled with branch target identification'
    exit 77
fi
. "$srcdir/tests/build/checks"
readelf=$($CC -print-prog-name=readelf) objdump=$($CC -print-prog-name=objdump)
core=.libs/libwsfjcore.a

# marked FILE: each object in it is marked. readelf names the file, or each member of an archive.
marked() {
    $readelf -n "$1" >"$tmp/notes" || return
    unmarked=$(awk '/^File: / { if (name) print name; name = $2 } /AArch64 feature:.*BTI/ { name = "" }
                    END { if (name) print name }' "$tmp/notes")
    [ -z "$unmarked" ] || {
        echo "without the mark: $unmarked"
        return 1
    }
}

# lands NAME PAD: the function's first instruction.
lands() {
    $objdump -d --no-show-raw-insn "$core" | awk -v name="<$1>:" '$2 == name { getline; $1 = ""; print }' >"$tmp/first"
    cat "$tmp/first"
    grep -Eqx " *$2" "$tmp/first"
}

check 'each object is marked' marked "$core"
check 'one object at least is there' grep -q 'AArch64 feature' "$tmp/notes"
# Not libwsfj.so: it also has the C library's own start files, which may lack the mark.
check 'it links' $CC -shared -nostdlib -o "$tmp/all.so" -Wl,--defsym,__dso_handle=0 -Wl,--whole-archive "$core"
check 'a shared library of them is marked' sh -c '"$1" -n "$2" | grep -q "AArch64 feature:.*BTI"' sh "$readelf" "$tmp/all.so"
check 'the switch is entered by a call' lands wsfj_arch_switch 'bti c'
check 'the first code of a stack is returned to, or jumped to' lands wsfj_context_start 'bti jc'
finish
