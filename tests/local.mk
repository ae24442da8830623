# SPDX-License-Identifier: MIT
# The tests. A test tests/unit/pool.c is one line under the heading of its folder: unit_tests += tests/unit/pool
# Every program and script prints the line of totals that Check prints; it goes to a .log beside the program.

# One module each; they link libwsfjcore and so reach the functions libwsfj.so hides.
unit_tests =
unit_tests += tests/unit/affinity
unit_tests += tests/unit/area
unit_tests += tests/unit/census
unit_tests += tests/unit/closing
unit_tests += tests/unit/chain
unit_tests += tests/unit/context
unit_tests += tests/unit/deque_lock
unit_tests += tests/unit/deque_owner
unit_tests += tests/unit/deque_thief
unit_tests += tests/unit/doors
unit_tests += tests/unit/fence
unit_tests += tests/unit/forked
unit_tests += tests/unit/fpenv
unit_tests += tests/unit/frames
unit_tests += tests/unit/global
unit_tests += tests/unit/group
unit_tests += tests/unit/layout
unit_tests += tests/unit/lineage
unit_tests += tests/unit/mishap
unit_tests += tests/unit/omp
unit_tests += tests/unit/output
unit_tests += tests/unit/output_write
unit_tests += tests/unit/parsers
unit_tests += tests/unit/places
unit_tests += tests/unit/pool
unit_tests += tests/unit/preempt
unit_tests += tests/unit/profile_strand
unit_tests += tests/unit/quota
unit_tests += tests/unit/ring
unit_tests += tests/unit/settings
unit_tests += tests/unit/stack
unit_tests += tests/unit/stall
unit_tests += tests/unit/supply
unit_tests += tests/unit/suspended
unit_tests += tests/unit/topology
unit_tests += tests/unit/topology_sys
tests_unit_topology_sys_SOURCES = tests/unit/topology_sys.c lib/topology_sys.c # also where the library has hwloc
unit_tests += tests/unit/trace
unit_tests += tests/unit/trace_file
unit_tests += tests/unit/victim
unit_tests += tests/unit/sleeper

tests_unit_forked_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
tests_unit_preempt_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
tests_unit_closing_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_dispatch_busy,--wrap=wsfj_supply_follow

if HWLOC
tests_unit_layout_SOURCES = tests/unit/layout.c tests/unit/machines.c
tests_unit_topology_SOURCES = tests/unit/topology.c tests/unit/machines.c
else
tests_unit_layout_SOURCES = tests/unit/without_hwloc.c
tests_unit_topology_SOURCES = tests/unit/without_hwloc.c
endif

# Random programs, for several of the next ones.
program = tests/program/kinds.h tests/program/log.h \
    tests/program/compare.c tests/program/compare.h \
    tests/program/place.c tests/program/place.h \
    tests/program/tasks.c tests/program/tasks.h \
    tests/program/tree.c tests/program/tree.h \
    tests/program/ways.c tests/program/ways.h

# The whole runtime under load, through the public interface.
stress_tests =
stress_tests += tests/stress/area
stress_tests += tests/stress/bounds
stress_tests += tests/stress/exposure
stress_tests += tests/stress/faults
tests_stress_faults_LDADD = $(LDADD) $(DLOPEN_LIBS)
stress_tests += tests/stress/foreign
stress_tests += tests/stress/join
stress_tests += tests/stress/last_item
stress_tests += tests/stress/lifecycle
stress_tests += tests/stress/limits
stress_tests += tests/stress/mishaps
tests_stress_mishaps_SOURCES = tests/stress/mishaps.c \
    tests/stress/day.c tests/stress/day.h \
    tests/stress/ledger.c tests/stress/ledger.h \
    $(program)
tests_stress_mishaps_LDADD = libwsfjcore.la $(TEST_LIBS)
tests_stress_mishaps_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
    -Wl,--wrap=free,--wrap=mmap,--wrap=munmap,--wrap=pthread_create,--wrap=pthread_join
stress_tests += tests/stress/overflow
stress_tests += tests/stress/random
tests_stress_random_SOURCES = tests/stress/random.c $(program)
stress_tests += tests/stress/reuse
stress_tests += tests/stress/shortage
stress_tests += tests/stress/submit
stress_tests += tests/stress/search
tests_stress_search_LDADD = libwsfjcore.la $(TEST_LIBS) # it counts searchers
stress_tests += tests/soak/soak
tests_soak_soak_SOURCES = tests/soak/soak.c $(soak) $(program)
stress_tests += tests/soak/storms
tests_soak_storms_SOURCES = tests/soak/storms.c tests/soak/weather.c tests/soak/weather.h $(soak) $(program)
tests_soak_storms_LDADD = libwsfjcore.la $(TEST_LIBS) # it shortens the period of supply.h
soak = tests/soak/batch.c tests/soak/batch.h \
    tests/soak/guard.c tests/soak/guard.h tests/soak/page.h \
    tests/soak/setup.c tests/soak/setup.h
