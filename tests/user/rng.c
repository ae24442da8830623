/* SPDX-License-Identifier: MIT */
/*
 * Random numbers: those that were published, whatever the schedule.
 *
 * Catches: a generator that is not Philox4x32-10, or one with another order of words; numbers that repeat inside a
 * sequence or between sequences; a bias of ws_rng_below(); a double that is 1.
 */
#include "workers.h"

/* The known answers of Random123 (Salmon et al.), file kat_vectors: counter, key, answer. */
static const uint32_t known[3][10] = {
    {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
    {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
     0x6d5451fd},
    {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
     0x24126ea1},
};

START_TEST(the_published_numbers)
{
    for (int i = 0; i < 3; i++) {
        uint32_t x[4] = {known[i][0], known[i][1], known[i][2], known[i][3]};

        wsfj_philox(x, known[i][4], known[i][5]);
        for (int k = 0; k < 4; k++)
            ck_assert_uint_eq(x[k], known[i][6 + k]);
    }
}
END_TEST

/* Which bits of seed, i and position go where: part of the promise that the numbers never change. */
START_TEST(each_number_has_its_place)
{
    ws_rng rng = ws_rng_at(0, 0);
    const uint64_t seed = UINT64_C(0x1122334455667788), i = UINT64_C(0x99aabbccddeeff01);

    ck_assert_uint_eq(ws_rng_next(&rng), UINT64_C(0xe169c58d6627e8d5));
    ck_assert_uint_eq(ws_rng_next(&rng), UINT64_C(0x9b00dbd8bc57ac4c));
    rng = ws_rng_at(seed, i);
    rng.wsfj_drawn = UINT64_C(2) * 0x123456789a;
    for (uint64_t block = 0x123456789a; block < UINT64_C(0x123456789d); block++) {
        uint32_t x[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0xddeeff01, 0x99aabbcc};

        wsfj_philox(x, 0x55667788, 0x11223344);
        ck_assert_uint_eq(ws_rng_next(&rng), x[0] | (uint64_t)x[1] << 32);
        ck_assert_uint_eq(ws_rng_next(&rng), x[2] | (uint64_t)x[3] << 32);
    }
}
END_TEST

START_TEST(doubles_fill_the_unit_interval)
{
    ws_rng rng = ws_rng_at(7, 7);
    double sum = 0, least = 1, most = 0;
    int odd = 0;

    for (int k = 0; k < 100000; k++) {
        double x = ws_rng_double(&rng);

        ck_assert(x >= 0 && x < 1);
        sum += x;
        least = x < least ? x : least;
        most = x > most ? x : most;
        odd += (int)((uint64_t)(x * 9007199254740992.0) & 1);
    }
    ck_assert(sum > 49000 && sum < 51000);
    ck_assert(least < 0.001 && most > 0.999);
    ck_assert(odd > 49000 && odd < 51000); /* all 53 bits are in use */
    rng.wsfj_drawn = 1;
    rng.wsfj_second = UINT64_MAX;
    ck_assert(ws_rng_double(&rng) < 1);
}
END_TEST

/* Of 2^64 numbers below 3 * 2^62, each third one would come twice as often without the second draw. */
START_TEST(numbers_below_n_are_equally_likely)
{
    ws_rng rng = ws_rng_at(11, 0);
    uint64_t of[3] = {0}, six[6] = {0};

    for (int k = 0; k < 60000; k++) {
        uint64_t x = ws_rng_below(&rng, UINT64_C(3) << 62);

        ck_assert(x < UINT64_C(3) << 62);
        of[x % 3]++;
        six[ws_rng_below(&rng, 6)]++;
    }
    for (int k = 0; k < 3; k++)
        ck_assert(of[k] > 19400 && of[k] < 20600);
    for (int k = 0; k < 6; k++)
        ck_assert(six[k] > 9600 && six[k] < 10400);
    for (int k = 0; k < 1000; k++) {
        ck_assert_uint_eq(ws_rng_below(&rng, 1), 0);
        ck_assert_uint_eq(ws_rng_below(&rng, 0), 0);
    }
}
END_TEST

/* A random walk of each i, whose length is random, too. */
static uint64_t walk(uint64_t i)
{
    ws_rng rng = ws_rng_at(2026, i);
    uint64_t sum = 0;

    for (uint64_t n = ws_rng_below(&rng, 50); n > 0; n--)
        sum = sum * 31 + ws_rng_next(&rng);
    return sum;
}

static WS_TASK(uint64_t, walks, uint64_t, lo, uint64_t, hi)
{
    uint64_t a, b;

    if (hi - lo == 1)
        return walk(lo);
    ws_spawn(walks, &a, lo, lo + (hi - lo) / 2);
    b = ws_call(walks, lo + (hi - lo) / 2, hi);
    ws_sync();
    return a + b;
}

START_TEST(the_schedule_does_not_show)
{
    uint64_t serial = 0, parallel = 0;

    for (uint64_t i = 0; i < 5000; i++)
        serial += walk(i);
    start(workers[_i]);
    ck_assert_int_eq(ws_run(walks, &parallel, 0, 5000), 0);
    ck_assert_uint_eq(parallel, serial);
    stop_runtime();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("rng");

    tcase_add_test(tcase, the_published_numbers);
    tcase_add_test(tcase, each_number_has_its_place);
    tcase_add_test(tcase, doubles_fill_the_unit_interval);
    tcase_add_test(tcase, numbers_below_n_are_equally_likely);
    tcase_add_loop_test(tcase, the_schedule_does_not_show, 0, WORKERS);
    return run_case("rng", tcase);
}
