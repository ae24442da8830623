#!/bin/sh
# SPDX-License-Identifier: MIT
# labels.sh [list] - every label of doc/protocols.md stands in the code and in a model, at the places that
# tests/models/steps lists, and every label there is explained. With `list` it prints that list anew. Environment: srcdir.
#
# Catches: a protocol step that was renamed or dropped on one side only, or whose model was forgotten; a label that has gone
# from one of its places, or come to another one; a model that is never searched without the step, or names a function
# that there is no more.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

# In what functions the labels stand. Other headers only explain them.
places() {
    (cd "$srcdir" && LC_ALL=C awk -f tests/models/where.awk lib/*/*.c include/wsfj/inline/fastpath.h tests/models/*.pml |
        LC_ALL=C sort -u)
}
if [ "${1-}" = list ]; then
    places
    exit
fi

labels() { # file or directory...
    grep -rhoE '(THE|JOIN|MAIL|QUEUE|GROUP|BLOCK|PIN|PARK|PREEMPT)-[0-9]+' "$@" | sort -u
}

for label in $(labels "$srcdir/doc/protocols.md"); do
    check "$label stands in the code" grep -qE "^$label (lib|include)/" "$srcdir/tests/models/steps"
done
for label in $(labels "$srcdir/lib" "$srcdir/include"); do
    check "$label is explained" grep -qE "\\*\\*$label,([^0-9]|\$)" "$srcdir/doc/protocols.md"
done

# A model has the step, and has been searched without it; or there is a reason why not.
models=$srcdir/tests/models
for label in $(labels "$srcdir/doc/protocols.md"); do
    if grep -qE "^$label +[^ ]" "$models/exceptions"; then
        check "$label is an exception and stands in no model" sh -c "! grep -qE '$label([^0-9]|\$)' '$models'/*.pml"
    else
        check "$label stands in a model" grep -qE "^$label tests/" "$models/steps"
        check "a model is searched without $label" grep -qE " $label .*BREAK_" "$models/runs"
    fi
done
for label in $(labels "$models"); do
    check "$label of the models is explained" grep -qE "\\*\\*$label,([^0-9]|\$)" "$srcdir/doc/protocols.md"
done
# The list is that of the sources, both ways.
places >"$tmp/places"
check 'the labels stand where tests/models/steps says (else: labels.sh list)' diff "$models/steps" "$tmp/places"
# What the models say they are is there: the library's functions, by name.
for function in $(grep -ohE '\bwsfj_[a-z_]+\(\)' "$models"/*.pml | sort -u); do
    check "$function of the models is a function" grep -qrE "^[a-z].*\b${function%??}\(" "$srcdir/lib" "$srcdir/include" --include='*.[ch]'
done
# What is removed in a model is removed in some search.
for break in $(grep -hoE 'BREAK_[A-Z_]+' "$models"/*.pml | sort -u); do
    check "a model is searched with $break" grep -qE "(^| )$break( |\$)" "$models/runs"
done
finish
