# SPDX-License-Identifier: MIT
# wsfj-race finds determinacy races: a library that stands behind instrumented code, and a command that compiles with it.
if RACE
noinst_LTLIBRARIES += libracecore.la
lib_LTLIBRARIES += libwsfj-race.la
bin_PROGRAMS += wsfj-race
pkgconfig_DATA += libwsfj-race.pc
endif
# The objects, also for a test that looks inside.
libracecore_la_CPPFLAGS = -DWSFJ_RACE_LIBRARY -iquote $(srcdir)/tools/race -iquote $(srcdir)/lib -I$(srcdir)/include
# Two words side by side go into a vector register no faster than into two others.
libracecore_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -ftls-model=initial-exec -fno-builtin-malloc \
    -fno-tree-slp-vectorize
libwsfj_race_la_SOURCES =
libwsfj_race_la_LIBADD = libracecore.la
libwsfj_race_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info 0:0:0
libracecore_la_SOURCES = \
    tools/race/access.c \
    tools/race/all_sets.c \
    tools/race/alloc.c \
    tools/race/atomics.c \
    tools/race/contexts.c \
    tools/race/deadlock.c \
    tools/race/detector.h \
    tools/race/fibers.c tools/race/fibers.h \
    tools/race/groups.c \
    tools/race/intervals.c \
    tools/race/json.c \
    tools/race/libc.h \
    tools/race/libc_io.c \
    tools/race/libc_locks.c \
    tools/race/libc_memory.c \
    tools/race/libc_print.c \
    tools/race/libc_string.c \
    tools/race/libc_waits.c \
    tools/race/locks.c \
    tools/race/marks.c \
    tools/race/objects.c \
    tools/race/order.c \
    tools/race/regions.c \
    tools/race/report.c tools/race/report.h \
    tools/race/schedule.c tools/race/schedule.h \
    tools/race/seed.c \
    tools/race/shadow.c tools/race/shadow.h \
    tools/race/slots.c \
    tools/race/stacks.c \
    tools/race/start.c \
    tools/race/strands.c \
    tools/race/suppress.c \
    tools/race/symbols.c \
    tools/race/text.c \
    tools/race/views.c \
    tools/race/waits.c \
    tools/race/words.c
# The runtime's output, and its switch for fibers.c.
libracecore_la_SOURCES += lib/base/output.c
libracecore_la_SOURCES += lib/arch/asan.c lib/arch/context.c
if SWITCH_GENERIC
libracecore_la_SOURCES += lib/arch/generic/switch.c
else
libracecore_la_SOURCES += lib/arch/x86_64/context.c lib/arch/x86_64/switch.S
endif
wsfj_race_CPPFLAGS = -iquote $(srcdir)/tools/race -DRACE_VERSION='"$(PACKAGE_VERSION)"' \
    -DRACE_INCLUDEDIR='"$(includedir)"' -DRACE_LIBDIR='"$(libdir)"'
wsfj_race_LDADD =
wsfj_race_SOURCES = \
    tools/race/command.c tools/race/command.h \
    tools/race/compile.c \
    tools/race/replay.c \
    tools/race/outcome.c tools/race/outcome.h \
    tools/race/schedules.c \
    tools/race/wrapped.def
EXTRA_DIST += tools/race/README.md
