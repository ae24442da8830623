/* SPDX-License-Identifier: MIT */
/* Work of a given length: a number of loop iterations ("turns"), whatever else runs on the processor meanwhile. */
#ifndef LAB_WORK_H
#define LAB_WORK_H

#include <stdint.h>

/* Measures a turn, once. */
void work_calibrate(void);

/* How many turns take this long on a processor that nothing disturbs; at least 1. */
uint64_t work_turns(double ns);

/* Takes the turns: each needs the result of the one before. */
static inline void work(uint64_t turns)
{
    uint64_t x = turns;

    for (uint64_t i = 0; i < turns; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
        __asm__ volatile("" : "+r"(x));
    }
}

/* Sleeps until sample_now() is `when`, with the kernel's timer slack off: else it may wake the thread 50 us late. */
void work_sleep_until(uint64_t when);

/* Processor time of the process, in nanoseconds. */
uint64_t work_process_ns(void);

#endif
