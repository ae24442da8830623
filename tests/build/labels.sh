#!/bin/sh
# SPDX-License-Identifier: MIT
# labels.sh [list] - every label of doc/protocols.md is in the code and in a model, in the functions that
# tests/models/steps lists, and every label there is explained. `labels.sh list` prints that list anew. Environment:
# srcdir.
#
# Catches: a protocol step that was renamed or dropped on one side only, or that has no model; a label that has gone
# from one of its functions, or come to another; a model that is never searched without the step, or that names a
# function that no longer exists.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

# The functions that have labels. Other headers only explain them.
places() {
    (cd "$srcdir" && LC_ALL=C awk -f tests/models/where.awk lib/*/*.c include/wsfj/inline/fastpath.h tests/models/*.pml |
        LC_ALL=C sort -u)
}
if [ "${1-}" = list ]; then
    places
    exit
fi

labels() { # file or directory...
    grep -rhoE '(THE|JOIN|MAIL|QUEUE|GROUP|BLOCK|PIN|PARK|PREEMPT|SCOPE|LOOP|POOL)-[0-9]+' "$@" | sort -u
}

for label in $(labels "$srcdir/doc/protocols.md"); do
    check "$label stands in the code" grep -qE "^$label (lib|include)/" "$srcdir/tests/models/steps"
done
for label in $(labels "$srcdir/lib" "$srcdir/include"); do
    check "$label is explained" grep -qE "\\*\\*$label,([^0-9]|\$)" "$srcdir/doc/protocols.md"
done

# A model has the step, and is searched without it; or `exceptions` says why not.
models=$srcdir/tests/models
for label in $(labels "$srcdir/doc/protocols.md"); do
    if grep -qE "^$label +[^ ]" "$models/exceptions"; then
        check "$label is an exception and is in no model" sh -c "! grep -qE '$label([^0-9]|\$)' '$models'/*.pml"
    else
        check "$label stands in a model" grep -qE "^$label tests/" "$models/steps"
        check "a model is searched without $label" grep -qE " $label .*BREAK_" "$models/runs"
    fi
done
for label in $(labels "$models"); do
    check "$label of the models is explained" grep -qE "\\*\\*$label,([^0-9]|\$)" "$srcdir/doc/protocols.md"
done
# The list and the sources agree, in both directions.
places >"$tmp/places"
check 'the labels are where tests/models/steps says (else: labels.sh list)' diff "$models/steps" "$tmp/places"
# The library functions that the models name exist.
for function in $(grep -ohE '\bwsfj_[a-z_]+\(\)' "$models"/*.pml | sort -u); do
    check "$function of the models is a function" grep -qrE "^[a-z].*\b${function%??}\(" "$srcdir/lib" "$srcdir/include" --include='*.[ch]'
done
# Every step that a model can remove is removed in some search.
for break in $(grep -hoE 'BREAK_[A-Z_]+' "$models"/*.pml | sort -u); do
    check "a model is searched with $break" grep -qE "(^| )$break( |\$)" "$models/runs"
done
finish
