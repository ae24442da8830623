/* SPDX-License-Identifier: MIT */
/*
 * Random series-parallel programs (tests/program) give what a plain recursive evaluation gives. A run takes new seeds and
 * prints the one that fails; WSFJ_TEST_SEED=n repeats that program with the same number of workers.
 */
#include "stress.h"

#include "../program/tasks.h"
#include <stdio.h>
#include <sys/mman.h>

#define GROUPS COUNT(120, 40)
#define PROGRAMS 20u /* of a group, between ws_init() and ws_fini() */
#define REPLAYS 200
#define WORKERS 9
#define SIZE_BITS COUNT(15u, 12u)

static unsigned *current; /* the program's seed, where the parent of the test's process sees it */

static void compare(unsigned seed)
{
    struct node root = root_of(seed, SIZE_BITS);
    long nodes = 0;
    uint64_t expected = serial_value(root, &nodes), value;
    struct place place;

    *current = seed;
    program_ran = program_wrong = 0;
    ck_assert_int_eq(program_run(root, open_for(&place, root)), 0);
    value = value_of(&place);
    ck_assert_msg(value == expected && program_ran == nodes && program_wrong == 0,
                  "seed %u, %zu workers: value %#llx instead of %#llx, %ld nodes instead of %ld, %ld copies wrong",
                  seed, ws_num_workers(), (unsigned long long)value, (unsigned long long)expected, program_ran, nodes,
                  program_wrong);
}

/* How a program runs follows from its seed too. */
static void start_for(unsigned seed)
{
    struct node group = {.hash = mix(seed / PROGRAMS, 2)};
    ws_config config;

    setenv("WSFJ_MEMBARRIER", pick(group, 16, 2) ? "1" : "0", 1);
    ws_config_default(&config);
    config.num_workers = 1 + pick(group, 17, WORKERS);
    ck_assert_int_eq(ws_init(&config), 0);
}

/* Catches: whatever makes a task's result wrong, late or lost, or the task itself, in a pattern of spawns, calls and
 * syncs that no other test has. */
START_TEST(random_programs_compute_what_their_serial_evaluation_does)
{
    const char *replay = getenv("WSFJ_TEST_SEED");
    unsigned first = (unsigned)(now() & 0x7fffffff);
    unsigned seed = replay ? (unsigned)strtoul(replay, NULL, 0) : first - first % PROGRAMS;

    for (int i = 0; i < (replay ? 1 : GROUPS); i++) {
        start_for(seed);
        for (int j = 0; j < (replay ? REPLAYS : (int)PROGRAMS); j++) {
            compare(seed);
            seed += !replay;
        }
        ck_assert_int_eq(ws_fini(), 0);
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
        printf("random: WSFJ_TEST_SEED=%u repeats the program that failed\n", *current); /* after a crash too */
    return failed;
}
