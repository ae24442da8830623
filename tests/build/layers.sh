#!/bin/sh
# SPDX-License-Identifier: MIT
# layers.sh - which file of lib/ may use which. A room's files include and call only files of their own room and of the rooms
# above it in this list. No file leads back to itself. The one way against the order is the table of hooks (base/hooks.h).
# Calls are read from the objects in the current directory, if the library has been built there. Environment: srcdir, NM.
#
# Catches: an include line or a call against the order; a file in no room; a circle of files; a header whose change compiles more than
# two fifths of the library anew (those of base, arch and config excepted).
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

layers='base
arch
config
machine
task
wait
queue
worker
idle
blocking
sched
loop
api
sync
signals
observe
profile
runtime
mpi'

# "FILE HEADER" of each include line, without suffixes: a .c file and its header are one.
includes() {
    (cd "${1:-$srcdir}/lib" && find . -name '*.[chS]' -exec grep -H '^ *# *include "' {} + | sed -e '/"config\.h"/d' \
        -e 's|^\./\(.*\)\.[chS]:.*"\(.*\)\.h".*|\1 \2|') | LC_ALL=C sort -u
}

# "CALLER CALLED SYMBOL" for each function or variable that a file uses of another one.
calls() {
    for object in lib/*/libwsfjcore_la-*.o lib/arch/*/libwsfjcore_la-*.o; do
        file=$(echo "$object" | sed -e 's|^lib/||' -e 's|libwsfjcore_la-||' -e 's|\.o$||')
        [ ! -e "$srcdir/lib/$file.c" ] && [ ! -e "$srcdir/lib/$file.S" ] || ${NM:-nm} -P "$object" | sed "s|^|$file |"
    done | awk '
        $3 ~ /^[TDBRVW]$/ { of[$2] = $1 }
        $3 == "U" { uses[++n] = $1 " " $2 }
        END { for (i = 1; i <= n; i++) { split(uses[i], u, " "); if (u[2] in of && of[u[2]] != u[1]) print u[1], of[u[2]], u[2] } }'
}

# Include lines against the order of the layers, and files of no room.
against() {
    awk -v layers="$layers" 'BEGIN {
            n = split(layers, line, "\n")
            for (i = 1; i <= n; i++) { m = split(line[i], room, " "); for (j = 1; j <= m; j++) rank[room[j]] = i }
        }
        { from = to = $0; sub(/[\/ ].*/, "", from); sub(/.* /, "", to); sub(/\/.*/, "", to)
          if (!(from in rank) || !(to in rank) || rank[to] > rank[from]) print $1 " uses " $2 }'
}

# The files that lead back to themselves.
circle() {
    awk '$1 != $2 { reach[$1, $2] = 1; node[$1]; node[$2] }
        END {
            for (k in node) for (i in node) if ((i, k) in reach) for (j in node) if ((k, j) in reach) reach[i, j] = 1
            for (i in node) if ((i, i) in reach) print i
        }' | LC_ALL=C sort
}

# "HEADER NUMBER": how many of the C files include each header, at any distance, if that is more than two fifths of them: the
# scheduler, whose files share worker.h, is a third of all files.
seen_by_many() {
    (cd "$srcdir/lib" && find . -name '*.[ch]' -exec grep -H '^ *# *include "' {} +) | sed -e '/"config\.h"/d' -e '/arch\/generic/d' \
        -e '/arch\/aarch64/d' -e '/topology_bare/d' -e 's|^\./\(.*\):.*"\(.*\)".*|\1 \2|' | awk '
        { to[$1] = to[$1] " " $2 }
        function visit(file, n, i, header) {
            n = split(to[file], header, " ")
            for (i = 1; i <= n; i++) if (!(header[i] in seen)) { seen[header[i]]; visit(header[i]) }
        }
        END {
            for (file in to) if (file ~ /\.c$/) {
                files++; split("", seen); visit(file)
                for (h in seen) count[h]++
            }
            for (h in count) if (h !~ /^(base|arch|config)\// && count[h] * 5 > files * 2) print h, count[h] " of " files
        }'
}

includes >"$tmp/includes"
check 'there are include lines' test -s "$tmp/includes"
against <"$tmp/includes" >"$tmp/against"
check 'every include line follows the order of the rooms' diff /dev/null "$tmp/against"
# A library of its own, on the public headers of libwsfj.
grep '^mpi/' "$tmp/includes" | grep -v ' mpi/' >"$tmp/inside"
check 'mpi includes no header of another room' diff /dev/null "$tmp/inside"
circle <"$tmp/includes" >"$tmp/circle"
check 'no file leads back to itself' diff /dev/null "$tmp/circle"
if [ -e lib/base/libwsfjcore_la-hooks.o ]; then
    calls | grep -v ' wsfj_hooks$' >"$tmp/calls"
    check 'there are calls' test -s "$tmp/calls"
    sed 's/ [^ ]*$//' "$tmp/calls" | sort -u | against >"$tmp/against"
    check 'every call follows the order of the rooms' diff /dev/null "$tmp/against"
    grep -Ev '^(machine|observe|profile|runtime)/' "$tmp/calls" | sed 's/ [^ ]*$//' | sort -u | circle >"$tmp/circle"
    check 'no file of the scheduler calls its way back to itself' diff /dev/null "$tmp/circle"
fi

srcdir=$srcdir sh "$srcdir/tools/journey" >"$tmp/journeys" 2>"$tmp/moved"
check 'the journeys of lib/README.md are where it says (else: sh tools/journey write)' diff /dev/null "$tmp/moved"
check 'there are journeys' grep -q ' files, ' "$tmp/journeys"

seen_by_many >"$tmp/many"
check 'no header of a room is seen by more than two fifths of the files' diff /dev/null "$tmp/many"

# The test itself: what it must refuse, it refuses.
mkdir -p "$tmp/wrong/lib/base" "$tmp/wrong/lib/sched"
echo '#include "sched/two.h"' >"$tmp/wrong/lib/base/one.c"
echo '#include "sched/three.h"' >"$tmp/wrong/lib/sched/two.h"
echo '#include "sched/two.h"' >"$tmp/wrong/lib/sched/three.c"
check 'an include line upwards is refused' test "$(includes "$tmp/wrong" | against)" = 'base/one uses sched/two'
check 'a circle is found' test "$(includes "$tmp/wrong" | circle | tr '\n' ' ')" = 'sched/three sched/two '
finish
