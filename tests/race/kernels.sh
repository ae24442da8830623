#!/bin/sh
# SPDX-License-Identifier: MIT
# kernels.sh - the kernels of bench/kernels have no race at their small size. With one ws_sync() taken out, each has one, and
# both its lines are the kernel's; a sync whose loss is no race is named here, with the reason. Environment: CC.
#
# Catches: false races in real code; a sync that is taken for granted.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/race/compiled"

# kernel_of FILE TO: compiles one kernel.
kernel_of() {
    name=$(basename "$1" .c)
    echo "KERNEL_OF(${name%@*})" >"$tmp/kernels.def"
    "$race" "$CC" -O2 -w -iquote "$srcdir/bench" -iquote "$srcdir/bench/kernels" -I"$tmp" "$1" "$srcdir/tests/race/kernels.c" \
        -o "$2" -lm
}

clean() {
    timeout 300 "$tmp/kernel" "$1" >"$tmp/report" 2>&1 && grep -q '^wsfj-race: 0 races$' "$tmp/report" && return
    cat "$tmp/report"
    return 1
}

# lost FILE LINE: without the sync of the line there is a race, and its lines are the kernel's.
lost() {
    name=$(basename "$1" .c)
    sed "$2s/ws_sync();/;/" "$1" >"$tmp/$name@$2.c"
    kernel_of "$tmp/$name@$2.c" "$tmp/lost" || return
    timeout 300 "$tmp/lost" "$name" >"$tmp/report" 2>&1
    status=$?
    cat "$tmp/report"
    [ $status -eq 66 ] && grep -q "^  earlier .* at .*$name@$2.c:" "$tmp/report" &&
        grep -q "^  later .* at .*$name@$2.c:\|^  later the task returns" "$tmp/report"
}

# The last sync of a task without results waits for what the task's end waits for, too.
harmless() {
    sed -n "$2,\$p" "$1" | awk 'NR == 1 && /ws_sync\(\);/ { next } /^ *$/ { next } { exit !/^}/ }'
}

for file in "$srcdir"/bench/kernels/*.c; do
    name=$(basename "$file" .c)
    check "$name compiles" kernel_of "$file" "$tmp/kernel"
    check "$name is clean" clean "$name"
    for line in $(grep -n 'ws_sync();' "$file" | cut -d: -f1); do
        harmless "$file" "$line" || check "$name without the sync of line $line" lost "$file" "$line"
    done
done
finish
