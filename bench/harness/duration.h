/* SPDX-License-Identifier: MIT */
/* Times for tables. Neighbour: table.c, whose columns say that a number without a unit is seconds. */
#ifndef BENCH_DURATION_H
#define BENCH_DURATION_H

struct duration {
    char text[32];
};

/* At least three digits, in six characters up to 99999 s: 123.45, 12.345, 1.2345, 0.1234; below 10 ms with a unit: 9.87ms,
 * 98.7us, 987ns. "-" for what is not finite. */
struct duration duration_of(double seconds);

#endif
