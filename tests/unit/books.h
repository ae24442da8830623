/* SPDX-License-Identifier: MIT */
/*
 * The functions of AddressSanitizer and LeakSanitizer that the library refers to weakly, for a program that takes their
 * place: they keep the same books, of the stack that each thread runs on and of the memory that is shown. A call that the
 * real ones could not understand ends the program. For asan.c.
 */
#ifndef TESTS_UNIT_BOOKS_H
#define TESTS_UNIT_BOOKS_H

#include "../support/flags.h"
#include "../support/run.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define SHOWN_MOST 4096
#define THREADS_MOST 256

void __sanitizer_start_switch_fiber(void **fake_stack, const void *low, size_t size);
void __sanitizer_finish_switch_fiber(void *fake_stack, const void **old_low, size_t *old_size);
void __asan_unpoison_memory_region(const volatile void *memory, size_t size);
void __lsan_register_root_region(const void *memory, size_t size);
void __lsan_unregister_root_region(const void *memory, size_t size);

struct bounds {
    const char *low;
    size_t size;
};

/* What is kept of a thread. */
struct books {
    struct bounds here, next; /* under the mutex */
    bool switching;
    int *fake; /* the present fake stack, which has the number of its fiber. NULL: none yet */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct bounds shown[SHOWN_MOST];  /* under the mutex */
static struct books books[THREADS_MOST]; /* the first is main's */
static unsigned num_shown, num_books;    /* under the mutex */
static long fakes, cleared;              /* fake stacks there are; calls that clear marks */
static __thread struct books *mine;

static struct bounds own_stack(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;

    ck_assert_int_eq(pthread_getattr_np(pthread_self(), &attributes), 0);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return (struct bounds){low, size};
}

static bool within(struct bounds bounds, const void *address)
{
    return (uintptr_t)address - (uintptr_t)bounds.low < bounds.size;
}

/* Tasks call this, too: what the library has told is still wrong when a check fails. */
static void must(bool right)
{
    if (!right)
        abort();
}

/* Not inlined: a task may go on on another thread. */
static __attribute__((noinline)) struct books *my_books(void)
{
    if (!mine) {
        pthread_mutex_lock(&mutex);
        must(num_books < THREADS_MOST);
        mine = &books[num_books++];
        *mine = (struct books){.here = own_stack()};
        pthread_mutex_unlock(&mutex);
    }
    return mine;
}

void __sanitizer_start_switch_fiber(void **fake_stack, const void *low, size_t size)
{
    struct books *b = my_books();

    must(!b->switching);
    b->switching = true;
    b->next = (struct bounds){low, size};
    if (fake_stack) {
        *fake_stack = b->fake;
    } else if (b->fake) {
        free(b->fake);
        add(&fakes, -1);
    }
    b->fake = NULL;
}

void __sanitizer_finish_switch_fiber(void *fake_stack, const void **old_low, size_t *old_size)
{
    struct books *b = my_books();

    must(b->switching);
    b->switching = false;
    if (fake_stack)
        b->fake = fake_stack;
    if (old_low)
        *old_low = b->here.low;
    if (old_size)
        *old_size = b->here.size;
    pthread_mutex_lock(&mutex);
    b->here = b->next;
    pthread_mutex_unlock(&mutex);
}

void __asan_unpoison_memory_region(const volatile void *memory, size_t size)
{
    must(memory && size);
    add(&cleared, 1);
}

void __lsan_register_root_region(const void *memory, size_t size)
{
    must(memory && size && size < (size_t)1 << 40);
    (void)*(volatile const char *)memory; /* LeakSanitizer reads it all */
    (void)((volatile const char *)memory)[size - 1];
    pthread_mutex_lock(&mutex);
    must(num_shown < SHOWN_MOST);
    shown[num_shown++] = (struct bounds){memory, size};
    pthread_mutex_unlock(&mutex);
}

/* The real one ends the process if there is no such region. */
void __lsan_unregister_root_region(const void *memory, size_t size)
{
    unsigned i = 0;

    pthread_mutex_lock(&mutex);
    while (i < num_shown && (shown[i].low != memory || shown[i].size != size))
        i++;
    must(i < num_shown);
    shown[i] = shown[--num_shown];
    pthread_mutex_unlock(&mutex);
}

/* How many threads run on the stack with this address, as they were told, and how many regions with it are shown. */
static unsigned readers(const void *address)
{
    unsigned n = 0;

    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < num_books; i++)
        n += within(books[i].here, address);
    for (unsigned i = 0; i < num_shown; i++)
        n += within(shown[i], address);
    pthread_mutex_unlock(&mutex);
    return n;
}

/* Whether LeakSanitizer would find the pointer in what is shown. */
static bool is_found(uintptr_t pointer)
{
    bool found = false;

    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < num_shown; i++) {
        const volatile uintptr_t *word = (const volatile uintptr_t *)(((uintptr_t)shown[i].low + 7) & ~(uintptr_t)7);

        for (const char *end = shown[i].low + shown[i].size; (const char *)(word + 1) <= end; word++)
            found |= *word == pointer;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

/* What an instrumented function does with its variables: the fake stack is made when it is first needed. `number`: of
 * the fiber; 0 leaves it. */
static __attribute__((noinline)) void call(int number)
{
    struct books *b = my_books();

    must(!b->switching && within(b->here, __builtin_frame_address(0)));
    if (!b->fake) {
        b->fake = calloc(1, sizeof *b->fake);
        must(b->fake != NULL);
        add(&fakes, 1);
    }
    if (number)
        *b->fake = number;
}

static __attribute__((noinline)) bool is_on(int number)
{
    return my_books()->fake && *my_books()->fake == number;
}

#endif
