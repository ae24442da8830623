#!/bin/sh
# SPDX-License-Identifier: MIT
# pages.sh - the experiments of doc/sim are true: what a page finds holds for what its commands print, and its tables and
# pictures are near that. Runs in the build directory. Environment: as `simulate` says; WSFJ_TEST_FULL: also the commands
# of blocks that are marked `full` (of orders that the library does not have, or dear, where a cheaper block of the pages
# shows the same of the library); LONG=1: also those that are marked `long`; SEED=n: other seeds, for which the findings
# must hold, too.
#
# Blocks that end in `smpi` are run where there is SimGrid's smpicc: `sim-mpi` is bench/mpi/sim/run, `sim-mpi compare` the script
# beside it.
#
# A command is a line with `$ ` in a block ```console; it may go on after `\`. The findings of a page are in comments:
#
#     <!-- findings
#     2.efficiency[workers=8] ~ 0.50              the second command's figure is 0.50, to a tenth (findings.awk)
#     2.time_ns[workers=8] < 1.time_ns[workers=8] / 2
#     one seed: 3.stacks > 7                      not with SEED, which would make another random tree
#     -->
#
# Each number of the answer stands in a command or in a finding: there 42 % may stand for 0.42, 1.3 ms for 1300000 (ns), and
# 10,000 for 10000. Tables are compared by near.awk: they are to be of this order, not of this digit.
#
#     sh tests/sim/pages.sh few.md              # this page only
#     sh tests/sim/pages.sh write [PAGE...]     # runs the commands and writes what they print into the pages
#
# Catches: a finding that does not hold any more; a number in the answer that no finding has; figures of another library or
# another workload than the present one; a picture that nobody has made.
. "${srcdir:-.}/tests/sim/simulate"
pages=$srcdir/doc/sim full=${LONG:-${WSFJ_TEST_FULL-}}
for name in $(env | sed -n 's/^\(WSFJ_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
# Assertions and points of delay are in the library's code, and cost time.
if grep -Eq '^FEATURE_CPPFLAGS = .*WSFJ_(DEBUG|CHAOS)' Makefile; then
    exit 77
fi
mkdir "$tmp/bin" "$tmp/made"
printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$PWD/wsfj-sim" "${SEED:+--seed $SEED}" >"$tmp/bin/wsfj-sim"
cat >"$tmp/bin/sim-mpi" <<END
#!/bin/sh
what=run
[ "\${1-}" != compare ] || { what=compare; shift; }
made=\$PWD
cd '$PWD' && srcdir='$(cd "$srcdir" && pwd)' && export srcdir && "\$srcdir/bench/mpi/sim/\$what" "\$@" && { [ ! -e ranks.svg ] || mv ranks.svg "\$made"; }
END
chmod +x "$tmp/bin/wsfj-sim" "$tmp/bin/sim-mpi"
smpi=$(command -v smpicc) || echo 'skipped: experiments with ranks, as there is no smpicc (Debian: libsimgrid-dev)'

# split PAGE: its commands, with what they should print, as $tmp/split/N.command and .expected; .later, if it is not to run. Findings.
split() {
    rm -rf "$tmp/split"
    mkdir "$tmp/split"
    awk -v to="$tmp/split" -v full="$full" -v long="${LONG-}" -v smpi="$smpi" '
        /^<!-- findings$/ { finds = 1; next }
        /^-->$/ { finds = 0 }
        finds { print >(to "/findings") }
        /^```console/ { inside = 1; later = (/ long/ && !long) || (/ full/ && !full) || (/ smpi/ && !smpi); file = ""; next }
        /^```/ { inside = 0 }
        !inside { next }
        /^\$ / {
            command = substr($0, 3)
            while (sub(/\\$/, "", command) && (getline line) > 0)
                command = command line
            file = sprintf("%s/%02d", to, ++n)
            print command >(file ".command")
            printf "" >(file ".expected")
            if (later)
                print "" >(file ".later")
            next
        }
        { sub(/ +$/, ""); print >(file ".expected") }' "$1"
}

# run N: what the command prints, both streams.
run() {
    (cd "$tmp/made" && PATH=$tmp/bin:$PATH sh "$tmp/split/$1.command" </dev/null 2>&1) | sed 's/ *$//' >"$tmp/split/$1.got"
}

# The numbers of the answer that are in no command and no finding: prints them.
unknown() {
    awk '
        function numbers(text, list,    n) {
            gsub(/`[^`]*`/, " ", text)
            gsub(/\]\([^)]*\)/, " ", text)
            n = 0
            while (match(text, /[0-9]+(,[0-9][0-9][0-9])*(\.[0-9]+)?( (%|ns|us|ms))?/)) {
                list[++n] = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
            }
            return n
        }
        function is(value, factor, number, digits) {
            return sprintf("%.*f", digits, value * factor) == number
        }
        FNR == 1 { pass++; answers = 0 }
        /^```/ { inside = !inside && /console/; if (/^```$/) inside = 0; next }
        /^<!-- findings$/ { finds = 1; next }
        /^-->$/ { finds = 0; next }
        pass == 1 && (finds || (inside && (/^\$ / || goes_on))) {
            goes_on = inside && /\\$/
            gsub(/[0-9]+\.([0-9]+\.)?[a-z][a-z_0-9]*/, " ")
            gsub(/[^0-9.]+/, " ")
            for (i = 1; i <= NF; i++)
                if ($i ~ /^[0-9]+(\.[0-9]+)?$/)
                    known[$i + 0]
                else {
                    n = split($i, parts, /\.\.+/)
                    for (j = 1; j <= n; j++)
                        known[parts[j] + 0]
                }
        }
        /^\*\*Answer\.\*\*/ { answers = 1 }
        pass == 2 && answers && !inside && !finds {
            count = numbers($0, list)
            for (i = 1; i <= count; i++) {
                unit = list[i]; sub(/^[^ ]* ?/, "", unit)
                number = list[i]; sub(/ .*/, "", number); gsub(/,/, "", number)
                digits = number ~ /\./ ? length(number) - index(number, ".") : 0
                found = 0
                for (value in known)
                    found = found || is(value, 1, number, digits) || (unit == "%" && is(value, 100, number, digits)) ||
                        (unit == "us" && is(value, 1e-3, number, digits)) ||
                        (unit == "ms" && (is(value, 1e-6, number, digits) || is(value, 1e-3, number, digits)))
                if (!found)
                    print "line " FNR ": " list[i]
            }
        }' "$1" "$1"
}

# The findings of the page, of the commands that have run.
check_findings() {
    [ -e "$tmp/split/findings" ] || return
    while read -r finding; do
        case $finding in
            'one seed: '*)
                [ -z "${SEED:-}" ] || continue
                finding=${finding#one seed: }
                ;;
        esac
        for at in $(echo "$finding" | grep -oE '\b[0-9]+\.([0-9]+\.)?[a-z]' | cut -d. -f1 | sort -u); do
            [ -e "$tmp/split/$(printf '%02d' "$at").got" ] || continue 2
        done
        echo "$finding" | awk -v from="$tmp/split" -f "$srcdir/tests/sim/findings.awk" >"$tmp/finding"
        condition=$(head -n 1 "$tmp/finding")
        check "$title: $finding: $condition" awk "function about(a, b) { return a >= b * 0.9 && a <= b * 1.1 }
            BEGIN { exit !(${condition:-0}) }"
    done <"$tmp/split/findings"
}

# written PAGE: the page with what its commands have printed just now.
written() {
    awk -v from="$tmp/split" '
        /^```console/ { inside = 1 }
        /^```$/ { inside = 0 }
        !inside || /^```/ { print; next }
        /^\$ / {
            print
            line = $0
            while (line ~ /\\$/ && (getline line) > 0)
                print line
            file = sprintf("%s/%02d.got", from, ++n)
            while ((getline line < file) > 0)
                print line
        }' "$1"
}

if [ "${1:-}" = write ]; then
    shift
    [ $# -gt 0 ] || set -- "$pages"/*.md
    for name; do
        title=$(basename "$name")
        page=$pages/$title
        [ -n "$smpi" ] || ! grep -q '^```console.* smpi' "$page" || continue
        split "$page"
        for command in "$tmp"/split/*.command; do
            [ -e "$command" ] && run "$(basename "$command" .command)"
        done
        written "$page" >"$tmp/page"
        cp "$tmp/page" "$page"
        unknown "$page" | sed "s|^|$page: in no finding: |"
        check_findings
    done
    cp "$tmp"/made/*.svg "$pages" 2>/dev/null
    finish
fi

all=$#
[ $# -gt 0 ] || set -- "$pages"/*.md
for page; do
    title=$(basename "$page")
    page=$pages/$title
    split "$page"
    for command in "$tmp"/split/*.command; do
        at=$(basename "$command" .command)
        [ -e "$command" ] || continue
        if [ -e "$tmp/split/$at.later" ]; then
            sed -n 's/.*--plot \([^ ]*\).*/\1/p' "$command" >>"$tmp/later"
            continue
        fi
        run "$at"
        [ -n "${SEED:-}" ] || check "$title: $(cat "$command")" awk -f "$srcdir/tests/sim/near.awk" "$tmp/split/$at.expected" "$tmp/split/$at.got"
    done
    check_findings
    unknown "$page" >"$tmp/unknown"
    check "$title: each number stands in a finding" sh -c '! grep . "$1"' sh "$tmp/unknown"
    [ "$title" = README.md ] || check "$title is in the index" grep -q "($title)" "$pages/README.md"
done
[ $all -eq 0 ] && [ -z "${SEED:-}" ] || finish
for picture in "$pages"/*.svg; do
    title=$(basename "$picture")
    grep -qx "$title" "$tmp/later" 2>/dev/null || check "$title is what its command makes" \
        awk -v absolute=1 -v apart=40 -f "$srcdir/tests/sim/near.awk" "$picture" "$tmp/made/$title"
    check "$title is on a page" grep -q "($title)" "$pages"/*.md
done
check 'there are pages' test "$n" -gt 20
finish
