/* SPDX-License-Identifier: MIT */
#include "machine/judge.h"

/* The least time that is judged: two or three time slices of the kernel. */
#define LEAST_NS 10000000u
/* Without a trigger, asked so seldom: to read schedstat takes 5 to 20 us. */
#define UNTRIGGERED_NS 100000000u
/* A CPU that sleeps deeply, or is another virtual machine's, needs so long to begin. That is no other thread in the way. */
#define BEGIN_NS 100000u
#define QUIET_NS UINT64_C(1000000000)
#define QUIET_MOST_NS (60 * QUIET_NS)

bool wsfj_judge_is_due(const struct wsfj_judge *j, uint64_t now, uint64_t switches)
{
    return now - j->asked >= (switches == j->begin.switches ? UNTRIGGERED_NS : LEAST_NS);
}

/* `time`: since the judge was asked last. */
static bool in_the_way(const struct wsfj_delay *from, const struct wsfj_delay *to, uint64_t time)
{
    uint64_t waited = to->waited - from->waited, wanted = waited + to->ran - from->ran;
    uint64_t begins = (to->turns - from->turns) * BEGIN_NS;

    if (!to->known || !from->known)
        return to->switches - from->switches >= time / LEAST_NS;
    return waited > begins && (waited - begins) * 10 > wanted;
}

/* Whether there is enough to judge. */
static bool suffices(const struct wsfj_delay *from, const struct wsfj_delay *to)
{
    return !to->known || !from->known || to->waited - from->waited + to->ran - from->ran >= LEAST_NS;
}

static enum wsfj_verdict crowded(struct wsfj_judge *j, uint64_t now)
{
    if (j->narrowed) {
        bool wrong = now - j->narrowed < j->pause;

        j->pause = !wrong ? QUIET_NS : j->pause < QUIET_MOST_NS / 2 ? 2 * j->pause : QUIET_MOST_NS;
        j->narrowed = 0;
    }
    j->quiet_since = now;
    return WSFJ_VERDICT_WIDER;
}

enum wsfj_verdict wsfj_judge(struct wsfj_judge *j, uint64_t now, const struct wsfj_delay *to, bool is_wide)
{
    struct wsfj_delay from = j->begin;
    uint64_t time = now - j->asked;
    bool first = !j->asked;

    if (!j->pause)
        j->pause = QUIET_NS;
    j->asked = now;
    j->begin.switches = to->switches;
    if (suffices(&from, to)) {
        j->begin = *to;
        if (!first && in_the_way(&from, to, time))
            return crowded(j, now);
    }
    return is_wide && now - j->quiet_since >= j->pause ? WSFJ_VERDICT_NARROWER : WSFJ_VERDICT_STAY;
}

void wsfj_judge_narrowed(struct wsfj_judge *j, uint64_t now)
{
    j->narrowed = j->quiet_since = now;
}
