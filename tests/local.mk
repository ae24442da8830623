# SPDX-License-Identifier: MIT
# The tests. A test tests/unit/pool.c is one line under the heading of its folder: unit_tests += tests/unit/pool
# Every program and script prints the line of totals that Check prints; it goes to a .log beside the program.

# One module each; they link libwsfjcore and so reach the functions libwsfj.so hides.
unit_tests =
unit_tests += tests/unit/affinity
unit_tests += tests/unit/area
unit_tests += tests/unit/idle_counts
unit_tests += tests/unit/closing
unit_tests += tests/unit/sigchain
unit_tests += tests/unit/context
unit_tests += tests/unit/deque_lock
unit_tests += tests/unit/deque_owner
unit_tests += tests/unit/deque_thief
unit_tests += tests/unit/slow_path
unit_tests += tests/unit/fence
unit_tests += tests/unit/forked
unit_tests += tests/unit/fpenv
unit_tests += tests/unit/frames
unit_tests += tests/unit/global_queue
unit_tests += tests/unit/group
unit_tests += tests/unit/placement
unit_tests += tests/unit/unwind_link
unit_tests += tests/unit/failpoint
unit_tests += tests/unit/omp
unit_tests += tests/unit/output
unit_tests += tests/unit/output_write
unit_tests += tests/unit/parsers
unit_tests += tests/unit/places
unit_tests += tests/unit/pool
unit_tests += tests/unit/preempt
unit_tests += tests/unit/profile_strand
unit_tests += tests/unit/cgroup
unit_tests += tests/unit/run_queue
unit_tests += tests/unit/settings
unit_tests += tests/unit/stack
unit_tests += tests/unit/watchdog
unit_tests += tests/unit/cpu_limit
unit_tests += tests/unit/suspended
unit_tests += tests/unit/topology
unit_tests += tests/unit/topology_sys
tests_unit_topology_sys_SOURCES = tests/unit/topology_sys.c lib/machine/topology_sys.c # also where the library has hwloc
unit_tests += tests/unit/trace
unit_tests += tests/unit/trace_file
unit_tests += tests/unit/victim
unit_tests += tests/unit/wake_choice

tests_unit_forked_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
tests_unit_preempt_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
tests_unit_closing_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_dispatch_busy,--wrap=wsfj_cpu_limit_follow

if HWLOC
tests_unit_placement_SOURCES = tests/unit/placement.c tests/unit/machines.c
tests_unit_topology_SOURCES = tests/unit/topology.c tests/unit/machines.c
else
tests_unit_placement_SOURCES = tests/unit/without_hwloc.c
tests_unit_topology_SOURCES = tests/unit/without_hwloc.c
endif

# Random programs, for several of the next ones.
program = tests/random/kinds.h tests/random/log.h \
    tests/random/compare.c tests/random/compare.h \
    tests/random/place.c tests/random/place.h \
    tests/random/tasks.c tests/random/tasks.h \
    tests/random/tree.c tests/random/tree.h \
    tests/random/ways.c tests/random/ways.h

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
stress_tests += tests/stress/failpoints
tests_stress_failpoints_SOURCES = tests/stress/failpoints.c \
    tests/stress/day.c tests/stress/day.h \
    tests/stress/ledger.c tests/stress/ledger.h \
    $(program)
tests_stress_failpoints_LDADD = libwsfjcore.la $(TEST_LIBS)
tests_stress_failpoints_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
    -Wl,--wrap=free,--wrap=mmap,--wrap=munmap,--wrap=pthread_create,--wrap=pthread_join
stress_tests += tests/stress/overflow
stress_tests += tests/stress/random
tests_stress_random_SOURCES = tests/stress/random.c $(program)
stress_tests += tests/stress/reuse
stress_tests += tests/stress/shortage
stress_tests += tests/stress/submit
stress_tests += tests/stress/search
tests_stress_search_LDADD = libwsfjcore.la $(TEST_LIBS) # it counts searchers
stress_tests += tests/campaigns/soak/soak
tests_campaigns_soak_soak_SOURCES = tests/campaigns/soak/soak.c $(soak) $(program)
stress_tests += tests/campaigns/soak/storms
tests_campaigns_soak_storms_SOURCES = tests/campaigns/soak/storms.c tests/campaigns/soak/weather.c tests/campaigns/soak/weather.h $(soak) $(program)
tests_campaigns_soak_storms_LDADD = libwsfjcore.la $(TEST_LIBS) # it shortens the period of supply.h
soak = tests/campaigns/soak/batch.c tests/campaigns/soak/batch.h \
    tests/campaigns/soak/guard.c tests/campaigns/soak/guard.h tests/campaigns/soak/page.h \
    tests/campaigns/soak/setup.c tests/campaigns/soak/setup.h
