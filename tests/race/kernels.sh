#!/bin/sh
# SPDX-License-Identifier: MIT
# kernels.sh - the kernels of bench/kernels have no race at their small size. With one ws_sync() taken out, each has one, and
# both its lines are the kernel's, unless the loss is no race (harmless). Environment: CC.
#
# Catches: false races in real code; a sync that is taken for granted.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/race/compiled"

# kernel_of FILE TO: compiles one kernel.
kernel_of() {
    kernel=$(basename "$1" .c)
    echo "KERNEL_OF(${kernel%@*})" >"$tmp/kernels.def"
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
    kernel=$(basename "$1" .c)
    lost=$kernel@$2.c
    sed "$2s/ws_sync();/;/" "$1" >"$tmp/$lost"
    kernel_of "$tmp/$lost" "$tmp/lost" || return
    kernel=${lost%@*}
    timeout 300 "$tmp/lost" "$kernel" >"$tmp/report" 2>&1
    status=$?
    cat "$tmp/report"
    [ $status -eq 66 ] && grep -q "^  earlier .* at .*$lost:" "$tmp/report" &&
        grep -q "^  later .* at .*$lost:\|^  later the task returns" "$tmp/report"
}

# harmless FILE LINE: the task ends behind the sync, and its end waits for the same; or the task does not run at this size.
harmless() {
    awk -v line="$2" '
        /WS_TASK/ { task = $0 }
        NR == line { unused = task ~ /binomial/ }
        NR > line && NF { exit !(unused || /^ *(}|return;)/) }' "$1"
}

for file in "$srcdir"/bench/kernels/*.c; do
    kernel=$(basename "$file" .c)
    check "$kernel compiles" kernel_of "$file" "$tmp/kernel"
    check "$kernel is clean" clean "$kernel"
    for line in $(grep -n 'ws_sync();' "$file" | cut -d: -f1); do
        harmless "$file" "$line" || check "$kernel without the sync of line $line" lost "$file" "$line"
    done
done
finish
