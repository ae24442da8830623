#!/bin/sh
# SPDX-License-Identifier: MIT
# mutate.sh - mutate, which makes the mistakes of make check-mutation: the rules make exactly the mistakes that are written
# here, none of them in assertions, messages, events, chaos and failpoints; lines keep their numbers; a hash stays the same
# when the function moves or something else changes. Environment: srcdir; MUTATE, the program.
#
# Catches: a rule that has lost a place or found a wrong one; a function or macro that is not found; a cast or a declaration
# that is taken for an expression; a mistake that moves the lines behind it; a hash that depends on what is around.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
mutate="${TEST_EMULATOR:-} $(cd "$(dirname "${MUTATE:-tests/campaigns/mutation/mutate}")" && pwd)/mutate"
cd "$tmp" || exit 1

cat >small.c <<'END'
#define TWICE(x)                                                                                                       \
    do {                                                                                                               \
        put(x,                                                                                                         \
            1); /* one */                                                                                              \
    } while (0)

static int first(struct s *s, size_t n)
{
    unsigned sum = 0, *at = &sum;

    wsfj_assert(n > 0);
    if (n < s->most && !s->first)
        return EINVAL;
    while (next(s, n))
        sum += s->now;
    store_release(&s->sum, sum);
    WSFJ_EVENT(w, wait, 0, n + 1, 0, 0);
    wsfj_chaos();
    return *at ? one : two;
}

WS_TASK(int, second, int, n)
{
    switch (n) {
    case OTHER: return (size_t)-n != sizeof n;
    }
    return wsfj_failpoint(AT) || true;
}
END
cat >wanted <<'END'
3 TWICE drop-statement 1 put(x, 1) ->
4 TWICE edge 1 1 -> (1 + 1)
4 TWICE edge 2 1 -> (1 - 1)
9 first edge 1 0 -> (0 + 1)
9 first edge 2 0 -> (0 - 1)
9 first result 1 &sum -> 0
9 first result 2 &sum -> 1
12 first edge 3 n -> (n) + 1
12 first drop-term 1 n < s->most && ->
12 first turn 1 n < s->most && !s->first -> !(n < s->most && !s->first)
12 first drop-condition 1 n < s->most && !s->first -> 1
12 first drop-condition 2 n < s->most && !s->first -> 0
12 first turn 2 < -> >=
12 first edge 4 < -> <=
12 first turn 3 < -> >
12 first edge 5 s->most -> (s->most) + 1
12 first drop-term 2 && !s->first ->
12 first drop-term 3 ! ->
13 first go-on 1 return EINVAL ->
13 first result 3 EINVAL -> EAGAIN
13 first result 4 EINVAL -> 0
14 first turn 4 next(s, n) -> !(next(s, n))
14 first drop-condition 3 next(s, n) -> 0
14 first drop-condition 4 next(s, n) -> ((next(s, n)), 0)
15 first drop-statement 1 sum += s->now ->
15 first drop-term 4 += -> =
15 first result 5 s->now -> 0
15 first result 6 s->now -> 1
16 first drop-statement 2 store_release(&s->sum, sum) ->
16 first result 7 sum -> 0
16 first result 8 sum -> 1
19 first turn 5 *at -> !(*at)
19 first drop-condition 5 *at -> 1
19 first drop-condition 6 *at -> 0
19 first result 9 *at ? one : two -> 0
19 first result 10 *at ? one : two -> 1
25 second drop-condition 1 case OTHER: ->
25 second go-on 1 return (size_t)-n != sizeof n ->
25 second edge 1 (size_t)-n -> ((size_t)-n) + 1
25 second result 1 (size_t)-n != sizeof n -> 0
25 second result 2 (size_t)-n != sizeof n -> 1
25 second drop-term 1 - ->
25 second turn 1 != -> ==
25 second edge 2 != -> <
25 second edge 3 != -> >
25 second edge 4 sizeof n -> (sizeof n) + 1
27 second result 3 wsfj_failpoint(AT) || true -> 0
27 second result 4 wsfj_failpoint(AT) || true -> 1
27 second drop-term 2 || true ->
27 second result 5 true -> false
END
$mutate list small.c | cut -f 2-5,8 | tr '\t' ' ' | sed 's/ $//' >found
check 'the mistakes of small.c' diff wanted found

cat >wanted <<'END'
#define TWICE(x)                                                                                                       \
    do {                                                                                                               \
        \
; /* one */                                                                                              \
    } while (0)
END
$mutate apply small.c TWICE drop-statement 1 >changed
head -n 5 changed >found
check 'lines keep their numbers' diff wanted found
sed 1,5d small.c >wanted
sed 1,5d changed >found
check 'the rest stays' diff wanted found

# hashes FILE FUNCTION
hashes() {
    $mutate list "$1" | awk -F '\t' -v f="$2" '$3 == f { print $4, $5, $6, $7 }'
}

{ echo 'static void other(void)' && echo '{' && echo '    put(0);' && echo '}' && cat small.c; } >moved.c
hashes small.c first >wanted
hashes moved.c first >found
check 'where the function lies makes no difference' cmp wanted found
sed 's/    wsfj_chaos();/    put(3);/' small.c >more.c
hashes small.c first | cut -d ' ' -f 3 | sort >wanted
hashes more.c first | cut -d ' ' -f 3 | sort >found
check 'what is added makes no difference to others' test -z "$(comm -23 wanted found)"
check 'hashes differ' test "$(sort -u wanted | wc -l)" = "$(wc -l <wanted)"
check 'proposals are mistakes of the list' test -z "$($mutate propose small.c | grep -vFx "$($mutate list small.c)")"
check 'there are proposals' test -n "$($mutate propose small.c)"

nowhere() {
    ! $mutate apply small.c first edge 99
}
check 'a place that is not there is an error' nowhere
finish
