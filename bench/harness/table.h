/* SPDX-License-Identifier: MIT */
/* The table for people: at most 120 columns wide, unless a figure is extraordinary. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "entry.h"
#include "machine.h"

void table_begin(const struct machine *machine, unsigned runs);
void table_add(const struct entry *e);

#endif
