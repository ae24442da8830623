/* SPDX-License-Identifier: MIT */
/*
 * Accesses: what the compiler calls with -fsanitize=thread, and the check behind it.
 *
 * Without locks one write and one read of each place are enough. The last write counts; a read counts as long as it is
 * parallel to what runs, and is replaced if not. Then, if any two accesses to a place race, one race is reported there.
 */
#include "shadow.h"

struct race race = {.now = 1, .pending_lo = UINT32_MAX};
uintptr_t race_private_lo = 0;
__thread uintptr_t race_private_span = UINTPTR_MAX;
uint32_t race_wanted_time;

/* 1: no race, for both are behind views. Then the place needs a list, as with locks. */
static COLD int conflict(const struct cell *c, uintptr_t a, size_t size, enum kind earlier, enum kind kind, uint32_t me,
                         const struct interval *in)
{
    const uint32_t t = earlier == WRITE ? c->write_time : c->read_time, context = earlier == WRITE ? c->write : c->read;

    if (race_behind_views(a, context, me))
        return 1;
    if (!race_ordered(t, in))
        race_report(&(struct conflict){a, size, t, context, me, earlier, kind, in, NULL});
    return 0;
}

ALWAYS_INLINE void check(struct cell *c, uintptr_t a, size_t size, enum kind kind, uint32_t me)
{
    const struct interval *in;

    if (UNLIKELY(race.now == race_wanted_time))
        race_wanted_here(me);
    if (UNLIKELY(race.locks != 0) || UNLIKELY(c->write_time == LISTED)) {
        race_check_listed(c, a, size, kind, me);
        return;
    }
    if (c->write_time != race.now && UNLIKELY((in = race_parallel(c->write_time)) != NULL) &&
        conflict(c, a, size, WRITE, kind, me, in)) {
        race_check_listed(c, a, size, kind, me);
        return;
    }
    if (kind == WRITE) {
        if (c->read_time != race.now && UNLIKELY((in = race_parallel(c->read_time)) != NULL) &&
            conflict(c, a, size, READ, WRITE, me, in)) {
            race_check_listed(c, a, size, kind, me);
            return;
        }
        c->write_time = race.now;
        c->write = me;
    } else if (c->read_time != race.now) {
        in = race_parallel(c->read_time);
        if (!in) {
            c->read_time = race.now;
            c->read = me;
        } else if (LIKELY(!race.groups)) {
            race.known_lo = in->start;
            race.known_span = in->end - in->start;
        } else if (!race_joined_together(in)) {
            race_check_listed(c, a, size, kind, me);
        }
    }
}

/** Any number of bytes anywhere. */
__attribute__((noinline)) void race_range(uintptr_t a, size_t size, enum kind kind, uintptr_t pc)
{
    const uintptr_t end = a + size;
    uint32_t me;

    if (a - race_private_lo < race_private_span || !size || end < a || (end - 1) >> ADDRESS_BITS) {
        race_access_point();
        return;
    }
    me = race_context(pc);
    if (race_on_stack(a) && a < race.low)
        race.low = a;
    while (a < end) {
        const uintptr_t next = (a | (PAGE_SIZE - 1)) + 1, to = end < next ? end : next;
        const unsigned need = (unsigned)__builtin_ctzl(a | to | 8);
        const struct page *p = race_page(a);

        if (need < p->shift)
            p = race_page_refine(a, need);
        for (uintptr_t i = (a & (PAGE_SIZE - 1)) >> p->shift, last = ((to - 1) & (PAGE_SIZE - 1)) >> p->shift;
             i <= last; i++)
            check(&p->cells[i], (a & ~(PAGE_SIZE - 1)) + (i << p->shift), (size_t)1 << p->shift, kind, me);
        a = to;
    }
}

/* An access of one to sixteen bytes. */
static __attribute__((noinline)) void touch_any(uintptr_t a, unsigned size, enum kind kind, uintptr_t pc)
{
    const struct page *page;
    struct cell *c;
    uint32_t me;

    if (UNLIKELY((a & (size - 1)) != 0) || UNLIKELY(a >> ADDRESS_BITS != 0)) {
        race_range(a, size, kind, pc);
        return;
    }
    if (race_on_stack(a) && a < race.low)
        race.low = a;
    page = race_page(a);
    if (size < 8 && UNLIKELY(size < 1u << page->shift))
        page = race_page_refine(a, (unsigned)__builtin_ctz(size));
    me = race_context(pc);
    c = &page->cells[(a & (PAGE_SIZE - 1)) >> page->shift];
    for (unsigned i = 0; i < size >> page->shift; i++, c++)
        check(c, a + ((uintptr_t)i << page->shift), size, kind, me);
}

/* Whether nothing pending has used the cell at that time. */
ALWAYS_INLINE int is_after(uint32_t t)
{
    return t - race.pending_lo >= race.pending_hi - race.pending_lo;
}
ALWAYS_INLINE int is_fresh(const struct cell *c)
{
    return (c->write_time | c->read_time) == 0;
}

