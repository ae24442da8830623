/* SPDX-License-Identifier: MIT */
/*
 * Random series-parallel programs (tests/random) return what a plain recursive evaluation returns. A run takes new
 * seeds and prints the failing one; WSFJ_TEST_SEED=n repeats that program with the same number of workers.
 */
#include "stress.h"

#include "../random/compare.h"
#include "../random/ways.h"

#include <stdio.h>
#include <sys/mman.h>

#define GROUPS COUNT(70, 30)
#define PROGRAMS 20u /* of a group, between ws_init() and ws_fini() */
#define REPLAYS 200
#define WORKERS 9
#define SIZE_BITS COUNT(15u, 12u)

#define FEW_BITS 9 /* the sizes with few stacks, where a task that waits may have to call others on its own stack */

static unsigned size_bits;
static unsigned *current; /* the program's seed, in memory shared with the parent of the test's process */

static void compare(unsigned seed)
{
    const char *wrong;

    *current = seed;
    wrong = program_compare(seed, 1, size_bits);
    ck_assert_msg(!wrong, "%zu workers, %s", ws_num_workers(), wrong);
}

/* The seed also decides how a program runs. */
static void start_for(unsigned seed)
{
    struct node group = {.hash = mix(seed / PROGRAMS, 2)};
    ws_config config;

    setenv("WSFJ_MEMBARRIER", pick(group, 16, 2) ? "1" : "0", 1);
    ws_config_default(&config);
    config.num_workers = 1 + pick(group, 17, WORKERS);
    size_bits = SIZE_BITS;
    program_may = PROGRAM_BLOCK | PROGRAM_HOLD;
    if (pick(group, 18, 6) == 0) {
        config.max_stacks = 1 + pick(group, 19, 6);
        size_bits = FEW_BITS;
        program_may = PROGRAM_BLOCK;
    }
    ck_assert_int_eq(ws_init(&config), 0);
}

/* Catches: anything that makes a task or its result wrong, late or lost, in a pattern of spawns, calls and syncs that
 * no other test has. */
START_TEST(random_programs_compute_what_their_serial_evaluation_does)
{
    const char *replay = getenv("WSFJ_TEST_SEED");
    unsigned first = (unsigned)(now() & 0x7fffffff);
    unsigned seed = replay ? (unsigned)strtoul(replay, NULL, 0) : first - first % PROGRAMS;
    const uint64_t end = now() + limit_seconds() * UINT64_C(500000000); /* a busy machine runs fewer groups */

    for (int i = 0; i < (replay ? 1 : GROUPS) && (i == 0 || now() < end); i++) {
        start_for(seed);
        for (int j = 0; j < (replay ? REPLAYS : (int)PROGRAMS); j++) {
            compare(seed);
            seed += !replay;
        }
        ck_assert_int_eq(program_stop(), 0);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("random");
    int failed;

    current = mmap(NULL, sizeof *current, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (current == MAP_FAILED)
        return 1;
    tcase_add_test(tcase, random_programs_compute_what_their_serial_evaluation_does);
    failed = run_case("random", tcase);
    if (failed)
        printf("random: WSFJ_TEST_SEED=%u repeats the program that failed\n", *current); /* also after a crash */
    return failed;
}