stress_tests += tests/stress/supply
tests_stress_supply_LDADD = libwsfjcore.la $(TEST_LIBS)

# User programs and the properties they rely on.
prog_tests =
prog_tests += tests/prog/blocks
prog_tests += tests/prog/copies
tests_prog_copies_LDADD = $(LDADD) $(DLOPEN_LIBS)
prog_tests += tests/prog/dump
tests_prog_dump_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer # so that whole chains can be expected
prog_tests += tests/prog/dump_signal
prog_tests += tests/prog/early
tests_prog_early_LDADD = libwsfjcore.la $(TEST_LIBS) # inside the program, as libwsfj.a is
prog_tests += tests/prog/elision
tests_prog_elision_SOURCES = tests/prog/elision.c $(program)
tests_prog_elision_CPPFLAGS = $(AM_CPPFLAGS) -DWSFJ_SERIAL
prog_tests += tests/prog/files
prog_tests += tests/prog/fork
prog_tests += tests/prog/frames
prog_tests += tests/prog/blocking
prog_tests += tests/prog/brackets
prog_tests += tests/prog/bracket_crowd
prog_tests += tests/prog/bracket_limits
prog_tests += tests/prog/idle
prog_tests += tests/prog/pins
prog_tests += tests/prog/phases
prog_tests += tests/prog/poll
prog_tests += tests/prog/kernels
tests_prog_kernels_LDADD = libkernels_parallel.a libkernels_serial.a $(LDADD) -lm
prog_tests += tests/prog/lifecycle
prog_tests += tests/prog/lineage
tests_prog_lineage_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer
tests_prog_lineage_LDADD = $(LDADD) $(DLOPEN_LIBS)
prog_tests += tests/prog/locals
prog_tests += tests/prog/outputs
prog_tests += tests/prog/placement
prog_tests += tests/prog/profile
prog_tests += tests/prog/profile_detached
prog_tests += tests/prog/profile_clock
prog_tests += tests/prog/profile_wait
prog_tests += tests/prog/profile_kernels
tests_prog_profile_kernels_LDADD = libkernels_profiled.a libkernels_serial.a libkernels_counted.a $(LDADD) -lm
prog_tests += tests/prog/profile_mixed
tests_prog_profile_mixed_SOURCES = tests/prog/profile_mixed.c tests/prog/profile_other.c tests/prog/profile_other.h
prog_tests += tests/prog/queries
prog_tests += tests/prog/quota
prog_tests += tests/prog/resident
prog_tests += tests/prog/roots
prog_tests += tests/prog/setuid
tests_prog_setuid_LDADD = libwsfjcore.la $(TEST_LIBS)
prog_tests += tests/prog/signals
prog_tests += tests/prog/structures
prog_tests += tests/prog/threads
prog_tests += tests/prog/trace
prog_tests += tests/prog/turns
prog_tests += tests/prog/unload
tests_prog_unload_LDADD = $(TEST_LIBS) $(DLOPEN_LIBS)
prog_tests += tests/prog/supply
prog_tests += tests/prog/values
prog_tests += tests/prog/vectors
prog_tests += tests/prog/watch
prog_tests += tests/prog/watchdog
prog_tests += tests/prog/wide
prog_tests += tests/prog/yields
tests_prog_files_SOURCES = tests/prog/files.c tests/prog/files_other.c

# What is loaded at run time: by prog/unload and prog/copies one file, with the shared library and with a copy inside; by
# prog/setuid, which must not, something else.
test_modules =
test_modules += tests/plugin/shared.la
tests_plugin_shared_la_SOURCES = tests/plugin/plugin.c tests/plugin/plugin.h
tests_plugin_shared_la_LIBADD = libwsfj.la
tests_plugin_shared_la_LDFLAGS = $(MODULE_LDFLAGS) -Wl,-rpath,$(abs_top_builddir)/.libs
test_modules += tests/plugin/own.la
tests_plugin_own_la_SOURCES = tests/plugin/plugin.c tests/plugin/plugin.h
tests_plugin_own_la_LIBADD = libwsfjcore.la
tests_plugin_own_la_LDFLAGS = $(MODULE_LDFLAGS)
test_modules += tests/plugin/lure.la
tests_plugin_lure_la_SOURCES = tests/plugin/lure.c tests/plugin/lure.h
tests_plugin_lure_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
MODULE_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere -export-symbols-regex '^plugin$$'
DLOPEN_LIBS = -ldl
noinst_HEADERS += tests/plugin/bottomless.h tests/plugin/load.h

