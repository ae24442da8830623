/* SPDX-License-Identifier: MIT */
/* Every public function and macro, in a serial program: it must link without the library (headers.sh). In a parallel one it only
   has to be quiet (warnings.sh). */
#include <errno.h>
#include <wsfj.h>

static void set(void *to)
{
    *(int *)to = 1;
}

static WS_TASK(int, child, int, n)
{
    return n;
}

static WS_LOCAL(int, mine);

static void clear(int *sum)
{
    *sum = 0;
}

static void add(int *to, int *from)
{
    *to += *from;
}

static WS_FOLD(int, clear, add, total, int *, sum, int, i)
{
    *sum += i;
}

static WS_TRY(search, int, i, int, n)
{
    return i == n ? 9 : 0;
}

static int loops(void)
{
    int sum = 0;
    WS_TRIED(int) r;

    return ws_for(total, &sum, 0, 5) == 0 && sum == 10 && ws_for(search, &r, 0, 5, 3) == 0 && r.at == 3 && r.status == 9;
}

static int drawn(void)
{
    ws_rng rng = ws_rng_at(0, 0);

    return ws_rng_next(&rng) == UINT64_C(0xe169c58d6627e8d5) && ws_rng_below(&rng, 1) == 0 && ws_rng_double(&rng) < 1;
}

static int no_text(void *arg, char *text, size_t size)
{
    (void)arg;
    (void)text;
    return (int)(size > 1000);
}

static WS_TASK(int, parent, int, n)
{
    int a = 0, b = 0;
    ws_scope scope;

    ws_pinned();
    ws_scope_begin(&scope);
    ws_scope_deadline(&scope, WS_FOREVER);
    a += ws_cancelled();
    (void)ws_scope_cancel(&scope, 1);
    a += ws_scope_cancelled(&scope) - ws_scope_end(&scope);
    ws_spawn(child, &a, n);
    ws_spawn_if(n > 3, child, &b, ws_call(child, n));
    ws_sync();
    ws_invoke((child, &a, n), (child, &b, n));
    *ws_local(&mine) += a == n && b == n && drawn() && loops();
    ws_local_each(&mine, p) a += *p - 1;
    ws_local_free(&mine);
    ws_trace_mark("mark");
    a += ws_dump_add(no_text, NULL) + ws_dump_remove(no_text, NULL);
    ws_yield();
    a += ws_others_wait();
    ws_blocking_begin();
    ws_blocking_end();
    if (ws_pin() == 0)
        ws_unpin();
    WS_BLOCKING
    {
        a += (int)ws_slot();
    }
    return a + b;
}

static int refused(ws_group *group)
{
    return ws_dump_add(NULL, NULL) == EINVAL && ws_submit(NULL, NULL) == EINVAL &&
           ws_try_submit(NULL, NULL) == EINVAL && ws_group_submit(group, NULL, NULL) == EINVAL &&
           ws_group_try_submit(group, NULL, NULL) == EINVAL;
}

static int block(void)
{
    int a = 0;

    ws_frame();
    ws_spawn(child, &a, 3);
    ws_sync();
    return a == 3;
}

/* Its tasks are dropped. */
static int cancelled(ws_group *group, int at)
{
    int ran = 0;

    ws_group_init(group);
    if (at)
        ws_group_deadline(group, (uint64_t)at);
    else if (!ws_group_cancel(group, ETIMEDOUT))
        return 0;
    return ws_group_submit(group, set, &ran) == 0 && ws_group_wait(group) == ETIMEDOUT && !ran;
}

static int events(void)
{
    ws_event event = WS_EVENT_INIT;
    ws_future future = WS_FUTURE_INIT;
    struct ws_thing thing = {WS_THING_EVENT, 0, &event};
    uint64_t value = 0;
    uint32_t word = 1;

    ws_event_set(&event);
    ws_wake(&word, 1);
    if (ws_event_wait(&event) || ws_event_wait_until(&event, 0) || ws_event_wait_named(&event, "it", 0) ||
        ws_wait_any(&thing, 1, 0) || !thing.ready)
        return 0;
    ws_event_reset(&event);
    return !ws_event_is_set(&event) && ws_future_set(&future, 7, 0) == 0 && ws_future_is_set(&future) &&
           ws_future_get(&future, &value, 0) == 0 && value == 7 && ws_wait_on(&word, 2, WS_FOREVER) == 0;
}