stress_tests += tests/stress/cpu_limit
tests_stress_cpu_limit_LDADD = libwsfjcore.la $(TEST_LIBS)

# User programs and the properties they rely on.
prog_tests =
prog_tests += tests/user/blocks
prog_tests += tests/user/copies
tests_user_copies_LDADD = $(LDADD) $(DLOPEN_LIBS)
prog_tests += tests/user/dump
tests_user_dump_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer # so that whole chains can be expected
prog_tests += tests/user/dump_signal
prog_tests += tests/user/early
tests_user_early_LDADD = libwsfjcore.la $(TEST_LIBS) # inside the program, as libwsfj.a is
prog_tests += tests/user/elision
tests_user_elision_SOURCES = tests/user/elision.c $(program)
tests_user_elision_CPPFLAGS = $(AM_CPPFLAGS) -DWSFJ_SERIAL
prog_tests += tests/user/files
prog_tests += tests/user/fork
prog_tests += tests/user/frames
prog_tests += tests/user/blocking
prog_tests += tests/user/blocking_sections
prog_tests += tests/user/blocking_crowd
prog_tests += tests/user/blocking_limits
prog_tests += tests/user/idle
prog_tests += tests/user/pins
prog_tests += tests/user/phases
prog_tests += tests/user/poll
prog_tests += tests/user/kernels
tests_user_kernels_LDADD = libkernels_parallel.a libkernels_serial.a $(LDADD) -lm
prog_tests += tests/user/lifecycle
prog_tests += tests/user/unwind
tests_user_unwind_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer
tests_user_unwind_LDADD = $(LDADD) $(DLOPEN_LIBS)
prog_tests += tests/user/locals
prog_tests += tests/user/outputs
prog_tests += tests/user/placement
prog_tests += tests/user/profile
prog_tests += tests/user/profile_detached
prog_tests += tests/user/profile_clock
prog_tests += tests/user/profile_wait
prog_tests += tests/user/profile_kernels
tests_user_profile_kernels_LDADD = libkernels_profiled.a libkernels_serial.a libkernels_counted.a $(LDADD) -lm
prog_tests += tests/user/profile_mixed
tests_user_profile_mixed_SOURCES = tests/user/profile_mixed.c tests/user/profile_other.c tests/user/profile_other.h
prog_tests += tests/user/queries
prog_tests += tests/user/cgroup
prog_tests += tests/user/resident
prog_tests += tests/user/roots
prog_tests += tests/user/setuid
tests_user_setuid_LDADD = libwsfjcore.la $(TEST_LIBS)
prog_tests += tests/user/signals
prog_tests += tests/user/structures
prog_tests += tests/user/threads
prog_tests += tests/user/trace
prog_tests += tests/user/preemption
prog_tests += tests/user/unload
tests_user_unload_LDADD = $(TEST_LIBS) $(DLOPEN_LIBS)
prog_tests += tests/user/cpu_limit
prog_tests += tests/user/values
prog_tests += tests/user/vectors
prog_tests += tests/user/monitor
prog_tests += tests/user/watchdog
prog_tests += tests/user/wide
prog_tests += tests/user/yields
tests_user_files_SOURCES = tests/user/files.c tests/user/files_other.c

# What is loaded at run time: by user/unload and user/copies one file, with the shared library and with a copy inside; by
# user/setuid, which must not, something else.
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
build_tests += tests/build/minicheck.sh
build_tests += tests/build/slow_path.sh
build_tests += tests/build/gdb.sh
build_tests += tests/build/headers.sh
build_tests += tests/build/errors.sh
build_tests += tests/build/info.sh
build_tests += tests/build/lab.sh
build_tests += tests/build/labels.sh
build_tests += tests/build/layers.sh
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
EXTRA_DIST += tests/models/park.pml tests/models/park_steps.pml tests/models/run_queue.pml tests/models/run_queue_steps.pml
check-models:
	@MODELS=all srcdir=$(srcdir) $(SHELL) $(srcdir)/tests/models/check.sh
.PHONY: check-models

include tests/campaigns/fuzz/local.mk

