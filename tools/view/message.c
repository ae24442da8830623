/* SPDX-License-Identifier: MIT */
#include "message.h"

#include "array.h"
#include "mpi/trace_marks.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Whether the text is what the format makes of these numbers. So no sign, blank or number too large is taken. */
__attribute__((format(printf, 2, 3))) static bool is_text(const char *text, const char *format, ...)
{
    char again[96];
    va_list numbers;

    va_start(numbers, format);
    vsnprintf(again, sizeof again, format, numbers);
    va_end(numbers);
    return strcmp(text, again) == 0;
}

static bool read_job(const char *text, struct view_job *job)
{
    unsigned rank, ranks, node;

    if (sscanf(text, WSFJ_MPI_MARK_RANK, &rank, &ranks, &node) != 3 ||
        !is_text(text, WSFJ_MPI_MARK_RANK, rank, ranks, node) || rank >= ranks || node > rank)
        return false;
    *job = (struct view_job){rank, ranks, node, 0};
    return true;
}

struct view_job view_job_of(const struct view_trace *t)
{
    struct view_job job = {0};

    for (size_t i = 0; i < t->instants.count; i++) {
        const struct view_instant *mark = &t->instants.at[i];

        if (mark->event == VIEW_mark && read_job(t->names.at[mark->name].text, &job)) {
            job.zero = t->start + mark->at;
            return job;
        }
    }
    return job;
}

/* What a mark's name says of a message. */
struct half_message {
    bool is_send, is_receive;
    unsigned peer, tag;
};

static struct half_message read_message(const char *text)
{
    struct half_message m = {.is_send = false};

    m.is_send =
        sscanf(text, WSFJ_MPI_MARK_SEND, &m.peer, &m.tag) == 2 && is_text(text, WSFJ_MPI_MARK_SEND, m.peer, m.tag);
    m.is_receive = !m.is_send && sscanf(text, WSFJ_MPI_MARK_RECEIVE, &m.peer, &m.tag) == 2 &&
                   is_text(text, WSFJ_MPI_MARK_RECEIVE, m.peer, m.tag);
    if (m.is_send || m.is_receive)
        return m;
    m.tag = UINT_MAX; /* no message has that: tags are of type int */
    m.is_send = sscanf(text, WSFJ_MPI_MARK_GIVE, &m.peer) == 1 && is_text(text, WSFJ_MPI_MARK_GIVE, m.peer);
    m.is_receive =
        !m.is_send && sscanf(text, WSFJ_MPI_MARK_TAKE, &m.peer) == 1 && is_text(text, WSFJ_MPI_MARK_TAKE, m.peer);
    return m;
}

/* One end of a message. */
struct end {
    uint64_t at;
    size_t place;
    uint32_t from, to, tag, lane;
    bool is_receive;
};

struct ends {
    struct end *at;
    size_t count, room;
};

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_channels(const struct end *x, const struct end *y)
{
    int order = compare(x->from, y->from);

    if (!order)
        order = compare(x->to, y->to);
    return order ? order : compare(x->tag, y->tag);
}

static int compare_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    int order = compare_channels(x, y);

    if (!order)
        order = compare(x->is_receive, y->is_receive);
    if (!order)
        order = compare(x->at, y->at);
    return order ? order : compare(x->place, y->place);
}

/* The index of the rank among the traces; the ranks are in order. ranks.count: it is not there, or has lost events. */
static size_t index_of(const struct view_trace *t, unsigned rank)
{
    size_t i = rank < t->ranks.count ? rank : t->ranks.count - 1;

    while (i > 0 && t->ranks.at[i].number > rank)
        i--;
    return t->ranks.at[i].number == rank && !t->ranks.at[i].has_lost ? i : t->ranks.count;
}

static bool add(const struct view_trace *t, const struct view_instant *mark, const struct half_message *m,
                struct ends *ends)
{
    size_t peer = index_of(t, m->peer);
    uint32_t own = mark->rank;

    if (peer == t->ranks.count || t->ranks.at[own].has_lost)
        return true;
    if (!VIEW_GROW(ends))
        return false;
    ends->at[ends->count++] = (struct end){.at = mark->at,
                                           .place = mark->place,
                                           .from = m->is_send ? own : (uint32_t)peer,
                                           .to = m->is_send ? (uint32_t)peer : own,
                                           .tag = m->tag,
                                           .lane = mark->lane,
                                           .is_receive = m->is_receive};
    return true;
}

static bool collect(const struct view_trace *t, struct ends *ends)
{
    struct half_message *of_name = malloc((t->names.count + 1) * sizeof *of_name);
    bool ok = of_name != NULL;

    for (size_t i = 0; ok && i < t->names.count; i++)
        of_name[i] = read_message(t->names.at[i].text);
    for (size_t i = 0; ok && i < t->instants.count; i++) {
        const struct view_instant *mark = &t->instants.at[i];

        if (mark->event == VIEW_mark && (of_name[mark->name].is_send || of_name[mark->name].is_receive))
            ok = add(t, mark, &of_name[mark->name], ends);
    }
    free(of_name);
    return ok;
}

/* A channel: what goes from one rank to another with one tag. Its sends stand before its receives. */
static bool match_channel(struct view_trace *t, const struct end *ends, size_t sends, size_t receives)
{
    for (size_t i = 0; i < sends && i < receives; i++) {
        const struct end *send = &ends[i], *receive = &ends[sends + i];

        if (!VIEW_GROW(&t->messages))
            return false;
        t->messages.at[t->messages.count++] =
            (struct view_message){send->at, receive->at, send->lane, receive->lane, send->from, send->to};
    }
    return true;
}

bool view_messages_find(struct view_trace *t, struct view_unmatched *unmatched)
{
    struct ends ends = {NULL, 0, 0};
    bool ok = collect(t, &ends);

    *unmatched = (struct view_unmatched){0, 0};
    if (ends.count)
        qsort(ends.at, ends.count, sizeof *ends.at, compare_ends);
    for (size_t i = 0, next; ok && i < ends.count; i = next) {
        size_t sends = 0;

        for (next = i; next < ends.count && compare_channels(&ends.at[i], &ends.at[next]) == 0; next++)
            sends += !ends.at[next].is_receive;

        size_t receives = next - i - sends;

        ok = match_channel(t, &ends.at[i], sends, receives);
        unmatched->sends += sends > receives ? sends - receives : 0;
        unmatched->receives += receives > sends ? receives - sends : 0;
    }
    free(ends.at);
    return ok;
}
