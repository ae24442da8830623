# SPDX-License-Identifier: MIT
# The library: what is installed of it, and libwsfjcore, the same objects without a map, for those who look inside.
include_HEADERS = include/wsfj.h
wsfjincludedir = $(includedir)/wsfj
wsfjinclude_HEADERS = \
    include/wsfj/abi.h \
    include/wsfj/args.h \
    include/wsfj/fastpath.h \
    include/wsfj/line.h \
    include/wsfj/serial.h \
    include/wsfj/blocking.h \
    include/wsfj/pin.h \
    include/wsfj/profile.h \
    include/wsfj/renamed.h \
    include/wsfj/strands.h \
    include/wsfj/submit.h \
    include/wsfj/spawn.h \
    include/wsfj/task.h \
    include/wsfj/trace.h
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = libwsfj.pc

lib_LTLIBRARIES += libwsfj.la
libwsfj_la_SOURCES =
libwsfj_la_LIBADD = libwsfjcore.la
libwsfj_la_LDFLAGS = -version-info 0:0:0 $(AM_LDFLAGS) $(LIBRARY_LDFLAGS)
EXTRA_DIST += lib/libwsfj.map lib/README.md
if HAVE_VERSION_SCRIPT
libwsfj_la_LDFLAGS += -Wl,--version-script=$(srcdir)/lib/libwsfj.map
EXTRA_libwsfj_la_DEPENDENCIES = $(srcdir)/lib/libwsfj.map
endif

noinst_LTLIBRARIES += libwsfjcore.la
libwsfjcore_la_CFLAGS = $(AM_CFLAGS) $(LIBRARY_CFLAGS)
libwsfjcore_la_LIBADD = $(HWLOC_LIBS)
libwsfjcore_la_SOURCES = \
    lib/affinity.c lib/affinity.h \
    lib/arch.h lib/arch/fpenv.c \
    lib/atomic.h \
    lib/attend.c \
    lib/base.h \
    lib/blocking.c lib/blocking.h \
    lib/call.c lib/call.h \
    lib/census.c lib/census.h \
    lib/chain.c lib/chain.h \
    lib/chaos.h \
    lib/context.c lib/context.h \
    lib/crash.c lib/crash.h \
    lib/debug.c lib/debug.h \
    lib/debugger.c lib/debugger.h \
    lib/deque.c lib/deque.h \
    lib/dispatch.c lib/dispatch.h \
    lib/dump.c lib/dump.h \
    lib/error.c \
    lib/event.h \
    lib/fault.c lib/fault.h \
    lib/fence.c lib/fence.h \
    lib/frames.c lib/frames.h \
    lib/futex.h \
    lib/gate.c lib/gate.h \
    lib/glance.c lib/glance.h \
    lib/global.c lib/global.h \
    lib/group.c lib/group.h \
    lib/guest.c lib/guest.h \
    lib/home.c lib/home.h \
    lib/inject.c lib/inject.h \
    lib/join.c lib/join.h \
    lib/layout.c lib/layout.h \
    lib/lineage.c lib/lineage.h \
    lib/look.c lib/look.h \
    lib/orphan.c lib/orphan.h \
    lib/output.c lib/output.h \
    lib/outside.c lib/outside.h \
    lib/park.c lib/park.h \
    lib/mishap.h \
    lib/parse.c lib/parse.h \
    lib/phase.c lib/phase.h \
    lib/pin.c lib/pin.h \
    lib/places.c lib/places.h \
    lib/poll.c lib/poll.h \
    lib/pool.c lib/pool.h \
    lib/profile.c lib/profile.h \
    lib/profile_account.c \
    lib/profile_burden.c \
    lib/profile_clock.c \
    lib/profile_detached.c \
    lib/profile_group.c \
    lib/profile_html.c \
    lib/profile_out.c \
    lib/profile_report.c \
    lib/profile_site.c \
    lib/profile_strand.c \
    lib/preempt.c lib/preempt.h \
    lib/procfile.c lib/procfile.h \
    lib/question.c lib/question.h \
    lib/quota.c lib/quota.h \
    lib/registers.h lib/arch/registers.c \
    lib/region.h \
    lib/ring.c lib/ring.h \
    lib/report.c lib/report.h \
    lib/retire.c lib/retire.h \
    lib/runtime.c lib/runtime.h \
    lib/scan.c lib/scan.h \
    lib/schedtrace.c lib/schedtrace.h \
    lib/secure.c lib/secure.h \
    lib/settings.c lib/settings.h \
    lib/sheet.c lib/sheet.h \
    lib/signame.c lib/signame.h \
    lib/sleeper.c lib/sleeper.h \
    lib/spare.c lib/spare.h \
    lib/spin.h \
    lib/stack.c lib/stack.h \
    lib/stall.c lib/stall.h \
    lib/start.c lib/start.h \
    lib/stats.c lib/stats.h \
    lib/steal.c lib/steal.h \
    lib/strand.c lib/strand.h \
    lib/submit.c \
    lib/supply.c lib/supply.h \
    lib/suspended.c lib/suspended.h \
    lib/symbols.c lib/symbols.h \
    lib/team.c lib/team.h \
    lib/thread_stack.c lib/thread_stack.h \
    lib/ticks.c lib/ticks.h \
    lib/topology.c lib/topology.h lib/topology_list.h \
    lib/trace.c lib/trace.h lib/trace_ring.h \
    lib/trace_file.c lib/trace_file.h \
    lib/trace_json.c \
    lib/trace_names.c lib/trace_names.h \
    lib/trace_proto.c \
    lib/trace_walk.c lib/trace_walk.h \
    lib/utf8.h \
    lib/victim.c lib/victim.h \
    lib/watch.c lib/watch.h \
    lib/worker.c lib/worker.h

# Who knows the machine.
if HWLOC
libwsfjcore_la_SOURCES += lib/topology_hwloc.c
else
libwsfjcore_la_SOURCES += lib/topology_sys.c
endif

# What belongs to an architecture, and the stack switch that configure has chosen.
if CPU_X86_64
libwsfjcore_la_SOURCES += lib/arch/x86_64/doors.c lib/arch/x86_64/doors.h lib/arch/x86_64/thunk.S
endif
if SWITCH_X86_64
libwsfjcore_la_SOURCES += lib/arch/x86_64/context.c lib/arch/x86_64/switch.S
endif
if SWITCH_AARCH64
libwsfjcore_la_SOURCES += lib/arch/aarch64/context.c lib/arch/aarch64/switch.S
endif
if SWITCH_GENERIC
libwsfjcore_la_SOURCES += lib/arch/generic/switch.c
endif

# Bad luck on purpose.
if CHAOS
libwsfjcore_la_SOURCES += lib/chaos.c lib/mishap.c
endif