/* 0: it needs more than to be written down. */
ALWAYS_INLINE int record(struct cell *c, uintptr_t a, enum kind kind, uintptr_t pc)
{
    const uintptr_t d = pc - race.base;

    if (UNLIKELY((race.locks | race.flags) != 0) || UNLIKELY(race.now == race_wanted_time) || UNLIKELY(d >> 30 != 0))
        return 0;
    if (a - race.stack_lo < race.low - race.stack_lo)
        race.low = a;
    if (kind == READ) {
        c->read_time = race.now;
        c->read = (uint32_t)d | race.view;
    } else {
        c->write_time = race.now;
        c->write = (uint32_t)d | race.view;
    }
    return 1;
}

/*
 * The common cases first: the strand has accessed the place in this way before; the place is read, and a parallel strand has
 * read it; nothing parallel has used it.
 */
ALWAYS_INLINE void touch(const volatile void *p, unsigned size, enum kind kind, uintptr_t pc)
{
    const uintptr_t a = (uintptr_t)p;
    const unsigned width = (unsigned)__builtin_ctz(size);
    const struct cached *cached;

    if (a - race_private_lo < race_private_span) {
        race_access_point();
        return;
    }
    if (size <= 8 && LIKELY((cached = race_cached(a, width)) != NULL)) {
        struct cell *c = race_cell(cached, a, width);

        if (c->write_time == race.now || (kind == READ && c->read_time == race.now))
            return;
        if (is_fresh(c)) {
            if (record(c, a, kind, pc))
                return;
        } else if (is_after(c->write_time)) {
            if (kind == READ && c->read_time - race.known_lo < race.known_span)
                return;
            if (is_after(c->read_time) && c->write_time != LISTED && record(c, a, kind, pc))
                return;
        }
    }
    touch_any(a, size, kind, pc);
}

/* The end of a task whose variables are dead, up to `end`: what a child that is still pending has used there. */
struct dead {
    uintptr_t a;
    uint32_t first;
    const struct wsfj_scope *scope;
};

static void dead_use(uint32_t t, uint32_t context, enum kind kind, void *arg)
{
    const struct dead *d = arg;
    const struct interval *in = t ? race_parallel(t) : NULL;

    if (in && in->owner == d->scope)
        race_report(&(struct conflict){d->a, 1, t, context, 0, kind, WRITE, in, d->scope});
}

void race_scan_dead(uintptr_t end, const struct wsfj_scope *scope)
{
    uintptr_t a = race.low;

    while (a < end) {
        const struct page *p = race_page_find(a);
        struct dead d = {a, 0, scope};
        const struct cell *c;

        if (!p || !p->cells) {
            a = (a | (PAGE_SIZE - 1)) + 1;
            continue;
        }
        c = &p->cells[(a & (PAGE_SIZE - 1)) >> p->shift];
        if (c->write_time == LISTED) {
            race_list_each(c, dead_use, &d);
        } else {
            dead_use(c->write_time, c->write, WRITE, &d);
            dead_use(c->read_time, c->read, READ, &d);
        }
        a = (a | (((uintptr_t)1 << p->shift) - 1)) + 1;
    }
}

/* What the compilers call. A pair of read and write is a write. */
#define ACCESS(name, n, kind)                                                                                          \
    EXPORTED void __tsan_##name##n(void *p);                                                                           \
    void __tsan_##name##n(void *p)                                                                                     \
    {                                                                                                                  \
        touch(p, n, kind, RETURN_PC);                                                                                  \
    }
#define ACCESSES(n)                                                                                                    \
    ACCESS(read, n, READ)                                                                                              \
    ACCESS(write, n, WRITE)                                                                                            \
    ACCESS(read_write, n, WRITE)                                                                                       \
    ACCESS(unaligned_read, n, READ)                                                                                    \
    ACCESS(unaligned_write, n, WRITE)                                                                                  \
    ACCESS(unaligned_read_write, n, WRITE)                                                                             \
    ACCESS(volatile_read, n, READ)                                                                                     \
    ACCESS(volatile_write, n, WRITE)                                                                                   \
    ACCESS(unaligned_volatile_read, n, READ)                                                                           \
    ACCESS(unaligned_volatile_write, n, WRITE)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

EXPORTED void __tsan_read_range(void *p, size_t n);
void __tsan_read_range(void *p, size_t n)
{
    race_range((uintptr_t)p, n, READ, RETURN_PC);
}
EXPORTED void __tsan_write_range(void *p, size_t n);
void __tsan_write_range(void *p, size_t n)
{
    race_range((uintptr_t)p, n, WRITE, RETURN_PC);
}
EXPORTED void __tsan_vptr_read(void **p);
void __tsan_vptr_read(void **p)
{
    touch(p, 8, READ, RETURN_PC);
}
/* A constructor or destructor that stores what is there already changes nothing. */
EXPORTED void __tsan_vptr_update(void **p, void *value);
void __tsan_vptr_update(void **p, void *value)
{
    touch(p, 8, *p == value ? READ : WRITE, RETURN_PC);
}
EXPORTED void __tsan_init(void);
void __tsan_init(void)
{
    race_start();
}
EXPORTED void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
    (void)pc;
}
EXPORTED void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}
EXPORTED void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_begin(void)
{
}
EXPORTED void __tsan_ignore_thread_end(void);
void __tsan_ignore_thread_end(void)
{
}
