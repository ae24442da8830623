/* SPDX-License-Identifier: MIT */
/* Programs whose figures are known, for output.sh. */
#include <wsfj/sim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WS_TASK_VOID(child, int, n)
{
    char name[16];

    snprintf(name, sizeof name, "K%d", n);
    sim_name(name);
    sim_work(3000);
}

WS_TASK_VOID(parent, int, n)
{
    for (int i = 0; i < n; i++)
        ws_spawn(child, i);
    sim_work(50000);
    ws_sync();
}

WS_TASK_VOID(longer, int, unused)
{
    (void)unused;
    sim_work(1000000);
}

/* Its child is stolen and takes a millisecond longer. */
WS_TASK_VOID(waiter, int, unused)
{
    ws_spawn(longer, unused);
    sim_work(500000);
    ws_sync();
}

static int done;

static void detached(void *unused)
{
    (void)unused;
    sim_work(2000);
    done++;
}

static void blocks(void *unused)
{
    ws_blocking_begin();
    sim_work(30000000);
    ws_blocking_end();
    detached(unused);
}

/* Not in a task: this is none of the program's work. */
static void wait_for(int n)
{
    while (done < n)
        sim_work(1000);
}

int sim_main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (ws_init(NULL) != 0)
        return 1;
    if (strcmp(what, "names") == 0)
        (void)ws_run(parent, 20);
    if (strcmp(what, "waits") == 0)
        (void)ws_run(waiter, 0);
    for (int i = 0; strcmp(what, "detached") == 0 && i < 50; i++)
        (void)ws_submit(detached, NULL);
    wait_for(strcmp(what, "detached") == 0 ? 50 : 0);
    for (int i = 0; strcmp(what, "blocks") == 0 && i < 6; i++) {
        (void)ws_submit(blocks, NULL);
        (void)ws_submit(detached, NULL);
    }
    wait_for(strcmp(what, "blocks") == 0 ? 12 : 0);
    for (uint64_t i = 1; strcmp(what, "latencies") == 0 && i <= 1000; i++)
        sim_latency(i * 3 % 1001);
    if (strcmp(what, "crash") == 0)
        abort();
    sim_span(700000);
    (void)ws_fini();
    return argc > 2 ? atoi(argv[2]) : 0;
}
