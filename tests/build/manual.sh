#!/bin/sh
# SPDX-License-Identifier: MIT
# manual.sh - the manual pages describe all of the interface and nothing else: functions, macros, types, members,
# settings, tools and their options. Runs in the build directory. Environment: srcdir, CC, TEST_EMULATOR, with_jansson,
# with_simulator.
#
# Catches: a name without a page, or a page of a name that is gone; a prototype, range or default that is another one in
# the code; an option that a page does not name or that the tool does not take; an example of a setting that is refused.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
for name in $(env | sed -n 's/^\(\(WSFJ\|OMP\|HWLOC\)_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
man=$srcdir/doc/man

# same WHAT: the sorted words of the files `code` and `pages` are the same.
same() {
    LC_ALL=C sort -u "$tmp/code" >"$tmp/code.sorted"
    LC_ALL=C sort -u "$tmp/pages" >"$tmp/pages.sorted"
    check "$1: in both" test -s "$tmp/code.sorted"
    check "$1: all are in a page" [ -z "$(LC_ALL=C comm -23 "$tmp/code.sorted" "$tmp/pages.sorted" | tee "$tmp/names")" ]
    sed 's/^/    no page: /' "$tmp/names"
    check "$1: no page has others" [ -z "$(LC_ALL=C comm -13 "$tmp/code.sorted" "$tmp/pages.sorted" | tee "$tmp/names")" ]
    sed 's/^/    in a page only: /' "$tmp/names"
}

# text PAGE...: without markup.
text() {
    cat "$@" | sed '/^; /d; s/\\\(.\)/\1/g; s/\*//g'
}

# section NAME PAGE: the lines below that heading.
section() {
    awk -v name="$1" '/^# / { inside = substr($0, 3) == name; next } inside' "$2"
}

# names PAGE: what the page describes, a word a line.
names() {
    section NAME "$1" | tr '\n' ' ' | sed 's/ - .*//' | tr -s ', ' '\n' | grep .
}

# The interface, as the preprocessor sees it.
printf '#include <wsfj.h>\n' >"$tmp/wsfj.c"
printf '#include <wsfj/sim.h>\n' >"$tmp/sim.c"
printf '#include <wsfj/race.h>\n' >"$tmp/race.c"
preprocess() {
    # shellcheck disable=SC2086
    $CC -std=gnu11 -E "-I$srcdir/include" "$@"
}
preprocess -dM "$tmp/wsfj.c" | sed -n 's/^#define //p' >"$tmp/macros"
preprocess "$tmp/wsfj.c" | grep -v '^#' >"$tmp/declared"
preprocess "$tmp/sim.c" | grep -v '^#' >"$tmp/simulated"

# Functions and macros with parameters are found by name.
{
    grep -oE '^(ws|WS)_[A-Za-z0-9_]+\(' "$tmp/macros"
    grep -oE '\bws_[a-z0-9_]+ *\(' "$tmp/declared"
    grep -oE '\bsim_[a-z]+\(' "$tmp/simulated"
    preprocess "$tmp/race.c" | grep -oE '\bwsfj_race_[a-z_]+\('
} | tr -d '( ' >"$tmp/code"
for page in "$man"/*.3.scd; do
    names "$page"
done >"$tmp/described"
grep -xFf "$tmp/code" "$tmp/described" >"$tmp/pages"
same 'functions and macros'
check 'each is in one page' [ -z "$(sort "$tmp/described" | uniq -d | tee "$tmp/names")" ]

# All other names of the interface are in the text; the text has no others.
{
    grep -oE '^((ws|WS)_[A-Za-z0-9_]+|WSFJ_VERSION[A-Z_]*)\b' "$tmp/macros"
    grep -oE '\b(ws|WS)_[A-Za-z0-9_]+' "$tmp/declared" | grep -v '^ws_tried_'
} >"$tmp/code"
text "$man"/*.scd | grep -oE '\b((ws|WS)_[A-Za-z0-9_]+|WSFJ_VERSION[A-Z_]*)' >"$tmp/pages"
same 'names'

# members STRUCT: of a structure of the interface.
members() {
    awk -v begin="struct $1 {" 'index($0, begin) { inside = 1; next } inside && /^};/ { exit }
        inside && match($0, /\(\*[a-z_]+\)|[a-z_]+(\[[0-9]+\])?;/) {
            name = substr($0, RSTART, RLENGTH); sub(/\[.*/, "", name); gsub(/[^a-z_]/, "", name); print name }' "$tmp/declared"
}
bold() {
    grep '^\*' | grep -oE '\*[a-z_]+\*' | tr -d '*'
}
members ws_config >"$tmp/code"
section SETTINGS "$man/wsfj-init.3.scd" | bold >"$tmp/pages"
same 'members of ws_config'
members ws_stats | grep -vx size >"$tmp/code"
check 'wsfj.h says what each is' sh -c 'LC_ALL=C awk -f "$1/fields.awk" "$2" "$1/wsfj-stats.3.scd" >"$3"' \
    sh "$man" "$srcdir/include/wsfj.h" "$tmp/stats.scd"
