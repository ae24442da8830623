#!/bin/sh
# SPDX-License-Identifier: MIT
# errors.sh - the error values that the headers document are those that the code returns and those that ws_strerror() explains.
# Environment: srcdir.
#
# Catches: a value that a public function returns but its header or ws_strerror() does not know; one that nothing returns.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

codes() {
    grep -Eo '\bE(ALREADY|INVAL|NOMEM|AGAIN|BUSY|DEADLK|RANGE|NOSYS|NOTSUP|OVERFLOW|SRCH|PERM|INTR|TIMEDOUT|PIPE|BADF|CANCELED|NOENT)\b' | LC_ALL=C sort -u
}

# What is assigned or returned where public functions are. Tests of errno and of a return value are none of it.
returned() {
    cat "$srcdir"/lib/api/*.c "$srcdir"/lib/runtime/*.c "$srcdir"/lib/sync/*.c "$srcdir"/lib/idle/phase.c "$srcdir"/lib/idle/source.c "$srcdir"/include/wsfj/inline/outside_serial.h "$srcdir"/lib/blocking/pin.c \
        "$srcdir"/lib/queue/group.c "$srcdir"/lib/config/settings.c "$srcdir"/lib/profile/profile.c \
        "$srcdir"/lib/profile/detached.c | grep -E '(return|error = |\?).*\bE[A-Z]+\b' | sed 's/[!=]= *E[A-Z]*//g' | codes
}

documented() {
    cat "$srcdir"/include/wsfj.h $(find "$srcdir/include/wsfj" -maxdepth 1 -name '*.h' ! -name 'mpi*') | grep -E '^ ?(/\*\*|\*|    )' | codes
}

explained() {
    sed -n 's/^    case \(E[A-Z]*\):.*/\1/p' "$srcdir/lib/base/error.c" | codes
}

same() {
    "$1" >"$tmp/a"
    "$2" >"$tmp/b"
    diff "$tmp/a" "$tmp/b"
}
check 'all are found' [ "$(returned | wc -l)" -ge 7 ]
check 'ws_strerror() explains what is returned, and no more' same returned explained
check 'the headers document what is returned, and no more' same returned documented
check 'each text is another one' [ -z "$(sed -n 's/^ *return "\(.*\)";/\1/p' "$srcdir/lib/base/error.c" | sort | uniq -d)" ]
finish
