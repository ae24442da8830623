#!/bin/sh
# SPDX-License-Identifier: MIT
# mistakes.sh - mistakes put into the detector, one at a time: random programs find each. A line of the list is a file of
# tools/race and a sed command. Environment: CC. Runs in the build directory.
#
# Catches: random programs that no longer reach a part of the detector.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/race/compiled"
objects=.libs/libracecore.a
random=tests/race/tests_race_random-random.o
[ -e $objects ] && [ -e $random ] || {
    echo 'skipped: tests/race/random is not built'
    exit 77
}

compile() {
    # shellcheck disable=SC2086
    $CC -std=gnu11 -O1 -w -fPIC -ftls-model=initial-exec -fno-builtin-malloc -DWSFJ_RACE_LIBRARY -I"$srcdir/include" \
        -iquote "$srcdir/tools/race" -c "$tmp/$1" -o "$tmp/mistake.o" &&
        $CC $random "$tmp/mistake.o" $objects -lpthread -o "$tmp/random"
}

# found FILE SED: the program with the mistake compiles, and fails.
found() {
    sed "$2" "$srcdir/tools/race/$1" >"$tmp/$1"
    if cmp -s "$srcdir/tools/race/$1" "$tmp/$1"; then
        echo "$1 has no such line: $2"
        return 1
    fi
    compile "$1" || return
    timeout 100 "$tmp/random" 40000 >"$tmp/out" 2>&1 && {
        echo 'not found'
        return 1
    }
    return 0
}

cp "$srcdir/tools/race/intervals.c" "$tmp/intervals.c"
check 'without a mistake' compile intervals.c
check 'all is right' "$tmp/random" 1000
while IFS='|' read -r file command; do
    check "$file: $command" found "$file" "$command"
done <<'END'
intervals.c|s/return t < race.intervals\[a\].end ?/return t <= race.intervals[a].end ?/
intervals.c|s/race.intervals\[n++\] = moved\[i\];/;/
intervals.c|s/race.intervals\[i\].owner != owner/race.intervals[i].owner == owner/
intervals.c|s/race.intervals\[m\].start <= t/race.intervals[m].start < t/
access.c|s/if (c->read_time != race.now && UNLIKELY(.*/if (0 \&\&/
access.c|s/if (!in) {/if (1) {/
access.c|s/if (!in) {/if (!in \&\& !c->read_time) {/
access.c|s/need < p->shift/need + 1 < p->shift/
access.c|s/size < 8 && UNLIKELY/size < 4 \&\& UNLIKELY/
access.c|s/a < race.low)/0)/
access.c|s/i <= last; i++/i < last; i++/
access.c|s/if (is_after(c->write_time)) {/if (1) {/
access.c|s/(kind == READ && c->read_time == race.now)/c->read_time == race.now/
access.c|s/c->read_time - race.known_lo < race.known_span/c->read_time/
access.c|s/if (is_after(c->read_time) && /if (/
access.c|s/ && c->write_time != LISTED//
access.c|s/(race.locks | race.flags) != 0/0/
access.c|s/if (a - race.stack_lo < race.low - race.stack_lo)/if (0)/
shadow.c|s/^                cached(a)->tag = 0;.*//
strands.c|s/^    race_intervals_changed();/race.pending_lo = race.pending_hi = 0;/
strands.c|s/^    forget_stack(child->wsfj_base);//
strands.c|s/lower(child->wsfj_base, child->wsfj_limit))/child->wsfj_limit)/
strands.c|s/if (loop->wsfj_iterations++)/if (loop->wsfj_iterations++ > 1)/
strands.c|s/^    race_join(loop, loop->wsfj_first);//
strands.c|s/race.pending = scope->wsfj_first;/;/
all_sets.c|s/race_locks_disjoint(locks, old_locks) &&/1 \&\&/
all_sets.c|s/kind >= (enum kind)old->kind && //
all_sets.c|s/had_as_few(old->context, me) &&$/1 \&\&/
all_sets.c|s/had_as_few(me, old->context)/had_as_few(old->context, me)/
locks.c|s/if (!(x\[i\] & y\[j\] & 1))/if (1)/
contexts.c|s/contexts\[context & NUMBER\].locks : 0/0 : 0/
groups.c|s/race.groups = 1;//
atomics.c|s/race_locks_with(locks, ATOMIC_LOCK)/locks/
shadow.c|s/race_list_copy(.*/(void)0;/
shadow.c|s/fresh\[i\] = old\[i >> ratio\];/memset(\&fresh[i], 0, sizeof fresh[i]);/
shadow.c|s/forget_cells(p, first, last - first + 1)/forget_cells(p, first, 0)/
END
finish
