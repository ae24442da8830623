#!/bin/sh
# SPDX-License-Identifier: MIT
# labels.sh - every label of doc/protocols.md stands in the code and in a model, and every label there is explained.
# Environment: srcdir.
#
# Catches: a protocol step that was renamed or dropped on one side only, or whose model was forgotten; a model that is never
# searched without the step.
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

# A model has the step, and has been searched without it; or there is a reason why not.
models=$srcdir/tests/models
for label in $(labels "$srcdir/doc/protocols.md"); do
    if grep -qE "^$label +[^ ]" "$models/exceptions"; then
        check "$label is an exception and stands in no model" sh -c "! grep -qE '$label([^0-9]|\$)' '$models'/*.pml"
    else
        check "$label stands in a model" grep -qE "$label([^0-9]|\$)" "$models"/*.pml
        check "a model is searched without $label" grep -qE " $label .*BREAK_" "$models/runs"
    fi
done
for label in $(labels "$models"); do
    check "$label of the models is explained" grep -qE "\\*\\*$label,([^0-9]|\$)" "$srcdir/doc/protocols.md"
done
# What is removed in a model is removed in some search.
for break in $(grep -hoE 'BREAK_[A-Z_]+' "$models"/*.pml | sort -u); do
    check "a model is searched with $break" grep -qE "(^| )$break( |\$)" "$models/runs"
done
finish
