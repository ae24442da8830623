/* SPDX-License-Identifier: MIT */
/* A handler that lies under one of the library's is called as the kernel would call it. */
#include "signals/sigchain.h"

#include "../support/process.h"
#include "../support/sanitizer.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

static sigjmp_buf back;
static int calls, is_blocked;

static void ours(int signal, siginfo_t *info, void *context);
static struct wsfj_sigchain chained = {.handler = ours};

static void ours(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    wsfj_sigchain_pass_on(&chained, info, context);
}

static bool masks_itself;

/* Puts ours over a handler with such flags, which blocks SIGHUP. */
static void install(int signal, void (*handler)(int), int flags)
{
    struct sigaction theirs = {.sa_handler = handler, .sa_flags = flags};

    sigemptyset(&theirs.sa_mask);
    sigaddset(&theirs.sa_mask, SIGHUP);
    if (masks_itself)
        sigaddset(&theirs.sa_mask, signal);
    sigaction(signal, &theirs, NULL);
    chained.signal = signal;
    wsfj_sigchain_install(&chained);
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
    is_blocked = blocks(SIGUSR2) << 2 | blocks(signal) << 1 | blocks(SIGHUP);
}

static int raise_twice(long how)
{
    masks_itself = how == 2;
    install(SIGUSR1, look, how ? SA_NODEFER : 0);
    raise(SIGUSR1);
    raise(SIGUSR1);
    return calls == 2 && !blocks(SIGUSR1) && !blocks(SIGHUP) ? 10 + is_blocked : 1;
}

/* Catches: a mask of the handler's that does not count, a signal that is blocked for one that asked not to, or let in although
 * the mask has it. */
START_TEST(its_mask_is_what_it_wants)
{
    struct outcome o = in_child(raise_twice, _i);

    expect_exit(&o, _i == 1 ? 11 : 13);
}
END_TEST

/* Catches: an ignored signal, or one without a handler, that is called. */
START_TEST(what_is_no_function_is_not_called)
{
    siginfo_t info = {.si_signo = SIGUSR1};
    ucontext_t interrupted;

    install(SIGUSR1, _i ? SIG_IGN : SIG_DFL, 0);
    wsfj_sigchain_call(&chained, &info, &interrupted);
}
END_TEST

/* The signal was blocked already, as in sigsuspend(). */
static int was_blocked(long unused)
{
    ucontext_t interrupted;
    siginfo_t info = {.si_signo = SIGUSR1};

    (void)unused;
    install(SIGUSR1, look, SA_NODEFER);
    sigemptyset(&interrupted.uc_sigmask);
    sigaddset(&interrupted.uc_sigmask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &interrupted.uc_sigmask, NULL);
    wsfj_sigchain_pass_on(&chained, &info, &interrupted);
    return 10 + is_blocked;
}

/* Catches: a signal that the program has blocked, and that a handler without need lets in. */
START_TEST(what_was_blocked_stays_so)
{
    struct outcome o = in_child(was_blocked, 0);

    expect_exit(&o, 13);
}
END_TEST

/* Catches: a handler of ours that runs on a stack that is used up, interrupts what the program waits for, or keeps other
 * signals out. */
START_TEST(the_kernel_calls_it_as_it_must)
{
    struct sigaction now;

    chained.flags = _i ? SA_RESTART : 0;
    install(SIGUSR1, look, 0);
    ck_assert_int_eq(sigaction(SIGUSR1, NULL, &now), 0);
    ck_assert_int_eq(now.sa_flags & (SA_SIGINFO | SA_ONSTACK | SA_RESTART), SA_SIGINFO | SA_ONSTACK | chained.flags);
    for (int signal = 1; signal < SIGRTMIN; signal++)
        ck_assert_int_eq(sigismember(&now.sa_mask, signal), 0);
}
END_TEST

static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
#define FAULTS ((int)(sizeof faults / sizeof *faults))

/* By its instruction; false if this processor has no such fault. */
static bool fault(int signal)
{
    if (signal == SIGSEGV)
        touch_nothing();
    if (signal == SIGBUS) { /* beyond the end of a file */
        FILE *file = tmpfile();
        char *map = file ? mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0) : MAP_FAILED;

        if (map != MAP_FAILED)
            *(volatile char *)map;
    }
#ifdef __x86_64__
    if (signal == SIGILL)
        __asm__ volatile("ud2");
    if (signal == SIGFPE)
        __asm__ volatile("xorl %%eax, %%eax; xorl %%edx, %%edx; divl %%eax" ::: "eax", "edx", "cc");
#endif
    return false;
}

static int ignored_fault(long which)
{
    install(faults[which], SIG_IGN, 0);
    setrlimit(RLIMIT_CPU, &(struct rlimit){1, 2}); /* it may be repeated for ever */
    return fault(faults[which]) + 10;
}

