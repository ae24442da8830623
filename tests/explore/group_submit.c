/* SPDX-License-Identifier: MIT */
/*
 * Groups whose tasks are submitted while a task waits for them, with the real ws_group_submit(): by a task of the group, by a
 * foreign thread, in vain. The waiter goes on when all have ended (GROUP-1 to GROUP-3). Neighbour: group.c.
 *
 * Not here: how a group's tasks wake workers (submit.c).
 */
#include "groups.h"

#include "idle/park.h"
#include "idle/resume.h"
#include "queue/global_queue.h"
#include "queue/group.h"
#include "worker/workers.h"

#include <errno.h>

static void filler(void *arg)
{
    (void)arg;
}

/* Submits the second task, and ends when a thief has had the time to visit run-next twice. */
static void work_and_submit(void *arg)
{
    (void)arg;
    explore_must(ws_group_submit(&groups_outer, groups_work, (void *)1) == 0, "a submit fails");
    engine_pause();
    engine_pause();
    groups_work(NULL);
}

/* Worker 1's task submits the other one. */
static void start_submitter(void)
{
    groups_start_inside(work_and_submit);
}

/* The same with a thief more. */
static void start_thieves(void)
{
    start_submitter();
    wsfj_num_workers = 3;
    pools_give(2, 2);
}

/* A worker without groups_work, for a foreign submitter. */
static void start_foreign(void)
{
    groups_start(1, 1);
    pools_give(0, 0);
}

/* The worker has the waiter, a foreign thread a task of the group. */
static void start_outer(void)
{
    groups_start(1, 2);
    pools_give(0, 0);
    pools_give(0, 1);
    groups_push(0, groups_wait_inside, 0, NULL);
    wsfj_group_add(&groups_outer);
}

/* The global queue is full, and the group has no task. */
static void start_full(void)
{
    groups_start(1, 0);
    groups_stays = true;
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(1), "no memory");
    (void)wsfj_global_queue_put((struct wsfj_item){filler, NULL, NULL}, false);
    pools_give(0, 0);
    pools_give(0, 1);
    groups_push(0, groups_wait_inside, 0, NULL);
}

static void submit_and_wait(void)
{
    explore_must(ws_group_submit(&groups_outer, groups_work, NULL) == 0, "a submit fails");
    groups_wait_outside();
    wsfj_park_stop();
}

/* As a task of the group that submits another one and ends, on a thread that serves no worker. */
static void submit_and_finish(void)
{
    explore_must(ws_group_submit(&groups_outer, groups_work, (void *)1) == 0, "a submit fails");
    groups_work(NULL);
    wsfj_resume_all(wsfj_group_finish(&groups_outer, 1));
}

/* The submit may be refused while the waiter waits for this task only. */
static void try_submit(void)
{
    int error = ws_group_try_submit(&groups_outer, filler, NULL);

    explore_must(error == 0 || error == EAGAIN, "an error that is none");
}

static const struct explore_mutant counts[] = {
    {"a task is counted after it is published", "wsfj_group_add", "add", "&group->wsfj_state", EXPLORE_LATE, 9},
    {"a task is not counted", "wsfj_group_add", "add", "&group->wsfj_state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant early[] = {
    {"a task is counted just after it is published", "wsfj_group_add", "add", "&group->wsfj_state", EXPLORE_LATE, 8},
    {NULL}};

static const struct explore_mutant foreign[] = {
    {"a task ends without a release (GROUP-1)", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_WEAKER,
     __ATOMIC_ACQUIRE},
    {"a task is not counted", "wsfj_group_add", "add", "&group->wsfj_state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant outer[] = {
    {"a task is counted after it is published", "wsfj_group_add", "add", "&group->wsfj_state", EXPLORE_LATE, 1},
    {NULL}};

static const struct explore_mutant refused[] = {
    {"a refused task stays counted", "wsfj_group_finish", "cas", "&group->wsfj_state", EXPLORE_SKIP, 0},
    {"the waiter says in two steps that it waits (GROUP-3)", MUST_WAIT, EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"a task submits another", start_submitter, {awake_serve, awake_serve}, groups_check, {1, 1}, {3, 1}, counts},
    {"a task submits another, two thieves",
     start_thieves,
     {awake_serve, awake_serve, awake_serve},
     groups_check,
     {1, 0},
     {1, 1},
     early},
    {"a foreign thread submits and waits",
     start_foreign,
     {awake_serve, submit_and_wait},
     groups_check,
     {1, 1},
     {3, 1},
     foreign},
    {"a foreign thread submits and ends",
     start_outer,
     {awake_serve, submit_and_finish},
     groups_check,
     {1, 1},
     {3, 1},
     outer},
    {"a refused submit is the last", start_full, {awake_serve, try_submit}, groups_check, {1, 1}, {3, 1}, refused},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