TESTS = $(unit_tests) $(fuzz_tests) $(stress_tests) $(prog_tests) $(build_tests) $(model_tests)
# The Check library, or what stands for it.
if CHECKLESS
check_LIBRARIES += libcheckless.a
libcheckless_a_SOURCES = tests/minicheck/check.c tests/minicheck/child.c tests/minicheck/child.h
TEST_CPPFLAGS = -I$(srcdir)/tests/minicheck
TEST_LIBS = libcheckless.a -lm $(TEST_ATOMIC_LIBS)
else
TEST_CPPFLAGS = $(CHECK_CFLAGS)
TEST_LIBS = $(CHECK_LIBS) $(TEST_ATOMIC_LIBS)
endif
EXTRA_DIST += tests/minicheck
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
EXTRA_DIST += $(build_tests) tests/support/totals tests/build/installcheck tests/build/user.c tests/debugger/family.c
EXTRA_DIST += tests/build/checks tests/build/minicheck.c tests/build/forms.c tests/build/profile.c tests/build/traces
EXTRA_DIST += tests/build/sanitized tests/sanitizers/ordered.c tests/sanitizers/races.c tests/sanitizers/returned.c
noinst_HEADERS += tests/sanitizers/elsewhere.h
EXTRA_DIST += tests/build/interop tests/interop/openmp.c tests/interop/tbb.cc
noinst_HEADERS += tests/support/fib.h tests/support/fib_task.h tests/support/folder.h tests/support/heard.h tests/support/process.h tests/support/resources.h tests/support/run.h
noinst_HEADERS += tests/support/runtime.h tests/support/sanitizer.h tests/stress/stress.h
noinst_HEADERS += tests/user/dumps.h tests/user/blocking_sections.h tests/user/cgroups.h tests/user/children.h tests/user/files.h tests/user/steals.h
noinst_HEADERS += tests/user/profile.h tests/user/monitored.h tests/user/workers.h
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
	$(SHELL) $(srcdir)/tests/support/totals $(TEST_LOGS) || status=1; \
	exit $$status

# A look while you work: the modules one by one, the explorer's deque and join, what a text search can tell.
quick_programs = $(unit_tests) tests/explore/deque tests/explore/join
quick_scripts = tests/build/labels.sh tests/build/layers.sh
check-quick: $(quick_programs)
	@$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(quick_programs) $(quick_scripts)' check_PROGRAMS= check_LTLIBRARIES=
.PHONY: check-quick

# What each folder is for, how to run it, what it costs.
EXTRA_DIST += tests/explore/README.md tests/models/README.md tests/sanitizers/README.md
EXTRA_DIST += tests/campaigns/chaos/README.md tests/campaigns/coverage/README.md tests/campaigns/cross/README.md
EXTRA_DIST += tests/campaigns/fuzz/README.md tests/campaigns/matrix/README.md tests/campaigns/mutation/README.md
EXTRA_DIST += tests/campaigns/soak/README.md tests/campaigns/cross/emulation.md

include tests/campaigns/coverage/local.mk
include tests/campaigns/mutation/local.mk

# The whole suite for each seed, with --enable-chaos: with delays only, then also with failures that must change nothing
# but time, whatever a test asserts. All other failures: stress/failpoints, which is part of the suite.
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

# Random programs for so many minutes, on the library as it is configured: tests/campaigns/soak/README.md.
MINUTES = 1
soak: tests/campaigns/soak/soak$(EXEEXT)
	tests/campaigns/soak/soak $(MINUTES)
# The storms of make check, so many times as long.
STORMS = 20
storms: tests/campaigns/soak/storms$(EXEEXT)
	WSFJ_TEST_TIMES=$(STORMS) tests/campaigns/soak/storms
.PHONY: soak storms

# Compilers, optimisation and checkers, each combination in a build of its own in matrix/: its README.
check-matrix:
	@CELLS='$(CELLS)' JOBS='$(JOBS)' KEEP='$(KEEP)' MAKE='$(MAKE)' SHELL='$(SHELL)' $(SHELL) $(srcdir)/tests/campaigns/matrix/matrix
.PHONY: check-matrix
EXTRA_DIST += tests/campaigns/matrix/cell tests/campaigns/matrix/matrix

# Other processors and another C library (doc/porting.md), from a copy: this directory may be configured.
CROSS_TARGETS = aarch64 aarch64-bti riscv64 musl
check-cross:
	@$(MKDIR_P) cross && $(MAKE) $(AM_MAKEFLAGS) -s distdir distdir=cross/src
	@MAKE='$(MAKE)' $(SHELL) $(srcdir)/tests/campaigns/cross/run cross/src $(CROSS_TARGETS)
.PHONY: check-cross
EXTRA_DIST += tests/campaigns/cross/run tests/campaigns/cross/sysroot

# A user's program in C and in C++ against the installed library.
installcheck-local:
	CC='$(CC)' CXX='$(CXX)' SANITIZER_FLAGS='$(SANITIZER_FLAGS)' PKG_CONFIG='$(PKG_CONFIG)' \
	    libdir='$(libdir)' datadir='$(datadir)' \
	    $(SHELL) $(srcdir)/tests/build/installcheck $(srcdir)/tests/build/user.c