/* Catches: an instruction that faults for ever, since the program ignores a fault, which the kernel does not. */
START_TEST(a_fault_cannot_be_ignored)
{
    struct outcome o = in_child(ignored_fault, _i);

    if (!WIFEXITED(o.status) || WEXITSTATUS(o.status) != 10)
        expect_death(&o, faults[_i]);
}
END_TEST

static int sent_fault(long which)
{
    install(faults[which / 2], which % 2 ? SIG_IGN : SIG_DFL, 0);
    raise(faults[which / 2]);
    return wsfj_sigchain_is_on_top(&chained) ? 10 : 11;
}

/* Catches: a fault's signal that a process has sent, which does not come again, and is taken for the fault itself. */
START_TEST(a_sent_fault_is_a_signal)
{
    struct outcome o = in_child(sent_fault, _i);

    if (_i % 2)
        expect_exit(&o, 10);
    else
        expect_death(&o, faults[_i / 2]);
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

static void other(int signal)
{
    (void)signal;
}

static bool handles(void (*handler)(int))
{
    struct sigaction now;

    return sigaction(SIGUSR1, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == handler;
}

static int install_and_remove(long unused)
{
    struct sigaction saved;

    (void)unused;
    install(SIGUSR1, look, 0);
    wsfj_sigchain_install(&chained); /* a second time: nothing */
    if (chained.before.sa_flags & SA_SIGINFO)
        return 1;
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = other}, &saved);
    wsfj_sigchain_remove(&chained, false);
    if (!handles(other) || !chained.installed)
        return 2;
    sigaction(SIGUSR1, &saved, NULL);
    wsfj_sigchain_remove(&chained, false);
    if (!handles(look) || chained.installed)
        return 3;
    sigaction(SIGUSR1, &saved, NULL); /* put back after the removal */
    wsfj_sigchain_install(&chained);
    if (chained.before.sa_flags & SA_SIGINFO || !chained.installed)
        return 4;
    raise(SIGUSR1);
    wsfj_sigchain_remove(&chained, false);
    return handles(look) && calls == 1 ? 0 : 5;
}

/* Catches: a handler that passes signals on to itself; the program's handler, taken away with ours. */
START_TEST(once_however_often_it_is_installed)
{
    struct outcome o = in_child(install_and_remove, 0);

    expect_exit(&o, 0);
}
END_TEST

static int only_default(long handled)
{
    chained.only_default = true;
    chained.signal = SIGUSR1;
    if (handled)
        sigaction(SIGUSR1, &(struct sigaction){.sa_handler = look}, NULL);
    wsfj_sigchain_install(&chained);
    if (chained.installed == handled)
        return 1;
    wsfj_sigchain_remove(&chained, false);
    return handles(handled ? look : SIG_DFL) ? 0 : 2;
}

/* Catches: a handler of the program that loses a signal which the library only wants instead of the default. */
START_TEST(only_in_place_of_the_default)
{
    struct outcome o = in_child(only_default, _i);

    expect_exit(&o, 0);
}
END_TEST

static int discard(long discards)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    chained.signal = SIGUSR1;
    wsfj_sigchain_install(&chained);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    wsfj_sigchain_remove(&chained, discards);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    return 0;
}

/* Catches: a pending signal that meets the default action once the library's handler is gone. */
START_TEST(what_is_pending_is_discarded)
{
    struct outcome o = in_child(discard, _i);

    if (_i)
        expect_exit(&o, 0);
    else
        expect_death(&o, SIGUSR1);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("sigchain");

    tcase_add_loop_test(tcase, its_mask_is_what_it_wants, 0, 3);
    tcase_add_test(tcase, once_however_often_it_is_installed);
    tcase_add_loop_test(tcase, only_in_place_of_the_default, 0, 2);
    tcase_add_loop_test(tcase, what_is_pending_is_discarded, 0, 2);
    tcase_add_loop_test(tcase, what_is_no_function_is_not_called, 0, 2);
    tcase_add_test(tcase, what_was_blocked_stays_so);
    tcase_add_loop_test(tcase, the_kernel_calls_it_as_it_must, 0, 2);
    if (can_test("faults", SANITIZED ? "its own handlers speak first" : NULL)) {
        tcase_add_loop_test(tcase, a_fault_cannot_be_ignored, 0, FAULTS);
        tcase_add_loop_test(tcase, a_sent_fault_is_a_signal, 0, 2 * FAULTS);
        tcase_add_test(tcase, a_handler_for_once_is_called_once);
        tcase_add_test(tcase, it_may_jump_out_again_and_again);
    }
    return run_case("sigchain", tcase);
}