# Scripts that look at the built files or compile something.
build_tests =
build_tests += tests/build/address-sanitizer.sh
build_tests += tests/build/branches.sh
build_tests += tests/build/checkless.sh
build_tests += tests/build/doors.sh
build_tests += tests/build/gdb.sh
build_tests += tests/build/headers.sh
build_tests += tests/build/info.sh
build_tests += tests/build/lab.sh
build_tests += tests/build/labels.sh
build_tests += tests/build/misuse.sh
build_tests += tests/build/mistakes.sh
build_tests += tests/build/openmp.sh
build_tests += tests/build/perf.sh
build_tests += tests/build/profile.sh
build_tests += tests/build/refused.sh
build_tests += tests/build/static.sh
build_tests += tests/build/symbols.sh
build_tests += tests/build/tbb.sh
build_tests += tests/build/thread-sanitizer.sh
build_tests += tests/build/trace.sh
EXTRA_DIST += tests/build/trace.proto
build_tests += tests/build/view.sh
build_tests += tests/build/view-check.sh
build_tests += tests/build/view-page.sh

# Models of the protocols: make check has Spin search a few, make check-models all.
model_tests = tests/models/check.sh
EXTRA_DIST += $(model_tests) tests/models/runs tests/models/exceptions tests/models/steps
EXTRA_DIST += tests/models/where.awk
EXTRA_DIST += tests/models/memory.pml tests/models/block.pml tests/models/deque.pml tests/models/group.pml
EXTRA_DIST += tests/models/join.pml tests/models/pin.pml tests/models/pin_two.pml tests/models/preempt.pml
EXTRA_DIST += tests/models/suspended.pml tests/models/suspended_steps.pml tests/models/transit.pml
EXTRA_DIST += tests/models/park.pml tests/models/park_steps.pml tests/models/ring.pml tests/models/ring_steps.pml
check-models:
	@MODELS=all srcdir=$(srcdir) $(SHELL) $(srcdir)/tests/models/check.sh
.PHONY: check-models

include tests/fuzz/local.mk

TESTS = $(unit_tests) $(fuzz_tests) $(stress_tests) $(prog_tests) $(build_tests) $(model_tests)
# The Check library, or what stands for it.
if CHECKLESS
check_LIBRARIES += libcheckless.a
libcheckless_a_SOURCES = tests/checkless/check.c tests/checkless/child.c tests/checkless/child.h
TEST_CPPFLAGS = -I$(srcdir)/tests/checkless
TEST_LIBS = libcheckless.a -lm $(TEST_ATOMIC_LIBS)
else
TEST_CPPFLAGS = $(CHECK_CFLAGS)
TEST_LIBS = $(CHECK_LIBS) $(TEST_ATOMIC_LIBS)
endif
EXTRA_DIST += tests/checkless
if !HWLOC
TEST_CPPFLAGS += -DWITHOUT_HWLOC
endif

LDADD = $(TESTED_LIBRARY) $(TEST_LIBS)
TESTED_LIBRARY = libwsfj.la
tests/unit/%$(EXEEXT): TESTED_LIBRARY = libwsfjcore.la
AM_TESTS_ENVIRONMENT = CC='$(CC)'; CFLAGS='$(CFLAGS)'; CXX='$(CXX)'; NM='$(NM)'; SANITIZER_FLAGS='$(SANITIZER_FLAGS)'; \
    with_hwloc=$(with_hwloc); with_jansson=$(with_jansson); TEST_EMULATOR='$(TEST_EMULATOR)'; \
    export CC CFLAGS CXX NM SANITIZER_FLAGS with_hwloc with_jansson TEST_EMULATOR; \
    LIBRARY_SOURCES='$(libwsfjcore_la_SOURCES)'; LIBRARY_CPPFLAGS='$(DEFS) $(FEATURE_CPPFLAGS) $(HWLOC_CFLAGS)'; \
    LIBRARY_LIBS='$(HWLOC_LIBS) $(LIBS)'; export LIBRARY_SOURCES LIBRARY_CPPFLAGS LIBRARY_LIBS; \
    STATIC_PROGRAMS='$(wsfj_static)'; STATIC_LIBS='$(STATIC_LIBS)'; export STATIC_PROGRAMS STATIC_LIBS;
