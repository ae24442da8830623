/* SPDX-License-Identifier: MIT */
/*
 * Variables of functions that have returned, used after a join that was suspended and has gone on on another thread. A
 * sanitizer that keeps variables on stacks of its own must find this use, and nothing in the correct program, whose
 * variables live as long as they are used.
 */
#include "elsewhere.h"

#include <sanitizer/asan_interface.h>

#define WIDTH 8

static long *volatile hidden; /* from the compiler */

static __attribute__((noinline)) long *address_of_local(long value)
{
    long local = value;

    hidden = &local;
    return hidden;
}

static __attribute__((noinline)) long use(const long *p)
{
    return *p; /* the use */
}

static WS_TASK(long *, child, struct elsewhere *, e)
{
    elsewhere_child_begins(e);
    long *p = address_of_local(2);
    elsewhere_child_ends(e);
    return p;
}

/* Two joins: p[0] is from before both, p[1] from between them, p[2] from the first child. */
static WS_TASK(long, parent, int, which)
{
    long *p[3] = {address_of_local(0), NULL, NULL}, *result = NULL;

    for (int i = 0; i < 2; i++) {
        struct elsewhere e = {.others = WS_GROUP_INIT};

        ws_spawn(child, &result, &e);
        long before = elsewhere_before_sync(&e);
        ws_sync();
        elsewhere_after_sync(&e, before);
        if (i == 0) {
            p[1] = address_of_local(1);
            p[2] = result;
        }
    }
    return use(p[which]);
}

/*
 * The correct program. Between two tasks there is a plain function, in which nothing is inlined: clang leaves the
 * variables of functions with inline assembly, such as a spawn, on the stack.
 */
static void must_be_apart(void *variable)
{
    must(__asan_addr_is_in_fake_stack(__asan_get_current_fake_stack(), variable, NULL, NULL) != NULL,
         "a fake stack of this fiber has the variable");
}

static WS_TASK(long, patient_child, struct elsewhere *, e, long *, to)
{
    elsewhere_child_begins(e);
    *to += 3;
    elsewhere_child_ends(e);
    return 4;
}

static __attribute__((noinline)) long keep_variables(long depth);

static WS_TASK(long, patient, long, depth, long *, to)
{
    struct elsewhere e = {.others = WS_GROUP_INIT};
    long result = 0;

    ws_spawn(patient_child, &result, &e, to);
    long before = elsewhere_before_sync(&e);
    ws_sync();
    elsewhere_after_sync(&e, before);
    return result + (depth ? keep_variables(depth - 1) : 0);
}

static __attribute__((noinline)) long call_patient(long depth, long *to)
{
    return patient(depth, to);
}

static long keep_variables(long depth)
{
    long mine[WIDTH] = {1}, to = 0;

    must_be_apart(mine);
    must_be_apart(&to);
    long deeper = call_patient(depth, &to);

    must_be_apart(mine);
    must_be_apart(&to);
    return use(&mine[0]) + use(&mine[WIDTH - 1]) + use(&to) + deeper;
}

static __attribute__((noinline)) long sum_of(long depth);

static WS_TASK_VOID(grow, long *, to, long, depth)
{
    *to = depth ? sum_of(depth - 1) : 1;
}

static WS_TASK_VOID(grow_all, long *, part, long, depth)
{
    for (long i = 0; i < WIDTH; i++)
        ws_spawn(grow, &part[i], depth);
    ws_sync();
}

static __attribute__((noinline)) void call_grow_all(long *part, long depth)
{
    grow_all(part, depth);
}

static long sum_of(long depth)
{
    long part[WIDTH], sum = 0;

    must_be_apart(part);
    call_grow_all(part, depth);
    must_be_apart(part);
    for (long i = 0; i < WIDTH; i++)
        sum += part[i];
    return sum;
}

static void right(void)
{
    long joins = 0, sum = 0;

    for (int times = 0; times < 5; times++) {
        must(ws_run(patient, &joins, 19L, &sum) == 0 && joins == 20 * 4 + 19 * 4, "variables over a join");
        must(ws_run(grow, &sum, 5L) == 0 && sum == 1L << 15, "variables that children write");
    }
    puts("right");
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"before", "between", "child"};
    long value;

    start_workers(2);
    if (argc < 2)
        right();
    for (int i = 0; i < 3; i++) {
        if (argc > 1 && !strcmp(argv[1], kinds[i]) && ws_run(parent, &value, i) == 0)
            printf("read: %ld\n", value);
    }
    return ws_fini();
}