section DESCRIPTION "$tmp/stats.scd" | bold | grep -v '^ws_' >"$tmp/pages"
same 'members of ws_stats'

# The prototypes of the synopses are those of the headers.
prototypes() {
    {
        echo "#include <$1>"
        shift
        for page; do
            section SYNOPSIS "$page" | grep -E '^[a-z].* \**(ws|sim|wsfj_race)_[a-z_]+\(.*\);$|^typedef'
        done
    } >"$tmp/prototypes.c"
    # shellcheck disable=SC2086
    grep -q '(' "$tmp/prototypes.c" && $CC -std=gnu11 -Wall -Wextra -Werror "-I$srcdir/include" -fsyntax-only "$tmp/prototypes.c"
}
for page in "$man"/*.3.scd; do
    case $page in
        */wsfj-sim.3.scd) check 'prototypes: wsfj-sim' prototypes wsfj/sim.h "$page" ;;
        */wsfj-race.3.scd) check 'prototypes: wsfj-race' prototypes wsfj/race.h "$page" ;;
        */wsfj-loops.*|*/wsfj-reductions.*|*/wsfj-tasks.*) ;; # macros only
        *) check "prototypes: $(basename "$page")" prototypes wsfj.h "$page" ;;
    esac
done

# Macros that a program sets before the header is read: asked for and not defined there. wsfj-race sets WSFJ_RACE.
grep -rhE '^ *# *(el)?if' "$srcdir/include" | grep -oE '\bWSFJ_[A-Z0-9_]+' | grep -vE '_(H|HPP)$|^WSFJ_RACE' | sort -u >"$tmp/asked"
grep -rhoE --exclude=sim.h '^ *# *define +WSFJ_[A-Z0-9_]+' "$srcdir/include" | awk '{ print $NF }' | sort -u >"$tmp/defined"
comm -23 "$tmp/asked" "$tmp/defined" >"$tmp/code"
section 'COMPILER OPTIONS' "$man/wsfj.7.scd" | grep -oE '\*-DWSFJ_[A-Z_]+' | sed 's/\*-D//' >"$tmp/pages"
same 'macros of the command line'

# Settings: what the library asks the environment for. Those of the tests have no page.
grep -rhoE --include='*.c' '"WSFJ_[A-Z_]+"' "$srcdir/lib" | tr -d '"' | grep -vE '^WSFJ_(TEST|PROFILE|CHAOS|$)|_$|^WSFJ_CHAOS_' >"$tmp/code"
grep -rhoE --include='*.c' '"WSFJ_PROFILE_[A-Z]+"' "$srcdir/lib" | tr -d '"' >>"$tmp/code"
sed -n 's/^\*\(WSFJ_[A-Z_]*\)\*$/\1/p' "$man/wsfj-env.7.scd" >"$tmp/pages"
cp "$tmp/pages" "$tmp/settings"
same settings
# Those of programs that wsfj-race has compiled. The others it sets itself, or its tests do.
grep -rhoE --include='*.c' '"WSFJ_RACE_[A-Z]+"' "$srcdir/tools/race" | tr -d '"' |
    grep -vE '_(INCLUDEDIR|LIBDIR|STACKS|STARTED|WANT)$' >"$tmp/code"
