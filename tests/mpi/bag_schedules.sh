#!/bin/sh
# SPDX-License-Identifier: MIT
# bag_schedules.sh - bag_schedules holds, and fails with each step of bag_step() taken out. Environment: srcdir, CC,
# WSFJ_TEST_FULL: 100,000 schedules.
#
# Catches: what bag_schedules.c names, and a bag_schedules that has become blind.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

mkdir "$tmp/mpi" && cp "$srcdir/lib/mpi/bag_step.h" "$tmp/mpi"
compile() {
    ${CC:-cc} -std=gnu11 -O2 -w -I"$tmp" "$@"
}
build() { # with the mistake in bag_step.c
    compile "$tmp/network.o" "$tmp/mpi/bag_step.c" -o "$tmp/schedules"
}
# mistake NAME SED [FIRST]: FIRST is the seed to begin with, for one that few schedules notice
mistake() {
    sed -e "$2" "$srcdir/lib/mpi/bag_step.c" >"$tmp/mpi/bag_step.c"
    check "$1: the text is there" sh -c '! cmp -s "$1" "$2"' sh "$srcdir/lib/mpi/bag_step.c" "$tmp/mpi/bag_step.c"
    build
    check "$1: is noticed" sh -c '! timeout 100 "$1" 50000 "$3" >"$2" && grep -q "^seed" "$2"' \
        sh "$tmp/schedules" "$tmp/out" "${3:-1}"
    echo "$1: $(cat "$tmp/out")"
}

cp "$srcdir/lib/mpi/bag_step.c" "$tmp/mpi/bag_step.c" &&
    compile -c "$srcdir/tests/mpi/bag_schedules.c" -o "$tmp/network.o" && build
check 'without a mistake' timeout 300 "$tmp/schedules" "$([ -n "$WSFJ_TEST_FULL" ] && echo 100000 || echo 500)"
# Not here: one wave only, which suffices as long as lifelines are counted (doc/protocols.md, BAG-3).
mistake 'a chunk is not counted' 's|r->counts.sent++;|r->counts.sent += message != BAG_CHUNK;|'
mistake 'a gift is not counted' 's|r->counts.sent++;|r->counts.sent += message != BAG_GIFT;|'
mistake 'a lifeline is not counted where it is sent' 's|r->counts.sent++;|r->counts.sent += message != BAG_LIFELINE;|'
mistake 'lifelines are not counted at all' 's|r->counts.sent++;|r->counts.sent += message != BAG_LIFELINE;|; s|news->message < BAG_SUMS;|news->message < BAG_SUMS \&\& news->message != BAG_LIFELINE;|'
mistake 'gifts are not counted at all' 's|r->counts.sent++;|r->counts.sent += message != BAG_GIFT;|; s|news->message < BAG_SUMS;|news->message < BAG_SUMS \&\& news->message != BAG_GIFT;|' 3700
mistake 'sent and received are not compared' 's|r->sums\[0\] == r->sums\[1\] && ||'
mistake 'waves are counted where they are received' 's|r->counts.received += news->message < BAG_SUMS;|r->counts.received++;|'
mistake 'the end of a wave is forgotten' 's|r->in_wave = false;||'
mistake 'a wave is joined twice' 's|r->in_wave = true;||'
mistake 'a rank joins before its children' 's| \&\& !r->missing||'
mistake 'one child is enough' 's|r->missing--;|r->missing = 0;|'
mistake 'the next wave does not wait for the children' 's|r->missing = r->children;$||'
mistake 'the sums of the children are dropped' '/^static void take_sums/,/^}/s|r->sums\[0\] += sums\[0\];||'
mistake 'the sums of a wave stay' 's|memset(r->sums, 0, sizeof r->sums);||'
mistake 'the end is not passed on' 's|send_of_wave(r, r->me . 1 << b, answer, NULL, 0);|;|'
mistake 'again is the end' 's|r->is_done = answer == BAG_END;|r->is_done = true;|'
mistake 'a child has two parents' 's|((2U << b) - 1)|((1U << b) - 1)|'
mistake 'sums go to rank 0' 's|r->me \& (r->me - 1), BAG_SUMS|0, BAG_SUMS|'
mistake 'a rank with tasks goes idle' 's/ || r->calls->has(r->port)//'
mistake 'a rank joins with an ask open' 's/r->asked >= 0 || //'
mistake 'no refusal' 's|send(r, news->from, BAG_REFUSE, NULL, 0);|;|'
mistake 'a refusal ends no ask' '/case BAG_REFUSE/,/break/s|r->asked = -1;||'
mistake 'a chunk ends no ask' 's|r->asked = -1; /\* BAG-1 \*/||'
mistake 'a lifeline is forgotten by its server' 's|r->waits\[line_of(r, news->from)\] = true;||'
mistake 'a lifeline that has given is served again' 's|r->waits\[b\] = false;|;|'
mistake 'a lifeline that has given counts as registered' 's|r->registered\[line_of(r, news->from)\] = false;||'
mistake 'a rank does not register' 's|^    hang_on(r);||'
mistake 'a rank registers with one neighbour' 's|b < r->lines; b++)$|b < 1; b++)|'
mistake 'lines for half of the ranks' 's|(ranks - 1) >> r->lines|(ranks - 1) >> r->lines >> 1|'
mistake 'a chunk is not passed on' '/r->calls->put(/,/^}/s|serve(r);||'
mistake 'a new lifeline waits for the next task' '/= true; .. BAG-2/,/break/s|serve(r);||'
mistake 'nobody says that ranks wait' 's|r->calls->want(r->port, waiting)|r->calls->want(r->port, 0)|'
mistake 'the victim may be the thief' 's|victim += victim >= r->me;||'
mistake 'new work does not allow new random victims' 's|r->tries = 0;||'
mistake 'a chunk is lost' 's|r->calls->put(r->port, news->bytes, news->size);||'
mistake 'spare tasks are not given' '/case BAG_SPARE/,/break/s|serve(r);||'
store() { # SED: bag_store with it
    sed -e "$1" "$srcdir/lib/mpi/bag_store.c" >"$tmp/mpi/bag_store.c" && cp "$srcdir/lib/mpi/bag_store.h" "$tmp/mpi" &&
        ${CC:-cc} -std=gnu11 -O2 -w -I"$tmp" "$srcdir/tests/mpi/bag_store.c" "$tmp/mpi/bag_store.c" -o "$tmp/store" && "$tmp/store"
}
check 'bag_store' store ''
! store 's|s->last -= s->first;||' >/dev/null 2>&1
check 'bag_store: a newest that is forgotten in a move is noticed' test $? -eq 0
finish
