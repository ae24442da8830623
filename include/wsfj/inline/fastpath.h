/* SPDX-License-Identifier: MIT */
/*
 * The fast path: push, take back, sync, finding the deque. Everything is inlined into the user's tasks.
 *
 * A frame is a local struct that the compiler turns into registers and constants. It must never escape, so the slow
 * paths get its parts by value. doc/protocols.md explains the labels (THE-1, ...). lib/task/deque.c has the thief's end
 * and the owner's slow path, lib/sched/sync.c the join.
 */
#ifndef WSFJ_FASTPATH_H
#define WSFJ_FASTPATH_H

#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "abi.h"

/* struct wsfj_frame has fields that stay undefined on purpose until the first spawn. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

/** A running task's view of its deque. The descriptors from base up to top are its pending children. */
struct wsfj_frame {
    struct wsfj_deque *wsfj_deque;
    struct wsfj_descriptor *wsfj_base, *wsfj_top;
    size_t wsfj_n;   /**< top - base: a constant for the compiler where children are spawned one by one */
    int wsfj_twin;   /**< which copy of a task's code this is, a constant */
    int wsfj_single; /**< the only child's result pointer is in rp; else each is in its descriptor */
    void *wsfj_rp;
    int wsfj_given; /**< with gcc: no child's result pointer is NULL; 0: not known. Undefined while n is 0 */
    /* How to run the children and fetch their results, if all are of one kind; else wsfj_execany and wsfj_fetchany.
     * Undefined while n is 0, so that with one kind of children the compiler may take them for constants. */
    wsfj_execfn *wsfj_exec;
    wsfj_fetchfn *wsfj_fetch;
};

/** The deque of the stack this code runs on; NULL outside any region.
 *
 *  In assembly, because compilers keep the address of a thread-local variable across a sync, where the thread may
 *  change. */
