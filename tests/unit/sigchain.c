/* SPDX-License-Identifier: MIT */
/* A handler that lies under one of the library's is called as the kernel would call it. */
#include "signals/sigchain.h"

#include "../support/process.h"
#include "../support/sanitizer.h"

#include <setjmp.h>

static struct sigaction before;
static sigjmp_buf back;
static int calls, is_blocked;

static void ours(int signal, siginfo_t *info, void *context)
{
    wsfj_sigchain(&before, signal, info, context);
}

/* Puts ours over a handler with such flags, which blocks SIGHUP. */
static void install(int signal, void (*handler)(int), int flags)
{
    struct sigaction theirs = {.sa_handler = handler, .sa_flags = flags};
    struct sigaction over = {.sa_sigaction = ours, .sa_flags = SA_SIGINFO};

    sigemptyset(&theirs.sa_mask);
    sigaddset(&theirs.sa_mask, SIGHUP);
    sigemptyset(&over.sa_mask);
    sigaction(signal, &theirs, NULL);
    sigaction(signal, &over, &before);
}

static bool blocks(int signal)
{
    sigset_t now;

    pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, signal) == 1;
}

static void look(int signal)
{
    calls++;
    is_blocked = blocks(signal) << 1 | blocks(SIGHUP);
}

static int raise_twice(long flags)
{
    install(SIGUSR1, look, (int)flags);
    raise(SIGUSR1);
    raise(SIGUSR1);
    return calls == 2 && !blocks(SIGUSR1) && !blocks(SIGHUP) ? 10 + is_blocked : 1;
}

/* Catches: a mask of the handler's that does not count, a signal that is blocked for one that asked not to. */
START_TEST(its_mask_is_what_it_wants)
{
    struct outcome o = in_child(raise_twice, _i ? SA_NODEFER : 0);

    expect_exit(&o, _i ? 11 : 13);
}
END_TEST

static int fault_on(long unused)
{
    (void)unused;
    install(SIGSEGV, look, (int)SA_RESETHAND);
    touch_nothing();
    return 0;
}

/* Catches: a fault that is repeated for ever since a handler for one only is called each time. */
START_TEST(a_handler_for_once_is_called_once)
{
    struct outcome o = in_child(fault_on, 0);

    expect_death(&o, SIGSEGV);
}
END_TEST

static void jump(int signal)
{
    (void)signal;
    calls++;
    siglongjmp(back, 1);
}

static int jump_out(long unused)
{
    (void)unused;
    install(SIGSEGV, jump, SA_NODEFER);
    (void)sigsetjmp(back, 0);
    if (calls < 3)
        touch_nothing();
    return calls;
}

/* Catches: a signal that stays blocked after a handler has left by a jump, so that the next fault kills. */
START_TEST(it_may_jump_out_again_and_again)
{
    struct outcome o = in_child(jump_out, 0);

    expect_exit(&o, 3);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("chain");

    tcase_add_loop_test(tcase, its_mask_is_what_it_wants, 0, 2);
    if (can_test("faults", SANITIZED ? "its own handlers speak first" : NULL)) {
        tcase_add_test(tcase, a_handler_for_once_is_called_once);
        tcase_add_test(tcase, it_may_jump_out_again_and_again);
    }
    return run_case("chain", tcase);
}
