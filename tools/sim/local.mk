# SPDX-License-Identifier: MIT
# wsfj-sim and libwsfj-sim.a: the library's own files with the prelude, and the engine that runs them in virtual time.

# The readers of graphs, also for tests, which need no simulator.
dag_sources = tools/sim/dag.c tools/sim/dag.h tools/sim/dag_order.c tools/sim/dag_sum.c
graph_sources = tools/sim/graph.c tools/sim/graph.h tools/sim/graph_cost.c tools/sim/graph_node.c tools/sim/graph_read.h \
    tools/sim/graph_sum.c tools/sim/line.c tools/sim/line.h

if SIMULATOR
bin_PROGRAMS += wsfj-sim
lib_LIBRARIES += libwsfj-sim.a
wsfjinclude_HEADERS += include/wsfj/sim.h

# The files of the library, all of them: what is simulated is what runs. With them, functions that may take the place of the
# library's: seam.h. Without LTO: the points are in the code of each file.
simulated_sources = $(libwsfjcore_la_SOURCES) \
    tools/sim/other_joins.c tools/sim/other_queues.c tools/sim/other_sleepers.c tools/sim/other_victims.c \
    tools/sim/others.h tools/sim/seam.h
noinst_LIBRARIES += libwsfjsim.a
libwsfjsim_a_SOURCES = $(simulated_sources)
libwsfjsim_a_CPPFLAGS = -I$(srcdir)/include -iquote $(srcdir)/lib -iquote $(srcdir)/tools/prelude $(FEATURE_CPPFLAGS) \
    $(HWLOC_CFLAGS) -DENGINE_VIRTUAL_TIME -DWSFJ_POLICY_VARIABLE -DWSFJ_NO_ASM -include $(srcdir)/tools/prelude/prelude.h \
    -include $(srcdir)/tools/sim/seam.h
libwsfjsim_a_CFLAGS = $(WARNING_CFLAGS) $(SANITIZER_FLAGS) $(LIBRARY_CFLAGS) -Wno-builtin-macro-redefined -fno-lto
libwsfjsim_a_CCASFLAGS = $(AM_CCASFLAGS)

SIMULATOR_CPPFLAGS = -I$(srcdir)/include -iquote $(srcdir)/lib -iquote $(srcdir)/tools/prelude \
    -iquote $(srcdir)/tools/sim $(HWLOC_CFLAGS) -DENGINE_VIRTUAL_TIME -DWSFJ_POLICY_VARIABLE -include config.h
SIMULATOR_CFLAGS = $(WARNING_CFLAGS) $(SANITIZER_FLAGS) -Wno-builtin-macro-redefined
simulator_sources = \
    tools/prelude/calls.h tools/prelude/prelude.h tools/prelude/virtual.h \
    tools/sim/api.c tools/sim/api.h \
    tools/sim/check.c tools/sim/check.h \
    tools/sim/command.c tools/sim/command.h \
    tools/sim/costs.c tools/sim/costs.h \
    tools/sim/cpu.c tools/sim/cpu.h \
    tools/sim/engine.c tools/sim/engine.h \
    tools/sim/event.c tools/sim/event.h \
    tools/sim/fail.c tools/sim/fail.h \
    tools/sim/give.c \
    tools/sim/heap.c tools/sim/heap.h \
    tools/sim/join.c tools/sim/join.h \
    tools/sim/kernel.c \
    tools/sim/lines.c \
    tools/sim/log.c tools/sim/log.h \
    tools/sim/machine.c tools/sim/machine.h \
    tools/sim/measures.c tools/sim/measures.h \
    tools/sim/number.c \
    tools/sim/options.c tools/sim/options.h \
    tools/sim/plot.c \
    tools/sim/policy.c tools/sim/policy.h \
    tools/sim/posix.c \
    tools/sim/report.c \
    tools/sim/runs.c \
    tools/sim/stats.c \
    tools/sim/stuck.c \
    tools/sim/sweep.c tools/sim/sweep.h \
    tools/sim/table.c \
    tools/sim/wait.c \
    tools/sim/watch.c tools/sim/watch.h \
    tools/sim/work.c tools/sim/work.h

# Costs of machines, for --costs.
simcostsdir = $(pkgdatadir)/machines
dist_simcosts_DATA = tools/sim/machines/two-socket.costs

libwsfj_sim_a_CPPFLAGS = $(SIMULATOR_CPPFLAGS)
libwsfj_sim_a_CFLAGS = $(SIMULATOR_CFLAGS)
libwsfj_sim_a_SOURCES = $(simulator_sources) tools/sim/user_main.c
libwsfj_sim_a_LIBADD = $(libwsfjsim_a_OBJECTS)
libwsfj_sim_a_DEPENDENCIES = $(libwsfjsim_a_OBJECTS)

# --calibrate: small programs, with the library (wsfj-calibrate), and for virtual time (libscenes.a).
scenes = tools/sim/scenes.c tools/sim/scenes.h \
    bench/harness/sample.c bench/harness/sample.h bench/micro/micro.h \
    bench/micro/row.c bench/micro/spawn.c bench/micro/steal.c bench/micro/suspend.c
pkglibexec_PROGRAMS = wsfj-calibrate
wsfj_calibrate_LDADD = libwsfjcore.la -lm
wsfj_calibrate_SOURCES = tools/sim/scenes_main.c $(scenes)
noinst_LIBRARIES += libscenes.a
libscenes_a_CPPFLAGS = $(AM_CPPFLAGS) -Dclock_gettime=engine_clock -include $(srcdir)/include/wsfj/sim.h
libscenes_a_CFLAGS = $(SIMULATOR_CFLAGS)
libscenes_a_SOURCES = $(scenes)

wsfj_sim_CPPFLAGS = $(SIMULATOR_CPPFLAGS) -DPKGLIBEXECDIR='"$(pkglibexecdir)"'
wsfj_sim_CFLAGS = $(SIMULATOR_CFLAGS)
wsfj_sim_LDADD = libscenes.a libwsfj-sim.a $(HWLOC_LIBS) -lm
wsfj_sim_SOURCES = \
    $(graph_sources) \
    tools/sim/calibrate.c tools/sim/calibrate.h \
    tools/sim/calibrate_kernel.c \
    tools/sim/calibrate_lines.c \
    tools/sim/calibrate_scenes.c \
    $(dag_sources) \
    tools/sim/graph_plan.c \
    tools/sim/lengths.h \
    tools/sim/main.c \
    tools/sim/work_dag.c \
    tools/sim/work_fib.c \
    tools/sim/work_graph.c tools/sim/work_graph.h \
    tools/sim/work_others.c \
    tools/sim/work_teaching.c \
    tools/sim/work_trees.c \
    tools/sim/workloads.c tools/sim/workloads.h
endif
