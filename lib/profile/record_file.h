/* SPDX-License-Identifier: MIT */
/* The parts of the record's file, for the files that write it: lines, sites, costs. */
#ifndef WSFJ_PROFILE_RECORD_FILE_H
#define WSFJ_PROFILE_RECORD_FILE_H

#include "profile/record.h"

/* record_file.c: under the file's lock. Nothing happens if the file is not open. */
void wsfj_record_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Text of the program's: no character of it ends a column or a line. */
void wsfj_record_print_text(const char *text);
void wsfj_record_end_line(void);

/* record_site.c: the sites' lines; takes the lock of sites. */
void wsfj_record_print_sites(void);
/* In the child of a fork: the lock is free. The sites stay. */
void wsfj_record_sites_forget(void);
void wsfj_record_sites_clear(void);

/* record_cost.c: under the file's lock. A node has this cost. */
void wsfj_record_cost_is_used(uint32_t cost);
/* False: no memory. */
bool wsfj_record_add_means(const struct wsfj_cost *costs, size_t n);
void wsfj_record_print_costs(double scale, bool is_unit);
void wsfj_record_costs_forget(void);
void wsfj_record_costs_clear(void);

#endif