WSFJ_INLINE struct wsfj_deque *wsfj_self(void)
{
    struct wsfj_deque *wsfj_deque;
#if defined __x86_64__ && !defined __ILP32__
    __asm__ volatile("movq wsfj_tls@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(wsfj_deque));
#elif defined __aarch64__
    void *wsfj_base;
    __asm__ volatile("mrs %1, tpidr_el0\n\tadrp %0, :gottprel:wsfj_tls\n\tldr %0, [%0, :gottprel_lo12:wsfj_tls]\n\t"
                     "ldr %0, [%1, %0]"
                     : "=&r"(wsfj_deque), "=&r"(wsfj_base));
#else
    wsfj_deque = wsfj_self_slow();
#endif
    return wsfj_deque;
}

/** Where this stack's next child goes: the base for a plain call. */
WSFJ_INLINE struct wsfj_descriptor *wsfj_tail(struct wsfj_deque *wsfj_deque)
{
    return __atomic_load_n(&wsfj_deque->wsfj_tail, __ATOMIC_RELAXED); /* the owner reads what it wrote */
}

/** Whether another thread wants something of the owner, which wsfj_spawn_slow() and wsfj_loop_turn() find out: a thief
 *  asks for tasks, for example. Relaxed and perhaps stale: PARK-1. */
WSFJ_INLINE int wsfj_asked(struct wsfj_deque *wsfj_deque)
{
    return WSFJ_UNLIKELY(__atomic_load_n(&wsfj_deque->wsfj_limit, __ATOMIC_RELAXED) == NULL) != 0;
}

/** Runs a child of any kind through its descriptor. */
WSFJ_INLINE void wsfj_execany(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_base,
                              struct wsfj_descriptor *wsfj_desc, void *wsfj_rp)
{
    ((const struct wsfj_kind *)wsfj_desc->wsfj_word)->wsfj_exec(wsfj_deque, wsfj_base, wsfj_desc, wsfj_rp);
}

/** The result of a stolen child of any kind: its descriptor says where it goes and how long it is. */
WSFJ_INLINE void wsfj_fetchany(struct wsfj_descriptor *wsfj_desc, void *wsfj_rp)
{
    wsfj_descriptor_fetch(wsfj_desc, wsfj_rp);
}

/** Room for the arguments or the result of a large task. NULL: no room, and the push calls the task instead. */
WSFJ_INLINE void *wsfj_area_take(struct wsfj_deque *wsfj_deque, size_t wsfj_size, size_t wsfj_align)
{
    uintptr_t wsfj_start = ((uintptr_t)wsfj_deque->wsfj_area + wsfj_align - 1) & ~(uintptr_t)(wsfj_align - 1);

    if (WSFJ_UNLIKELY((uintptr_t)wsfj_deque->wsfj_area_end < wsfj_start ||
                      (uintptr_t)wsfj_deque->wsfj_area_end - wsfj_start < wsfj_size))
        return wsfj_area_more(wsfj_deque, wsfj_size, wsfj_align);
    wsfj_deque->wsfj_area = (char *)wsfj_start + wsfj_size;
    return (void *)wsfj_start;
}

/** Gives back the newest block. Does nothing if the block belongs to another stack (the task was stolen). */
WSFJ_INLINE void wsfj_area_give(struct wsfj_deque *wsfj_deque, void *wsfj_block)
{
    if ((uintptr_t)wsfj_block - (uintptr_t)wsfj_deque->wsfj_area_start <
        (uintptr_t)wsfj_deque->wsfj_area_end - (uintptr_t)wsfj_deque->wsfj_area_start)
        wsfj_deque->wsfj_area = (char *)wsfj_block;
}

/*
 * The slow-path exits of spawn and sync. Each is a comparison and a jump that is almost never taken, and must not cost
 * the task its registers. So on x86-64 the cold half lies elsewhere (subsection 1) and calls a thunk that keeps every
 * general, vector, mask and tile register (lib/arch/x86_64/thunk.S). The stack pointer first skips the red zone.
 * `inline` tells gcc that the text is short, whatever its length. A word of the deque is an offset, no memory operand, whose
 * address clang would keep in a register across calls. Without WSFJ_ASM_EXITS the exits are C.
 *
 * The loads are relaxed and may be stale: see the labels.
 */
#if WSFJ_ASM_EXITS
#define WSFJ_CLOBBER "cc", "memory"
/* During the slow path of a sync, other code runs on this thread, and it may return on another thread. */
#define WSFJ_CLOBBER_X87 "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)"

/** PARK-1: a spawn whose tail passes the limit answers the request of the thread that lowered it. */
#define WSFJ_SPAWN_EXIT(deque_, tail_)                                                                                 \
    __asm__ inline volatile("cmpq %1, %c2(%0)\n\t"                                                                     \
                            "jb 771f\n"                                                                                \
                            "772:\n\t"                                                                                 \
                            ".subsection 1\n"                                                                          \
                            "771:\tleaq -128(%%rsp), %%rsp\n\t"                                                        \
                            "pushq %0\n\t"                                                                             \
                            "pushq %1\n\t"                                                                             \
                            "call *wsfj_spawn_thunk@GOTPCREL(%%rip)\n\t"                                               \
                            "leaq 144(%%rsp), %%rsp\n\t"                                                               \
                            "jmp 772b\n\t"                                                                             \
                            ".previous"                                                                                \
                            :                                                                                          \
                            : "r"(deque_), "r"(tail_), "i"(__builtin_offsetof(struct wsfj_deque, wsfj_limit))          \
                            : WSFJ_CLOBBER)

/** The same in a loop, where the deque may also be full. Jumps to `made_room` if the child is done and the tail has
 * moved. */
#define WSFJ_LOOP_EXIT(deque_, base_, tail_, made_room)                                                                \
    __asm__ inline goto("cmpq %1, %c2(%0)\n\t"                                                                         \
                        "jb 771f\n"                                                                                    \
                        "772:\n\t"                                                                                     \
                        ".subsection 1\n"                                                                              \
                        "771:\tleaq -128(%%rsp), %%rsp\n\t"                                                            \
                        "pushq %0\n\t"                                                                                 \
                        "pushq %3\n\t"                                                                                 \
                        "pushq %1\n\t"                                                                                 \
                        "call *wsfj_loop_thunk@GOTPCREL(%%rip)\n\t"                                                    \
                        "leaq 152(%%rsp), %%rsp\n\t"                                                                   \
                        "je 772b\n\t"                                                                                  \
                        "jmp %l[" #made_room "]\n\t"                                                                   \
                        ".previous"                                                                                    \
                        :                                                                                              \
                        : "r"(deque_), "r"(tail_), "i"(__builtin_offsetof(struct wsfj_deque, wsfj_limit)), "r"(base_)  \
                        : WSFJ_CLOBBER, WSFJ_CLOBBER_X87                                                               \
                        : made_room)

/** THE-2: a sync whose descriptor is public takes the slow path. Jumps to `stolen` if a thief has the task. */
#define WSFJ_SYNC_EXIT(deque_, base_, desc_, stolen)                                                                    \
    __asm__ inline goto("cmpq %2, %c3(%0)\n\t"                                                                          \
                        "ja 771f\n"                                                                                     \
                        "772:\n\t"                                                                                      \
                        ".subsection 1\n"                                                                               \
                        "771:\tleaq -128(%%rsp), %%rsp\n\t"                                                             \
                        "pushq %0\n\t"                                                                                  \
                        "pushq %1\n\t"                                                                                  \
                        "pushq %2\n\t"                                                                                  \
                        "call *wsfj_sync_thunk@GOTPCREL(%%rip)\n\t"                                                     \
                        "leaq 152(%%rsp), %%rsp\n\t"                                                                    \
                        "jne 772b\n\t"                                                                                  \
                        "jmp %l[" #stolen "]\n\t"                                                                       \
                        ".previous"                                                                                     \
                        :                                                                                               \
                        : "r"(deque_), "r"(base_), "r"(desc_), "i"(__builtin_offsetof(struct wsfj_deque, wsfj_exposed)) \
                        : WSFJ_CLOBBER, WSFJ_CLOBBER_X87                                                                \
                        : stolen)
#else
#define WSFJ_SPAWN_EXIT(deque_, tail_)                                                                                 \
    do {                                                                                                               \
        if (WSFJ_UNLIKELY((tail_) > __atomic_load_n(&(deque_)->wsfj_limit, __ATOMIC_RELAXED)))                         \
            wsfj_spawn_slow(deque_, tail_);                                                                            \
    } while (0)
#define WSFJ_LOOP_EXIT(deque_, base_, tail_, made_room)                                                                \
    do {                                                                                                               \
        if (WSFJ_UNLIKELY((tail_) > __atomic_load_n(&(deque_)->wsfj_limit, __ATOMIC_RELAXED)) &&                       \
            wsfj_spawn_full(deque_, base_, tail_))                                                                     \
            goto made_room;                                                                                            \
    } while (0)
#define WSFJ_SYNC_EXIT(deque_, base_, desc_, stolen)                                                                   \
    do {                                                                                                               \
        if (WSFJ_UNLIKELY((desc_) < __atomic_load_n(&(deque_)->wsfj_exposed, __ATOMIC_RELAXED)) &&                     \
            !wsfj_sync_slow(deque_, base_, desc_))                                                                     \
            goto stolen;                                                                                               \
    } while (0)
#endif

/** How a tail is stored. The simulator defines this before: there each store is a moment at which virtual time goes on. */
#ifndef WSFJ_STORE_TAIL
#define WSFJ_STORE_TAIL(at_, tail_) __atomic_store_n(at_, tail_, __ATOMIC_RELEASE)
#endif

/** THE-1: publishes the tail. Release: a thief that sees it sees the descriptor's contents (acquire in deque.c). The
 * load in the exit that follows must not come before the store. Here the compiler keeps the order; the processor may
 * still swap the two, so the other side uses a heavy barrier (deque.c, recheck.c). */
WSFJ_INLINE void wsfj_publish_tail(struct wsfj_deque *wsfj_deque, struct wsfj_descriptor *wsfj_tail)
{
    WSFJ_STORE_TAIL(&wsfj_deque->wsfj_tail, wsfj_tail);
#if !WSFJ_ASM_EXITS /* the assembly of an exit clobbers memory, and so is a compiler barrier */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
}

/** How this frame runs the child. */
WSFJ_INLINE wsfj_execfn *wsfj_how_exec(const struct wsfj_frame *wsfj_f, struct wsfj_call_how wsfj_how)
{
    return wsfj_how.wsfj_exec[wsfj_f->wsfj_twin == 0 ? 0 : wsfj_f->wsfj_twin == 1 ? 1 : 2];
}

/** Called after a push into the descriptor at top: puts the child into the deque. Without `how.exec[0]`, the push has
 * already run the child, because there was no room for its arguments. */
WSFJ_INLINE void wsfj_pushed(struct wsfj_frame *wsfj_f, struct wsfj_call_how wsfj_how, void *wsfj_rp)
{
    if (!wsfj_how.wsfj_exec[0])
        return;
    if (wsfj_f->wsfj_single)
        wsfj_f->wsfj_base->wsfj_rp = wsfj_f->wsfj_rp;
    wsfj_f->wsfj_single = __builtin_constant_p(wsfj_f->wsfj_n) && wsfj_f->wsfj_n == 0;
#ifndef __clang__
    const int wsfj_given = __builtin_constant_p(wsfj_rp != NULL) && wsfj_rp != NULL;
    wsfj_f->wsfj_given = wsfj_f->wsfj_n == 0 || wsfj_f->wsfj_given == wsfj_given ? wsfj_given : 0;
#endif
    if (wsfj_f->wsfj_single)
        wsfj_f->wsfj_rp = wsfj_rp;
    else if (wsfj_how.wsfj_result)
        wsfj_f->wsfj_top->wsfj_rp = wsfj_rp;

    wsfj_execfn *wsfj_exec = wsfj_how_exec(wsfj_f, wsfj_how);
    if (wsfj_f->wsfj_n == 0 || wsfj_f->wsfj_exec == wsfj_exec) {
        wsfj_f->wsfj_exec = wsfj_exec;
        wsfj_f->wsfj_fetch = wsfj_how.wsfj_fetch;
    } else {
        wsfj_f->wsfj_exec = wsfj_execany;
        wsfj_f->wsfj_fetch = wsfj_fetchany;
    }
    wsfj_f->wsfj_n++;
    wsfj_f->wsfj_top++;
    wsfj_publish_tail(wsfj_f->wsfj_deque, wsfj_f->wsfj_top);
    if (__builtin_constant_p(wsfj_f->wsfj_n)) {
        WSFJ_SPAWN_EXIT(wsfj_f->wsfj_deque, wsfj_f->wsfj_top);
    } else {
        WSFJ_LOOP_EXIT(wsfj_f->wsfj_deque, wsfj_f->wsfj_base, wsfj_f->wsfj_top, wsfj_made_room);
        return;
    wsfj_made_room:
        wsfj_f->wsfj_top = wsfj_tail(wsfj_f->wsfj_deque);
        wsfj_f->wsfj_n = (size_t)(wsfj_f->wsfj_top - wsfj_f->wsfj_base);
    }
}

/** The same for ws_spawn_if(): without the condition, runs the child at once, from the descriptor where it would wait. */
WSFJ_INLINE void wsfj_pushed_if(int wsfj_if, struct wsfj_frame *wsfj_f, struct wsfj_call_how wsfj_how, void *wsfj_rp)
{
    if (wsfj_if)
        wsfj_pushed(wsfj_f, wsfj_how, wsfj_rp);
    else if (wsfj_how.wsfj_exec[0])
        wsfj_how_exec(wsfj_f, wsfj_how)(wsfj_f->wsfj_deque, wsfj_f->wsfj_top, wsfj_f->wsfj_top, wsfj_rp);
}

/** The sync of a frame with a single child. */
WSFJ_INLINE void wsfj_sync_single(struct wsfj_frame *wsfj_f)
{
    wsfj_publish_tail(wsfj_f->wsfj_deque, wsfj_f->wsfj_base);
    WSFJ_SYNC_EXIT(wsfj_f->wsfj_deque, wsfj_f->wsfj_base, wsfj_f->wsfj_base, wsfj_stolen);
    wsfj_f->wsfj_exec(wsfj_f->wsfj_deque, wsfj_f->wsfj_base, wsfj_f->wsfj_base, wsfj_f->wsfj_rp);
    return;
wsfj_stolen:
    wsfj_f->wsfj_fetch(wsfj_f->wsfj_base, wsfj_f->wsfj_rp);
}

/** Where a child's result goes. If gcc knows that it goes somewhere, it need not test that. (clang 19 would find out too late
 *  which kind the children of a loop are, and not inline them.) */
WSFJ_INLINE void *wsfj_result_pointer(const struct wsfj_frame *wsfj_f WSFJ_UNUSED,
                                      const struct wsfj_descriptor *wsfj_desc)
{
    void *wsfj_rp = wsfj_desc->wsfj_rp;

#ifndef __clang__
    if (__builtin_constant_p(wsfj_f->wsfj_given) && wsfj_f->wsfj_given && !wsfj_rp)
        __builtin_unreachable();
#endif
    return wsfj_rp;
}

/** The sync of a frame with any number of children, newest first. */
WSFJ_INLINE void wsfj_sync_many(struct wsfj_frame *wsfj_f)
{
    struct wsfj_descriptor *wsfj_desc;

    if (wsfj_f->wsfj_single)
        wsfj_f->wsfj_base->wsfj_rp = wsfj_f->wsfj_rp;
    while (wsfj_f->wsfj_top != wsfj_f->wsfj_base) {
        wsfj_desc = --wsfj_f->wsfj_top;
        wsfj_publish_tail(wsfj_f->wsfj_deque, wsfj_desc);
        WSFJ_SYNC_EXIT(wsfj_f->wsfj_deque, wsfj_f->wsfj_base, wsfj_desc, wsfj_stolen);
        wsfj_f->wsfj_exec(wsfj_f->wsfj_deque, wsfj_desc, wsfj_desc, wsfj_result_pointer(wsfj_f, wsfj_desc));
    }
    return;
wsfj_stolen:
    /* This child and all older ones were stolen and are done; the results of the older ones are stored. */
    wsfj_f->wsfj_fetch(wsfj_desc, wsfj_desc->wsfj_rp);
}

/** Runs or awaits every pending child; then all results are stored. */
WSFJ_INLINE void wsfj_sync(struct wsfj_frame *wsfj_f)
{
    if (__builtin_constant_p(wsfj_f->wsfj_n) && wsfj_f->wsfj_n == 1 && wsfj_f->wsfj_single)
        wsfj_sync_single(wsfj_f);
    else
        wsfj_sync_many(wsfj_f);
    wsfj_f->wsfj_top = wsfj_f->wsfj_base;
    wsfj_f->wsfj_n = 0;
    wsfj_f->wsfj_single = 0;
}

#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic pop
#endif

#endif
