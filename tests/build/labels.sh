#!/bin/sh
# SPDX-License-Identifier: MIT
# labels.sh - every label of doc/protocols.md is in the code and in a model, and every label there is explained. A model's
# step and the functions of the code have it in common: the model's comments name the functions. Environment: srcdir.
#
# Catches: a protocol step that was renamed or dropped on one side only, or that has no model; a label that has gone
# from one of its functions, or come to another; a model that is never searched without the step, or that names a
# function that no longer exists or has another label.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
models=$srcdir/tests/models

# The functions that have labels.
(cd "$srcdir" && LC_ALL=C awk -f tests/models/where.awk lib/*/*.[ch] include/wsfj/inline/fastpath.h tests/models/*.pml) >"$tmp/places"

labels() { # file or directory...
    grep -rhoE '(THE|JOIN|MAIL|QUEUE|GROUP|BLOCK|PIN|PARK|PREEMPT|SCOPE|LOOP|POOL|WAIT|MPI|BAG)-[0-9]+' "$@" | sort -u
}

for label in $(labels "$srcdir/doc/protocols.md"); do
    check "$label stands in the code" grep -qE "^$label (lib|include)/" "$tmp/places"
done
for label in $(labels "$srcdir/lib" "$srcdir/include"); do
    check "$label is explained" grep -qE "\\*\\*$label,([^0-9]|\$)" "$srcdir/doc/protocols.md"
done

# A model has the step, and is searched without it; or `exceptions` says why not.
for label in $(labels "$srcdir/doc/protocols.md"); do
    if grep -qE "^$label +[^ ]" "$models/exceptions"; then
        check "$label is an exception and is in no model" sh -c "! grep -qE '$label([^0-9]|\$)' '$models'/*.pml"
    else
        check "$label stands in a model" grep -qE "^$label tests/" "$tmp/places"
        check "a model is searched without $label" grep -qE " $label .*BREAK_" "$models/runs"
    fi
done
for label in $(labels "$models"); do
    check "$label of the models is explained" grep -qE "\\*\\*$label,([^0-9]|\$)" "$srcdir/doc/protocols.md"
done
awk -v exceptions="$(awk '/^[A-Z]+-/ { printf " %s", $1 }' "$models/exceptions")" -f "$models/compare.awk" "$tmp/places" | sort >"$tmp/apart"
check 'code and models have the same steps' sh -c '! grep . "$1"' sh "$tmp/apart"
# The names of the library that the models mention exist.
for name in $(grep -ohE '\bwsfj_[a-z_]+' "$models"/*.pml | sort -u); do
    check "$name of the models exists" grep -qrwF "$name" "$srcdir/lib" "$srcdir/include" --include='*.[ch]'
done
# Every step that a model can remove is removed in some search.
for break in $(grep -hoE 'BREAK_[A-Z_]+' "$models"/*.pml | sort -u); do
    check "a model is searched with $break" grep -qE "(^| )$break( |\$)" "$models/runs"
done
finish
