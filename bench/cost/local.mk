# SPDX-License-Identifier: MIT
# Instructions of single operations, counted by callgrind, against a table.
check_PROGRAMS += wsfj-cost
wsfj_cost_SOURCES = bench/cost/cost.c bench/cost/cost.h bench/cost/steal.c
wsfj_cost_LDADD = libwsfjcore.la

.PHONY: bench-cost
bench-cost: wsfj-cost$(EXEEXT)
	@$(SHELL) $(srcdir)/bench/cost/run ./wsfj-cost$(EXEEXT) $(srcdir)/bench/cost/table

EXTRA_DIST += bench/cost/run bench/cost/table
