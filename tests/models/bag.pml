/* SPDX-License-Identifier: MIT */
/*
 * bag.pml - BAG-1 to BAG-3: lib/mpi/bag_step.c.
 *
 * Three ranks; rank 0 has a task, and tasks add others, TASKS in all. A step of a rank is one call of bag_step(), which
 * nobody interrupts. Messages of a pair keep their order. Rank 0 is the parent of the two others in the tree of waves; each
 * is the neighbour of the two others, so that there is a lifeline that is no edge of the tree, as from four ranks on.
 * Checked: a rank ends only when no task is left and no message under way, and none is sent to it later; all ranks end; a
 * gift goes only to a rank that is registered; a lifeline is known on both sides, or a message about it is under way.
 *
 * With SAFRA a token (Dijkstra, EWD 998) finds the end instead of waves: another algorithm that needs the same of the counts.
 * With ONE_WAVE a rank ends after one wave whose sums are equal. Since lifelines are counted, too, that suffices here.
 *
 * Elsewhere: more than one worker of a rank, random victims (any rank here), sizes.
 */
#ifndef TASKS
#define TASKS 2
#endif
#define N 3
#define net(from, to) channel[(from)*N + (to)]
#define is_line(a, b) ((a) != (b))

mtype = { ASK, REFUSE, CHUNK, LIFELINE, GIFT, SUMS, AGAIN, END };
chan channel[9] = [4] of { mtype, byte, byte }; /* SUMS: sent, received */

byte store[N], tries[N], asked[N] = N, sent[N], received[N], ended;
bool busy[N], done[N], in_wave[N];
bool registered[9], waits[9]; /* of me at the other; at me, of the other */
bool has_last;
byte sum_sent, sum_received, last_sent, last_received; /* of rank 0 */
byte missing = 2;
#ifdef SAFRA
byte token_at;
short token_sum;
bool token_black = true, black[N];
#endif
byte created = 1;
#ifdef BREAK_COUNT
byte late[N];
#endif

#ifdef BREAK_LINES /* BAG-3 */
#define counted(m) ((m) != LIFELINE && !of_wave(m))
#elif defined BREAK_OPEN /* BAG-1 */
#define counted(m) ((m) != ASK && (m) != REFUSE && !of_wave(m))
#else
#define counted(m) (!of_wave(m))
#endif
#define of_wave(m) ((m) == SUMS || (m) == AGAIN || (m) == END)

inline send(me, to, message, n)
{
    assert(!done[to]);
#ifdef BREAK_COUNT /* BAG-3 */
    late[me]++;
#else
    if
    :: counted(message) -> sent[me]++ /* BAG-3: send() */
    :: else
    fi;
#endif
    net(me, to)!message(n, 0)
}

/* Fewer states. */
#define forget b = 0; n = 0; to = 0; from = 0; size = 0; more = 0; message = 0

/* Half of the tasks; one of them only beside one that runs. */
#define spare(me) (store[me] >= 2 -> store[me] / 2 : (store[me] == 1 && busy[me] -> 1 : 0))

inline give(me, to, message)
{
    n = spare(me);
    store[me] = store[me] - n;
    send(me, to, message, n)
}

inline serve(me)
{
    for (b : 0 .. N - 1) {
        if
        :: is_line(me, b) && waits[me * N + b] && spare(me) > 0 ->
            assert(registered[b * N + me]);
            give(me, b, GIFT);
#ifndef BREAK_AGAIN                        /* BAG-2 */
            waits[me * N + b] = false; /* BAG-2: serve() */
#endif
        :: else
        fi
    }
}

inline be_idle(me)
{
    if
    :: done[me] || asked[me] < N || store[me] > 0 || busy[me]
    :: else ->
        if
        :: tries[me] < 1 ->
            if
            :: to = (me + 1) % N
            :: to = (me + 2) % N
            fi;
            tries[me]++;
#ifndef BREAK_OPEN               /* BAG-1 */
            asked[me] = to; /* BAG-1: ask() */
#endif
            send(me, to, ASK, 0);
#ifdef BREAK_OPEN
            asked[me] = N;
#endif
        :: else ->
            for (b : 0 .. N - 1) {
                if
                :: is_line(me, b) && !registered[me * N + b] ->
                    registered[me * N + b] = true; /* BAG-2: hang_on() */
                    send(me, b, LIFELINE, 0)
                :: else
                fi
            }
#ifdef SAFRA
            skip
#else
#ifdef BREAK_CHILDREN /* BAG-3 */
            do
            :: !in_wave[me] && !done[me] && (me || missing < 2) ->
#else
            do
            :: !in_wave[me] && !done[me] && (me || !missing) -> /* BAG-3: be_idle() */
#endif
                in_wave[me] = true;
                if
                :: me -> net(me, 0)!SUMS(sent[me], received[me])
                :: else -> judge()
                fi
            :: else -> break
            od
#endif
        fi
    fi
}

