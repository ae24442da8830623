#!/bin/sh
# SPDX-License-Identifier: MIT
# labels.sh - every label of doc/protocols.md stands in the code, and every label in the code is explained there.
# Environment: srcdir.
#
# Catches: a protocol step that was renamed or dropped on one side only.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

labels() { # file or directory...
    grep -rhoE '(THE|JOIN|HOME|RING|GROUP|BLOCK|PIN|PARK)-[0-9]+' "$@" | sort -u
}

for label in $(labels "$srcdir/doc/protocols.md"); do
    check "$label stands in the code" grep -rqE "$label([^0-9]|\$)" "$srcdir/lib" "$srcdir/include"
done
for label in $(labels "$srcdir/lib" "$srcdir/include"); do
    check "$label is explained" grep -qE "\\*\\*$label,([^0-9]|\$)" "$srcdir/doc/protocols.md"
done
finish
