#!/bin/sh
# SPDX-License-Identifier: MIT
# schedule_mistakes.sh - mistakes put into the schedules, one at a time: schedules.sh finds each. A line of the list is a file of
# tools/race and a sed command. Environment: CC. Runs in the build directory.
#
# Catches: a part of the schedules that no test needs.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
. "$srcdir/tests/race/compiled"
archive=.libs/libracecore.a
[ -e $archive ] || {
    echo 'skipped: libracecore.la is not built'
    exit 77
}
mkdir "$tmp/lib"
ln -s libwsfj-race.so.0 "$tmp/lib/libwsfj-race.so"

# linked FILE: the library with another version of one of its files.
linked() {
    # shellcheck disable=SC2086
    $CC -std=gnu11 -O1 -g -w -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-builtin-malloc -DWSFJ_RACE_LIBRARY \
        -DHAVE_CONFIG_H -I. -I"$srcdir/include" -iquote "$srcdir/tools/race" -iquote "$srcdir/lib" -c "$tmp/$1" -o "$tmp/mistake.o" &&
        $CC -shared -Wl,-soname,libwsfj-race.so.0 -Wl,-z,muldefs "$tmp/mistake.o" -Wl,--whole-archive $archive \
            -Wl,--no-whole-archive -o "$tmp/lib/libwsfj-race.so.0"
}
passes() {
    RACE_TEST_LIBDIR=$tmp/lib srcdir=$srcdir timeout 300 sh "$srcdir/tests/race/schedules.sh"
}
# found FILE SED: the library with the mistake compiles, and the test fails.
found() {
    sed "$2" "$srcdir/tools/race/$1" >"$tmp/$1"
    if cmp -s "$srcdir/tools/race/$1" "$tmp/$1"; then
        echo "$1 has no such line: $2"
        return 1
    fi
    linked "$1" || return
    passes >"$tmp/out" 2>&1 || return 0
    echo 'not found'
    return 1
}

cp "$srcdir/tools/race/waits.c" "$tmp/waits.c"
check 'without a mistake' linked waits.c
check 'all is right' passes
while IFS='|' read -r file command; do
    check "$file: $command" found "$file" "$command"
done <<'END'
seed.c|s/^    state = (state + .*/    state = 1;/
schedule.c|s/^    if (self \&\& n_ready \&\& !race_stays \&\& race_draw(race_rates.change_at_locks) == 0)$/    if (0)/
schedule.c|s/^    if (race_draw(8) < race_rates.child_first) {/    if (1) {/
schedule.c|s/MOST_FIBERS;$/MOST_FIBERS \/ 2;/
schedule.c|s/^    struct flow \*flow = n_live < limit ?/    struct flow *flow = n_live < 2 * limit ?/
schedule.c|s/--fiber->scope->wsfj_first == 0/--fiber->scope->wsfj_first <= 1/
schedule.c|s/fiber->group \&\& --\*fiber->group == 0/fiber->group \&\& --*fiber->group == 1/
schedule.c|s/^        race_wake(FOR_GROUP, .*/        ;/
schedule.c|s/^    if (!__atomic_compare_exchange_n(\&scheduled_thread.*/    if (0)/
schedule.c|s/^    if (self != \&own || own.regions || n_live)/    if (1)/
schedule.c|s/^    return n > (race.spawns.*/    return 0;/
schedule.c|s/++n_live > n_most/n_live > n_most/
schedule.c|s/^    unused\[n_unused++\] = fiber;//
fibers.c|s/^    wsfj_scope_chain = to->scopes;//
fibers.c|s/^    flow->scopes = wsfj_scope_chain;.*/    flow->scopes = (void *)1;/
waits.c|s/^    return h ? h->by : NULL;/    return NULL;/
waits.c|s/^        h->times++;/        ;/
waits.c|s/ \&\& (all || !wanted--)/ \&\& 0/
waits.c|s/^    held\[n_held++\] = .*/    ;/
libc_locks.c|s/race_wake(FOR_LOCK, lock, 1);//
libc_locks.c|s/(result = try(lock)) == (busy)/(result = name(lock)) == (busy)/
libc_waits.c|s/race_wake(FOR_LOCK, owned_lock, 1);//
libc_waits.c|s/race_wake(FOR_SIGNAL, condition, all);//
libc_waits.c|s/race_wake(FOR_POST, semaphore, 1);//
deadlock.c|s/race_owner(fiber->object) == fiber/0/
slots.c|s/^        taken\[fiber->slot\] = 1;//
slots.c|s/^    taken\[fiber->slot\] = 0;/    return;/
slots.c|s/^        l->slots\[i\] = NULL;/        ;/
views.c|s/^    if (race_here() \&\& (race_self.*/    if (0)/
groups.c|s/^    race_turn();//
atomics.c|s/^        race_point();//
strands.c|s/^        race_children_wait(scope);//
END
finish
