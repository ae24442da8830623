# SPDX-License-Identifier: MIT
# Start, stop, memory and first use. OLD: the directory of another libwsfj.so.0 to compare with.
check_PROGRAMS += wsfj-start
wsfj_start_SOURCES = bench/start/start.c
wsfj_start_LDADD = libwsfj.la

.PHONY: bench-start
bench-start: wsfj-start$(EXEEXT)
	@$(SHELL) $(srcdir)/bench/start/run .libs/wsfj-start$(EXEEXT) $(if $(OLD),--old $(OLD)) $(BENCH_ARGS)

EXTRA_DIST += bench/start/run
