/* SPDX-License-Identifier: MIT */
/* The numbers of workers that the user programs run with, and starting the runtime with them. */
#ifndef TESTS_PROG_WORKERS_H
#define TESTS_PROG_WORKERS_H

#include "../run.h"
#include <wsfj.h>

#define WORKERS 5
static const size_t workers[WORKERS] = {1, 2, 3, 8, 33};

static inline void start(size_t n)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = n;
    ck_assert_int_eq(ws_init(&config), 0);
    ck_assert_uint_eq(ws_num_workers(), n);
}

static inline uint64_t steals(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    ck_assert_int_eq(ws_stats_get(&stats), 0);
    return stats.steals;
}

#endif
