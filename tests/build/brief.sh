#!/bin/sh
# SPDX-License-Identifier: MIT
# brief.sh - the brief exits use general registers only, and call nothing but functions that do the same: a user's code
# keeps values in all others across an exit (lib/sched/brief.h). Reads the machine code of libwsfjcore.a, from the entries
# on. Runs in the build directory. Skipped on other processors, and where the exits are not brief: with sanitizers, with
# --enable-chaos, with a compiler that does not know -mgeneral-regs-only; with -flto, where there is no machine code yet.
# Environment: srcdir, CC, CFLAGS.
#
# Catches: a file that is no longer compiled so; a call that leads to other code, such as the C library's.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
objdump=$($CC -print-prog-name=objdump)
command -v "${objdump%% *}" >/dev/null || exit 77
[ "$(uname -m)" = x86_64 ] || exit 77
grep -q '^BRIEF_CFLAGS = *-' Makefile || exit 77
! grep -Eq '^(SANITIZER_FLAGS = *-|FEATURE_CPPFLAGS = .*WSFJ_CHAOS)' Makefile || exit 77

case ${CFLAGS-} in *-flto*) exit 77 ;; esac

# "FUNCTION uses REGISTER" and "FUNCTION calls OTHER", for each function and jump out of it.
$objdump -dr --no-show-raw-insn .libs/libwsfjcore.a >"$tmp/code" || exit 77
awk '
/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); print name, "is", "there"; next }
/R_X86_64_(PLT32|GOTPCRELX|REX_GOTPCRELX|GOTPCREL)/ && branch { split($3, part, /[-+]/); print name, "calls", part[1]; next }
/R_X86_64_PC32/ && branch { split($3, part, /[-+]/); print name, "calls", part[1]; next }
/^ +[0-9a-f]+:\t/ {
    branch = $2 ~ /^(call|j)/
    if ($2 ~ /^(call|j)/ && $3 ~ /^\*/) print name, "calls", "a-pointer"
    if (branch && $0 ~ /<[^+>]+>/ && $0 !~ /\+0x/) { other = $0; sub(/.*</, "", other); sub(/>.*/, "", other); print name, "calls", other }
    if ($0 ~ /%([xyz]mm|mm|st|k[0-7]|tmm)/ || $2 ~ /^(f[a-z]|emms|v[a-z])/) print name, "uses", $2
}' "$tmp/code" >"$tmp/facts"

# reachable FUNCTION...: it and all that it calls.
reachable() {
    awk -v from="$*" '
    $2 == "calls" { calls[$1] = calls[$1] " " $3 }
    END {
        n = split(from, queue, " ")
        for (i = 1; i <= n; i++) {
            if (seen[queue[i]]++) continue
            print queue[i]
            m = split(calls[queue[i]], next_ones, " ")
            for (j = 1; j <= m; j++) queue[++n] = next_ones[j]
        }
    }' "$tmp/facts"
}

# is_clean FUNCTION: part of the library, without other registers.
is_clean() {
    grep -q "^$1 is there$" "$tmp/facts" || { echo "$1 is not in libwsfjcore.a" && return 1; }
    ! grep "^$1 uses " "$tmp/facts"
}

reachable wsfj_spawn_brief wsfj_loop_brief wsfj_sync_brief >"$tmp/functions"
while IFS= read -r function; do
    check "$function" is_clean "$function"
done <"$tmp/functions"
check 'the deque is reached' grep -q '^wsfj_deque_reclaim_brief$' "$tmp/functions"
check 'other code is seen to use vectors' grep -q ' uses mov[au]p' "$tmp/facts"
check 'calls of the C library are seen' grep -q ' calls clock_gettime$' "$tmp/facts"
finish
