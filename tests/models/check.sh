#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh - Spin searches the models of this folder, in each way that `runs` lists: a correct model is searched to the
# end without an error; a model with one step removed must have the expected error. Environment: srcdir; MODELS, `all`
# (make check-models) or `quick` (the default; make check-full); CC_FOR_BUILD, else cc.
#
# Catches: a protocol that breaks what doc/protocols.md claims; a model that does not find its error; a search
# that was cut short.
srcdir=$(cd "${srcdir:-.}" && pwd)
. "$srcdir/tests/build/checks"
models=$srcdir/tests/models
cc=${CC_FOR_BUILD:-cc}

command -v spin >/dev/null || {
    echo 'skipped: spin is missing (Debian: spin)'
    exit 77
}

# Limits of a search: steps of the longest path, MiB.
DEPTH=20000
MEMORY=4000

# search MODEL MACRO...: the report goes to the file `report`.
search() {
    file=$models/$1.pml
    shift
    rm -rf "$tmp/search" && mkdir "$tmp/search" && cd "$tmp/search" && : >report || return
    # shellcheck disable=SC2046
    spin -P"$cc -E -x c" $(printf -- '-D%s ' "$@") -a "$file" >spin.out 2>&1 </dev/null
    [ -f pan.c ] && ! grep -q Error: spin.out || { cat spin.out; return 1; }
    # Unoptimised: compiling takes longer than most searches.
    $cc -w -O0 -DSAFETY -DMEMLIM=$MEMORY -o pan pan.c >compiler.out 2>&1 || { cat compiler.out; return 1; }
    ./pan -m$DEPTH -n >report 2>&1
    status=$?
    [ $status -lt 128 ] || { echo "the search was ended by signal $((status - 128))" && cat report; return 1; }
    [ -s report ] || { echo 'no report'; return 1; }
}

# Searched to the end: no errors, and no message about a part left out.
holds() {
    grep -q 'errors: 0$' report && grep -q 'Full statespace search' report &&
        ! grep -Eiq 'not completed|too small|out of memory|truncated|aborted|exceeded|hash-?compact|bit ?state' report
}

states() {
    sed -n 's/^ *\([0-9]*\) states, stored.*/\1 states/p' "$tmp/search/report"
}

# expect holds|deadlock|ASSERTION MODEL MACRO...
expect() {
    wanted=$1
    shift
    search "$@" || return
    case $wanted in
        holds) holds ;;
        deadlock) grep -q '^pan:1: invalid end state' report ;;
        *) grep '^pan:1: assertion violated' report | grep -qF -- "$wanted" ;;
    esac || {
        head -n 12 report
        return 1
    }
}

while read -r when model wanted label macros; do
    case $when in
        quick) ;;
        all) [ "${MODELS:-quick}" = all ] || continue ;;
        *) continue ;;
    esac
    # shellcheck disable=SC2086
    check "$model $macros: $wanted" expect "$wanted" "$model" $macros
    echo "$label $model $macros: $wanted, $(states)"
done <"$models/runs"
finish