static int locks(void)
{
    ws_mutex mutex = WS_MUTEX_INIT;
    ws_semaphore semaphore = WS_SEMAPHORE_INIT(1);

    if (ws_semaphore_try_wait(&semaphore))
        return 0;
    ws_semaphore_init(&semaphore, 0);
    ws_semaphore_post(&semaphore, 3);
    return ws_mutex_lock(&mutex) == 0 && ws_mutex_trylock(&mutex) == EBUSY && ws_mutex_unlock(&mutex) == 0 &&
           ws_mutex_lock_until(&mutex, 0) == 0 && ws_semaphore_wait(&semaphore) == 0 &&
           ws_semaphore_wait_until(&semaphore, 0) == 0 && ws_semaphore_try_wait(&semaphore) == 0 &&
           ws_semaphore_try_wait(&semaphore) == EAGAIN;
}

static int channels(void)
{
    int places[3], item = 1;
    ws_channel channel = WS_CHANNEL_INIT(places), unbuffered = WS_CHANNEL_UNBUFFERED(int);

    if (ws_channel_try_send(&channel, &item) || ws_channel_try_send(&unbuffered, &item) != EAGAIN)
        return 0;
    ws_channel_init(&channel, places, sizeof *places, 3);
    if (ws_channel_send(&channel, &item) || ws_channel_send_until(&channel, &item, 0) ||
        ws_channel_try_send(&channel, &item))
        return 0;
    ws_channel_close(&channel);
    return ws_channel_receive(&channel, &item) == 0 && ws_channel_receive_until(&channel, &item, 0) == 0 &&
           ws_channel_try_receive(&channel, &item) == 0 && ws_channel_receive(&channel, &item) == EPIPE && item == 1;
}

static uint64_t never(void *unused)
{
    (void)unused;
    return WS_FOREVER;
}

static int outside(void)
{
    uint64_t soon = ws_now() + 1000000;

    return ws_sleep_until(soon) == 0 && ws_now() >= soon && ws_wait_fd(-1, 1, soon) == EBADF &&
           ws_wait_fd(0, 0, soon) == EINVAL && ws_poll_add(NULL, NULL) == EINVAL &&
           ws_poll_add(never, NULL) == ENOSYS && ws_poll_remove(never, NULL) == ENOENT;
}

static WS_LOOP(twice, int, i, int *, x)
{
    x[i] *= 2;
}

static WS_REDUCE(int, 0, WS_ADD, sum, int, i, const int *, x)
{
    return x[i];
}

int main(void)
{
    int numbers[3] = {1, 2, 3}, total = 0;
    int r = 0, done[4] = {0};
    const char *text = "";
    ws_config config;
    ws_group group = WS_GROUP_INIT;
    struct ws_stats stats;

    stats.size = sizeof stats;
    ws_config_default(&config);
    ws_group_init(&group);
    return !(config.size == sizeof config && ws_init(&config) == 0 && ws_phase_begin() == 0 && ws_phase_end() == 0 &&
             ws_run(parent, &r, 5) == 0 && r == 10 && ws_submit(set, &done[0]) == 0 &&
             ws_try_submit(set, &done[1]) == 0 && ws_group_submit(&group, set, &done[2]) == 0 &&
             ws_group_try_submit(&group, set, &done[3]) == 0 && refused(&group) && ws_group_wait(&group) == 0 &&
             done[0] && done[1] && done[2] && done[3] && ws_num_workers() == 1 && ws_worker_id() == 0 &&
             ws_num_slots() == 1 && ws_slot() == 0 && ws_stats_get(&stats) == 0 && stats.size == sizeof stats &&
             ws_stats_worker(0, &stats) == 0 && ws_stats_worker(1, &stats) != 0 && ws_stats_get(NULL) != 0 &&
             *ws_strerror(12) != '\0' && ws_version(&text) == WSFJ_VERSION && *text && ws_fini() == 0 && events() &&
             cancelled(&group, 0) && cancelled(&group, 1) && locks() && channels() && outside() && block() &&
             ws_for(twice, 0, 3, numbers) == 0 && ws_for(sum, &total, 0, 3, numbers) == 0 && total == 12);
}
