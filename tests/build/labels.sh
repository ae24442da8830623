#!/bin/sh
# SPDX-License-Identifier: MIT
# Every label of doc/protocols.md stands in the code, and every label in the code is explained there.
# Catches: a protocol step that was renamed or dropped on one side only.
srcdir=${srcdir:-.}
checks=0 failures=0

check() { # label, file or directory...
    label=$1
    shift
    checks=$((checks + 1))
    grep -rqE "$label([^0-9]|\$)" "$@" && return
    failures=$((failures + 1))
    echo "$label is not in $*"
}

labels() { # file or directory...
    grep -rhoE '(THE|JOIN|HOME|RING|GROUP|PARK)-[0-9]+' "$@" | sort -u
}

for label in $(labels "$srcdir/doc/protocols.md"); do
    check "$label" "$srcdir/lib" "$srcdir/include"
done
for label in $(labels "$srcdir/lib" "$srcdir/include"); do
    check "\\*\\*$label," "$srcdir/doc/protocols.md"
done
[ "$checks" -gt 0 ] || failures=1
echo "$((checks ? 100 * (checks - failures) / checks : 0))%: Checks: $checks, Failures: $failures, Errors: 0"
[ "$failures" -eq 0 ]