cp "$tmp/code" "$tmp/raced"
text "$man/wsfj-race.1.scd" | grep -oE '\bWSFJ_RACE_[A-Z]+' >"$tmp/pages"
same 'settings of wsfj-race'
# ... and no page names others.
text "$man"/*.scd | grep -oE '\bWSFJ_[A-Z][A-Z_]*' | grep -vE '^WSFJ_VERSION' | LC_ALL=C sort -u >"$tmp/pages"
cat "$tmp/defined" "$tmp/asked" "$tmp/settings" "$tmp/raced" | LC_ALL=C sort -u >"$tmp/known"
check 'no page names another setting' [ -z "$(LC_ALL=C comm -13 "$tmp/known" "$tmp/pages" | tee "$tmp/names")" ]
sed 's/^/    unknown: /' "$tmp/names"

# setting NAME: what wsfj-env(7) says of it.
setting() {
    awk -v name="*$1*" '/^[*#]/ { inside = $0 == name; next } inside' "$man/wsfj-env.7.scd"
}
# The numbers of a message about an invalid value are in the page, and the default is that of wsfj-info.
numbers() {
    setting "$1" | grep -q '^	Values: ' || return
    for number in $(sed -n "s/.*{\"$1\", \"\([^\"]*\)\".*/\1/p" "$srcdir/lib/config/settings.c" | grep -oE '[0-9]+[KMG]?'); do
        setting "$1" | grep -qwF "$number" || { echo "no $number"; return 1; }
    done
}
default() {
    said=$(setting "$1" | sed -n 's/.*Default: \**\([^*. ]*\).*/\1/p')
    case $said in 8M) said=8192K ;; a | no) said= ;; esac
    shown=$(sed -n "s/^$1=\([^ ]*\) *(.*/\1/p" "$tmp/info")
    [ "$said" = "$shown" ] || { echo "page: $said; wsfj-info: $shown"; return 1; }
}
accepted() {
    value=$(setting "$1" | sed -n "s/^	Example: \*$1=\(.*\)\*\$/\1/p")
    [ -n "$value" ] || { echo 'no example'; return 1; }
    env "$1=$value" ${TEST_EMULATOR-} ./wsfj-info >"$tmp/shown" 2>&1
    ! grep -E 'invalid|unknown' "$tmp/shown"
}
# shellcheck disable=SC2086
${TEST_EMULATOR-} ./wsfj-info >"$tmp/info"
while read -r variable; do
    check "$variable: its values" numbers "$variable"
    check "$variable: its example" accepted "$variable"
    case $variable in
        WSFJ_PROFILE_* | WSFJ_MPI_*) ;; # wsfj-info does not show them
        *) check "$variable: its default" default "$variable" ;;
    esac
done <"$tmp/settings"

# Tools, and their options in both directions.
sed -n 's/^bin_PROGRAMS += //p' "$srcdir"/tools/local.mk "$srcdir"/tools/sim/local.mk "$srcdir"/tools/race/local.mk "$srcdir"/bench/local.mk >"$tmp/code"
for page in "$man"/*.1.scd; do
    basename "$page" .1.scd
done >"$tmp/pages"
same tools
for tool in $(cat "$tmp/pages"); do
    if [ ! -x "$tool" ]; then
        echo "skipped: $tool is not built"
        continue
    fi
    # shellcheck disable=SC2086
    { ${TEST_EMULATOR-} "./$tool" --help; echo '--help'; } | grep -oE '(^| )--?[a-z][a-z-]*' | tr -d ' ' >"$tmp/code"
    section OPTIONS "$man/$tool.1.scd" | grep '^\*' | grep -oE '\*--?[a-z][a-z-]*' | tr -d '*' >"$tmp/pages"
    same "$tool"
done
finish
