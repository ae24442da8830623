/* SPDX-License-Identifier: MIT */
/*
 * Prints measurements on standard output, each as soon as it is done: a table for people, CSV or JSON for programs.
 * Nothing here calls setlocale(), so numbers have a decimal point in any environment.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "machine.h"
#include "measure.h"

void report_begin(enum options_format format, const struct machine *machine, unsigned runs);
void report_add(enum options_format format, const struct measurement *m);
void report_end(enum options_format format);

#endif