inline arrive(me, from, message, n, more)
{
    if
    :: counted(message) ->
        received[me]++; /* BAG-3: arrive() */
#ifdef SAFRA
        black[me] = true
#endif
    :: else
    fi;
    if
    :: message == ASK ->
        if
        :: spare(me) > 0 -> give(me, from, CHUNK)
        :: else ->
#ifndef BREAK_REFUSAL                        /* BAG-1 */
            send(me, from, REFUSE, 0) /* BAG-1: arrive() */
#else
            skip
#endif
        fi
    :: message == REFUSE -> asked[me] = N
    :: message == CHUNK -> asked[me] = N; tries[me] = 0; store[me] = store[me] + n; serve(me)
    :: message == LIFELINE ->
#ifndef BREAK_FORGET                         /* BAG-2 */
        waits[me * N + from] = true; /* BAG-2: arrive() */
#endif
        serve(me)
    :: message == GIFT ->
        registered[me * N + from] = false; /* BAG-2: arrive() */
        tries[me] = 0;
        store[me] = store[me] + n;
        serve(me)
    :: message == SUMS ->
        sum_sent = sum_sent + n;
        sum_received = sum_received + more;
        missing--
    :: message == AGAIN -> in_wave[me] = false
    :: message == END -> leave(me)
    fi
}

/* Rank 0: a wave is over. */
inline judge()
{
    sum_sent = sum_sent + sent[0];
    sum_received = sum_received + received[0];
    in_wave[0] = false;
    missing = 2;
#ifdef BREAK_SUMS /* BAG-3 */
    if
    :: has_last && last_sent == sum_sent -> message = END
#elif defined ONE_WAVE
    if
    :: sum_sent == sum_received -> message = END
#else
    if
    :: has_last && sum_sent == sum_received && last_sent == sum_sent && last_received == sum_received -> /* BAG-3: judge() */
        message = END
#endif
    :: else -> message = AGAIN
    fi;
    has_last = true;
    last_sent = sum_sent;
    last_received = sum_received;
    sum_sent = 0;
    sum_received = 0;
    if
    :: message == END -> leave(0)
    :: else
    fi;
    net(0, 1)!message(0, 0);
    net(0, 2)!message(0, 0)
}

inline leave(me)
{
    assert(ended == created);
    for (b : 0 .. N - 1) {
        assert(store[b] == 0 && !busy[b]);
        assert(len(net(b, me)) == 0 && len(net(me, b)) == 0);
    }
    done[me] = true
}

#ifdef SAFRA
/* The token is at a passive rank. Rank 0: the round was white, and its sums are equal. */
inline pass(me)
{
    token_sum = token_sum + sent[me] - received[me];
    token_black = token_black || black[me];
    black[me] = false;
    if
    :: me -> token_at = me - 1
    :: !me && !token_black && token_sum == 0 ->
        token_at = N;
        leave(0);
        net(0, 1)!END(0, 0);
        net(0, 2)!END(0, 0)
    :: else ->
        token_at = N - 1;
        token_sum = 0;
        token_black = false
    fi
}
#endif

/* A lifeline is known on both sides. */
inline check_lines(me)
{
    for (b : 0 .. N - 1) {
        if
        :: registered[me * N + b] ->
            assert(waits[b * N + me] || net(me, b)??[LIFELINE, _, _] || net(b, me)??[GIFT, _, _])
        :: else
        fi
    }
}

proctype rank(byte me)
{
    byte b, n, to, from, size, more;
    mtype message;

    atomic { be_idle(me); forget }
    do
    :: d_step { done[me] } -> break
    :: atomic { !done[me] && store[me] > 0 && !busy[me] -> store[me]--; busy[me] = true }
    :: atomic { busy[me] && created < TASKS -> created++; store[me]++; serve(me); forget }
    :: atomic { busy[me] -> busy[me] = false; ended++; be_idle(me); forget }
#ifdef SAFRA
    :: atomic { token_at == me && !done[me] && store[me] == 0 && !busy[me] && asked[me] == N && tries[me] == 1 -> pass(me); forget }
#endif
#ifdef BREAK_COUNT
    :: atomic { late[me] > 0 -> sent[me] = sent[me] + late[me]; late[me] = 0 }
#endif
    :: atomic { !done[me] && nempty(net(0, me)) -> net(0, me)?message(size, more); from = 0; arrive(me, from, message, size, more); be_idle(me); check_lines(me); forget }
    :: atomic { !done[me] && nempty(net(1, me)) -> net(1, me)?message(size, more); from = 1; arrive(me, from, message, size, more); be_idle(me); check_lines(me); forget }
    :: atomic { !done[me] && nempty(net(2, me)) -> net(2, me)?message(size, more); from = 2; arrive(me, from, message, size, more); be_idle(me); check_lines(me); forget }
    od
}

init
{
    atomic {
        store[0] = 1;
        run rank(0);
        run rank(1);
        run rank(2)
    }
}