# Programs may be of another machine; libtool knows what is behind its wrappers. Scripts are of this one.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)
LOG_COMPILER = $(if $(TEST_EMULATOR),$(SHELL) ./libtool --silent --mode=execute $(TEST_EMULATOR))
tests/%.$(OBJEXT): AM_CPPFLAGS += $(TEST_CPPFLAGS)
EXTRA_DIST += $(build_tests) tests/totals tests/build/installcheck tests/build/user.c tests/debugger/family.c
EXTRA_DIST += tests/build/checks tests/build/checkless.c tests/build/forms.c tests/build/profile.c tests/build/traces
EXTRA_DIST += tests/build/sanitized tests/checkers/ordered.c tests/checkers/races.c tests/checkers/returned.c
noinst_HEADERS += tests/checkers/elsewhere.h
EXTRA_DIST += tests/build/neighbour tests/neighbours/openmp.c tests/neighbours/tbb.cc
noinst_HEADERS += tests/fib.h tests/fib_task.h tests/folder.h tests/heard.h tests/process.h tests/resources.h tests/run.h
noinst_HEADERS += tests/runtime.h tests/sanitizer.h tests/stress/stress.h
noinst_HEADERS += tests/prog/asked.h tests/prog/brackets.h tests/prog/cgroups.h tests/prog/children.h tests/prog/files.h tests/prog/lure.h
noinst_HEADERS += tests/prog/profile.h tests/prog/watched.h tests/prog/workers.h
noinst_HEADERS += tests/unit/environment.h tests/unit/fakeroot.h tests/unit/machines.h tests/unit/one_deque.h

if HAVE_CHECK
check_PROGRAMS += $(unit_tests) $(fuzz_tests) $(stress_tests) $(prog_tests)
check_LTLIBRARIES += $(test_modules)
require_check = :
else
require_check = { echo 'make check needs the Check library (Debian: check), or configure --without-check' >&2; exit 1; }
endif

# Instead of Automake's own check-TESTS, which stops where a test fails: the totals come last in any case.
check-TESTS: $(check_PROGRAMS) $(check_LTLIBRARIES)
	@$(require_check); rm -f $(TEST_SUITE_LOG) $(TEST_LOGS) $(TEST_LOGS:.log=.trs); status=0; \
	$(MAKE) $(AM_MAKEFLAGS) $(TEST_SUITE_LOG) || status=1; \
	$(SHELL) $(srcdir)/tests/totals $(TEST_LOGS) || status=1; \
	exit $$status

include tests/coverage/local.mk
include tests/mutation/local.mk

# The whole suite for each seed, with --enable-chaos: with delays only, then also with failures that must change nothing
# but time, whatever a test asserts. All other failures: stress/mishaps, which is part of the suite.
CHAOS_SEEDS = 1 2 3
CHAOS_FAIL = madvise:%20,futex:%20,barrier:%20
if CHAOS
check-chaos:
	@for seed in $(CHAOS_SEEDS); do for fail in '' '$(CHAOS_FAIL)'; do \
	echo "WSFJ_CHAOS_SEED=$$seed WSFJ_CHAOS_FAIL=$$fail"; \
	WSFJ_CHAOS_SEED=$$seed WSFJ_CHAOS_FAIL=$$fail $(MAKE) $(AM_MAKEFLAGS) check || exit; done; done
else
check-chaos:
	@echo 'make check-chaos needs configure --enable-chaos' >&2; exit 1
endif
.PHONY: check-chaos

# Random programs for so many minutes, on the library as it is configured: doc/testing.md.
MINUTES = 1
soak: tests/soak/soak$(EXEEXT)
	tests/soak/soak $(MINUTES)
# The storms of make check, so many times as long.
STORMS = 20
storms: tests/soak/storms$(EXEEXT)
	WSFJ_TEST_TIMES=$(STORMS) tests/soak/storms
.PHONY: soak storms

# Compilers, optimisation and checkers, each combination in a build of its own in matrix/ (doc/testing.md).
check-matrix:
	@CELLS='$(CELLS)' JOBS='$(JOBS)' KEEP='$(KEEP)' MAKE='$(MAKE)' SHELL='$(SHELL)' $(SHELL) $(srcdir)/tests/matrix/matrix
.PHONY: check-matrix
EXTRA_DIST += tests/matrix/cell tests/matrix/matrix

# Other processors and another C library (doc/porting.md), from a copy: this directory may be configured.
CROSS_TARGETS = aarch64 aarch64-bti riscv64 musl
check-cross:
	@$(MKDIR_P) cross && $(MAKE) $(AM_MAKEFLAGS) -s distdir distdir=cross/src
	@MAKE='$(MAKE)' $(SHELL) $(srcdir)/tests/cross/run cross/src $(CROSS_TARGETS)
.PHONY: check-cross
EXTRA_DIST += tests/cross/run tests/cross/sysroot

# A user's program in C and in C++ against the installed library.
installcheck-local:
	CC='$(CC)' CXX='$(CXX)' SANITIZER_FLAGS='$(SANITIZER_FLAGS)' PKG_CONFIG='$(PKG_CONFIG)' \
	    libdir='$(libdir)' datadir='$(datadir)' \
	    $(SHELL) $(srcdir)/tests/build/installcheck $(srcdir)/tests/build/user.c
