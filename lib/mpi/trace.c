/* SPDX-License-Identifier: MIT */
#include "mpi/trace.h"

#include "mpi/record.h"
#include "mpi/trace_marks.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".json"
#define SLOTS 2048 /* a power of two */
#define TEXTS_MOST (SLOTS / 2)

bool wsfj_mpi_traces;

#define TASKS (-1) /* for a tag: tasks of a bag or loop */

/* ws_trace_mark() knows a text by its address, so each stays where it is. */
struct text {
    bool is_send;
    int peer, tag;
    char at[48]; /* "": a free slot */
};

static struct text *texts; /* SLOTS, a hash table */
static unsigned num_texts;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* for texts and num_texts */

/* All ranks would write one file, had the name not been changed. */
static bool is_common;

static const char *setting(void)
{
    const char *name = getenv("WSFJ_TRACE");

    return name && *name ? name : NULL;
}

/* libwsfj says if the name is a bad one. */
void wsfj_mpi_trace_name(void)
{
    static bool done;
    const char *name = setting();
    char own[PATH_MAX];
    int rank, ranks, stem;

    if (!name || done)
        return;
    done = true;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    stem = (int)strlen(name) - (int)strlen(SUFFIX);
    is_common = ranks > 1 && !strstr(name, "%p");
    if (!is_common || stem <= 0 || strcmp(name + stem, SUFFIX) != 0)
        return;
    if (snprintf(own, sizeof own, "%.*s.rank%d" SUFFIX, stem, name, rank) < (int)sizeof own)
        (void)setenv("WSFJ_TRACE", own, 1);
}

static void mark_rank(int node)
{
    static char text[64];
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(text, sizeof text, WSFJ_MPI_MARK_RANK, (unsigned)rank, (unsigned)ranks, (unsigned)node);
    MPI_Barrier(MPI_COMM_WORLD);
    ws_trace_mark(text);
}

void wsfj_mpi_trace_start(int error, int node)
{
    mark_rank(node);
    if (error == EALREADY && is_common)
        wsfj_mpi_say(
            "WSFJ_TRACE: the runtime was started before ws_mpi_init(): all ranks write one file, unless its name "
            "has %%p");
    is_common = false;
    if (!texts && setting())
        texts = calloc(SLOTS, sizeof *texts);
    wsfj_mpi_traces = texts != NULL;
}

static unsigned hash(bool is_send, int peer, int tag)
{
    return ((unsigned)peer * 2 + is_send + (unsigned)tag * 0x9e3779b1u) * 0x85ebca6bu >> 21;
}

/* The text's slot, or the free one where it belongs. */
static struct text *find(bool is_send, int peer, int tag)
{
    unsigned i = hash(is_send, peer, tag) % SLOTS;

    while (texts[i].at[0] && (texts[i].is_send != is_send || texts[i].peer != peer || texts[i].tag != tag))
        i = (i + 1) % SLOTS;
    return &texts[i];
}

/* NULL: there are too many. Then all messages of that peer and tag are without a mark, so none is taken for another. */
static const char *text_of(bool is_send, int peer, int tag)
{
    static bool said;
    struct text *text = find(is_send, peer, tag);

    if (text->at[0])
        return text->at;
    if (num_texts == TEXTS_MOST) {
        if (!said)
            wsfj_mpi_say("WSFJ_TRACE: more than %d pairs of rank and tag: messages of further ones are not in the trace",
                         TEXTS_MOST);
        said = true;
        return NULL;
    }
    num_texts++;
    *text = (struct text){.is_send = is_send, .peer = peer, .tag = tag};
    if (tag == TASKS)
        snprintf(text->at, sizeof text->at, is_send ? WSFJ_MPI_MARK_GIVE : WSFJ_MPI_MARK_TAKE, (unsigned)peer);
    else
        snprintf(text->at, sizeof text->at, is_send ? WSFJ_MPI_MARK_SEND : WSFJ_MPI_MARK_RECEIVE, (unsigned)peer,
                 (unsigned)tag);
    return text->at;
}

static void mark(bool is_send, int peer, int tag)
{
    const char *text;

    pthread_mutex_lock(&mutex);
    text = text_of(is_send, peer, tag);
    pthread_mutex_unlock(&mutex);
    if (text)
        ws_trace_mark(text);
}

void wsfj_mpi_mark(bool is_send, int peer, int tag, MPI_Comm comm)
{
    if (comm == MPI_COMM_WORLD && peer >= 0 && tag >= 0) /* MPI_PROC_NULL is below 0 */
        mark(is_send, peer, tag);
}

void wsfj_mpi_mark_tasks(bool is_send, int peer, MPI_Comm comm)
{
    MPI_Group here, world;
    int there;

    MPI_Comm_group(comm, &here);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(here, 1, &peer, world, &there);
    MPI_Group_free(&world);
    MPI_Group_free(&here);
    if (there != MPI_UNDEFINED) /* a process that MPI_Comm_spawn() has made */
        mark(is_send, there, TASKS);
}
