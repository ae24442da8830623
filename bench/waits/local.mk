# SPDX-License-Identifier: MIT
# Thousands of tasks that wait, beside goroutines where Go is installed.
check_PROGRAMS += wsfj-waits wsfj-load
wsfj_waits_LDADD = libwsfjcore.la -lm
wsfj_waits_SOURCES = \
    bench/harness/sample.c bench/harness/sample.h \
    bench/waits/echo.c \
    bench/waits/idle.c \
    bench/waits/main.c \
    bench/waits/many.c \
    bench/waits/timers.c \
    bench/waits/waits.h
wsfj_load_LDADD = -lm
wsfj_load_SOURCES = bench/harness/sample.c bench/harness/sample.h bench/waits/load.c

# OLD: another wsfj-waits, to compare with.
.PHONY: bench-waits
bench-waits: wsfj-waits$(EXEEXT) wsfj-load$(EXEEXT) wsfj-micro$(EXEEXT)
	@$(SHELL) $(srcdir)/bench/waits/run $(if $(OLD),--old $(OLD)) $(BENCH_ARGS)

EXTRA_DIST += bench/waits/README.md bench/waits/run bench/waits/waits.go
