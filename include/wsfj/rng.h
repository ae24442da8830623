/* SPDX-License-Identifier: MIT */
/**
 * @file rng.h
 * Random numbers that do not depend on the schedule: iteration i draws from ws_rng_at(seed, i), a sequence of its own, so
 * that a program draws the same numbers with any number of workers. Nothing is shared and nothing is allocated: each
 * number is a function of the seed, i, and how many came before it.
 *
 * @code
 * ws_rng rng = ws_rng_at(2026, (uint64_t)i);
 * double x = ws_rng_double(&rng), y = ws_rng_double(&rng);
 * @endcode
 *
 * The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011). The
 * numbers are the same in C, in C++, serially, on every machine and in every version. Not for secrets.
 */
#ifndef WSFJ_RNG_H
#define WSFJ_RNG_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A sequence of random numbers. A copy continues from the same place. Use one in one task at a time. */
struct ws_rng {
    uint64_t wsfj_seed, wsfj_i;
    uint64_t wsfj_drawn;  /**< how many numbers so far */
    uint64_t wsfj_second; /**< the next number, if `drawn` is odd */
};
/** The same. */
typedef struct ws_rng ws_rng;

/** Sequence number `i` of `seed`: 2^64 numbers, then the same again. The call itself computes nothing. */
static inline ws_rng ws_rng_at(uint64_t wsfj_seed, uint64_t wsfj_i)
{
    ws_rng wsfj_rng = {wsfj_seed, wsfj_i, 0, 0};

    return wsfj_rng;
}

/** Philox4x32-10: turns the counter of four words into four random words. */
static inline void wsfj_philox(uint32_t wsfj_x[4], uint32_t wsfj_key0, uint32_t wsfj_key1)
{
    for (int wsfj_round = 0; wsfj_round < 10; wsfj_round++) {
        uint64_t wsfj_a = (uint64_t)wsfj_x[0] * 0xd2511f53u, wsfj_b = (uint64_t)wsfj_x[2] * 0xcd9e8d57u;

        wsfj_x[0] = (uint32_t)(wsfj_b >> 32) ^ wsfj_x[1] ^ wsfj_key0;
        wsfj_x[2] = (uint32_t)(wsfj_a >> 32) ^ wsfj_x[3] ^ wsfj_key1;
        wsfj_x[1] = (uint32_t)wsfj_b;
        wsfj_x[3] = (uint32_t)wsfj_a;
        wsfj_key0 += 0x9e3779b9u;
        wsfj_key1 += 0xbb67ae85u;
    }
}

/** 64 random bits. Two calls share one computation: the block's counter is half the number drawn, below `i`. */
static inline uint64_t ws_rng_next(ws_rng *wsfj_rng)
{
    uint64_t wsfj_n = wsfj_rng->wsfj_drawn++;
    uint32_t wsfj_x[4] = {(uint32_t)(wsfj_n >> 1), (uint32_t)(wsfj_n >> 33), (uint32_t)wsfj_rng->wsfj_i,
                          (uint32_t)(wsfj_rng->wsfj_i >> 32)};

    if (wsfj_n & 1)
        return wsfj_rng->wsfj_second;
    wsfj_philox(wsfj_x, (uint32_t)wsfj_rng->wsfj_seed, (uint32_t)(wsfj_rng->wsfj_seed >> 32));
    wsfj_rng->wsfj_second = wsfj_x[2] | (uint64_t)wsfj_x[3] << 32;
    return wsfj_x[0] | (uint64_t)wsfj_x[1] << 32;
}

/** A number of [0, 1): one of the 2^53 multiples of 2^-53, each equally likely. */
static inline double ws_rng_double(ws_rng *wsfj_rng)
{
    return (double)(ws_rng_next(wsfj_rng) >> 11) / 9007199254740992.0;
}

/**
 * A number of 0 ... n - 1, each equally likely; 0 if n is 0. It draws once, or, with a chance of less than n / 2^64, again
 * (Lemire, Fast Random Integer Generation in an Interval, 2019).
 */
static inline uint64_t ws_rng_below(ws_rng *wsfj_rng, uint64_t wsfj_n)
{
    for (;;) {
        __extension__ unsigned __int128 wsfj_product = (unsigned __int128)ws_rng_next(wsfj_rng) * wsfj_n;
        uint64_t wsfj_low = (uint64_t)wsfj_product;

        /* Of the products with one upper half, the first 2^64 mod n are too many. */
        if (wsfj_low >= wsfj_n || wsfj_low >= (0 - wsfj_n) % wsfj_n)
            return (uint64_t)(wsfj_product >> 64);
    }
}

#ifdef __cplusplus
}
#endif

#endif
