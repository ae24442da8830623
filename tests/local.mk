# SPDX-License-Identifier: MIT
# What all folders of tests share. Each folder lists its tests in a local.mk: tests/unit/pool is a line in
# tests/unit/local.mk. Every program and script prints the line of totals that Check prints; the output goes to a .log
# beside the program.

quiet_tests =
include tests/minicheck/local.mk
include tests/random/local.mk
include tests/plugin/local.mk
include tests/unit/local.mk
include tests/campaigns/fuzz/local.mk
include tests/stress/local.mk
include tests/campaigns/soak/local.mk
include tests/user/local.mk
include tests/build/local.mk
include tests/cxx/local.mk
include tests/models/local.mk
include tests/mpi/local.mk
include tests/mpi/bag.mk
include tests/race/local.mk

TESTS = $(unit_tests) $(fuzz_tests) $(stress_tests) $(user_tests) $(build_tests) $(cxx_tests) $(model_tests) $(mpi_tests) \
    $(bag_tests) $(race_tests)

if !HWLOC
TEST_CPPFLAGS += -DWITHOUT_HWLOC
endif

LDADD = $(TESTED_LIBRARY) $(TEST_LIBS)

# Seconds that a test may take: a test of a program, an explorer, a third of a script. The only place where slow builds
# get more. WSFJ_TEST_LIMIT=n overrides it.
TEST_LIMIT = $(if $(strip $(SANITIZER_FLAGS) $(TEST_EMULATOR) $(findstring valgrind,$(LOG_COMPILER)) \
    $(WSFJ_TEST_MATRIX)),600,120)
TEST_LIBS = libsupport.a $(CHECKING_LIBS) $(TEST_LDFLAGS)
check_LIBRARIES += libsupport.a
libsupport_a_SOURCES = tests/support/limit.c tests/support/limit.h tests/support/late_dump.c tests/support/late_dump.h \
    tests/support/stacks.c
libsupport_a_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_LIMIT_S=$(TEST_LIMIT)
TESTED_LIBRARY = libwsfj.la
tests/unit/%$(EXEEXT): TESTED_LIBRARY = libwsfjcore.la
# In these programs each stop of the runtime counts the free stacks (tests/support/stacks.c).
counted_tests = $(stress_tests) $(counted_unit_tests) $(counted_user_tests)
counted_programs = $(addsuffix $(EXEEXT),$(counted_tests))
$(counted_programs): TESTED_LIBRARY = libwsfjcore.la
$(counted_programs): private AM_LDFLAGS += -Wl,--wrap=wsfj_pool_stop
AM_TESTS_ENVIRONMENT = CC='$(CC)'; CFLAGS='$(CFLAGS)'; CXX='$(CXX)'; NM='$(NM)'; SANITIZER_FLAGS='$(SANITIZER_FLAGS)'; \
    with_hwloc=$(with_hwloc); with_jansson=$(with_jansson); with_simulator=$(with_simulator); with_race=$(with_race); with_mpi=$(with_mpi); MPIRUN='$(MPIRUN)'; MPI_CPPFLAGS='$(MPI_CPPFLAGS)'; export MPI_CPPFLAGS; export with_simulator with_race with_mpi MPIRUN; TEST_EMULATOR='$(TEST_EMULATOR)'; \
    export CC CFLAGS CXX NM SANITIZER_FLAGS with_hwloc with_jansson TEST_EMULATOR; \
    LIBRARY_SOURCES='$(libwsfjcore_la_SOURCES)'; LIBRARY_CPPFLAGS='$(DEFS) $(FEATURE_CPPFLAGS) $(HWLOC_CFLAGS)'; \
    LIBRARY_LIBS='$(HWLOC_LIBS) $(LIBS)'; export LIBRARY_SOURCES LIBRARY_CPPFLAGS LIBRARY_LIBS; \
    HWLOC_LIBS='$(HWLOC_LIBS)'; export HWLOC_LIBS; WSFJ_TEST_FULL='$(if $(is_full),yes)'; export WSFJ_TEST_FULL; \
    STATIC_PROGRAMS='$(wsfj_static)'; STATIC_LIBS='$(STATIC_LIBS)'; export STATIC_PROGRAMS STATIC_LIBS; \
    WSFJ_TEST_LIMIT="$${WSFJ_TEST_LIMIT:-$(TEST_LIMIT)}"; export WSFJ_TEST_LIMIT;
# Programs may be built for another machine and need TEST_EMULATOR. Scripts run on this machine.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL) $(srcdir)/tests/support/limited $(SHELL)
LOG_COMPILER = $(TEST_EMULATOR)
# Not for what they are built from, which libtool links: private.
tests/% bench/lab/mistakes/%: private LIBTOOL = $(SHELL) $(srcdir)/tests/support/link
tests/%.$(OBJEXT): AM_CPPFLAGS += $(TEST_CPPFLAGS)
tests/%.$(OBJEXT): override CFLAGS += $(TEST_CFLAGS)
# Without optimisation what looks inside the library, and what is a second copy: half the time. Programs of users are
# compiled as users do it: those of optimised_user_tests for speed, the others for a debugger.
objects_of = $(foreach test,$(1),$($(subst /,_,$(test))_OBJECTS))
$(filter-out $(call objects_of,$(optimised_user_tests)),$(call objects_of,$(user_tests))): override CFLAGS += $(COPY_CFLAGS)
tests/unit/%.$(OBJEXT) tests/random/stress_failpoints-%.$(OBJEXT): override CFLAGS += $(COPY_CFLAGS)
tests/random/sim_programs-%.$(OBJEXT) tests/sim/programs-%.$(OBJEXT): override CFLAGS += $(CHECKED_CFLAGS)
tools/view/tests_campaigns_fuzz_view-%.$(OBJEXT): override CFLAGS += $(TEST_CFLAGS) $(COPY_CFLAGS)

EXTRA_DIST += tests/README.md tests/support/cost tests/support/limited tests/support/link tests/support/totals
noinst_HEADERS += tests/support/fib.h tests/support/fib_task.h tests/support/flags.h
noinst_HEADERS += tests/support/folder.h tests/support/heard.h tests/support/modes.h
noinst_HEADERS += tests/support/process.h tests/support/resources.h tests/support/run.h
noinst_HEADERS += tests/support/runtime.h tests/support/sanitizer.h tests/support/to_stderr.h
noinst_HEADERS += tests/support/viewed.h

if HAVE_CHECK
check_PROGRAMS += $(unit_tests) $(fuzz_tests) $(stress_tests) $(user_tests) tests/user/hang
check_LTLIBRARIES += $(test_modules)
require_check = :
else
require_check = { echo 'make check needs the Check library (Debian: check), or configure --without-check' >&2; exit 1; }
endif

# `make check` alone uses all CPUs, for building, too. A -j of the user's wins.
jobs := $(if $(filter check%,$(MAKECMDGOALS)),$(if $(filter 0,$(MAKELEVEL)),$(eval MAKEFLAGS += -j$(shell nproc))))

# The tests that take longest, in this order.
long_tests = tests/cxx/cxx.sh tests/sim/pages.sh tests/build/cost.sh tests/build/address-sanitizer.sh tests/sim/programs.sh
long_tests += tests/models/check.sh tests/build/messages.sh tests/build/thread-sanitizer.sh tests/build/examples.sh
long_tests += tests/build/idioms.sh tests/stress/cpu_limit tests/race/schedules.sh tests/race/random tests/user/watchdog
long_tests += tests/stress/random tests/campaigns/soak/storms

# Only in check-full: what notices no mistake in the library that no other test notices. The models say what the protocols
# should be, and read no file of the library; make check-models searches all of them. bench.sh runs benchmarks.
full_tests = tests/models/check.sh tests/mpi/bench.sh

# Need a quiet machine: run last, one by one. Lines of quiet_tests stand beside their test, with the reason.
logs_of = $(filter $(TEST_LOGS),$(addsuffix .log,$(basename $(1))))
is_full = $(or $(FULL),$(findstring command line,$(origin TESTS)))
chosen_logs = $(if $(is_full),$(TEST_LOGS),$(filter-out $(call logs_of,$(full_tests)),$(TEST_LOGS)))
quiet_logs = $(filter $(chosen_logs),$(call logs_of,$(quiet_tests)))

# Replaces Automake's check-TESTS, which ends when a test fails: this one prints the totals in any case.
check-TESTS: $(check_PROGRAMS) $(check_LTLIBRARIES)
	@$(require_check); rm -f $(TEST_SUITE_LOG) $(TEST_LOGS) $(TEST_LOGS:.log=.trs); status=0; \
	$(MAKE) $(AM_MAKEFLAGS) -k check-side-by-side || status=1; \
	for log in $(quiet_logs); do $(MAKE) $(AM_MAKEFLAGS) $$log || status=1; done; \
	$(MAKE) $(AM_MAKEFLAGS) $(TEST_SUITE_LOG) TEST_LOGS='$(chosen_logs)' || status=1; \
	$(SHELL) $(srcdir)/tests/support/totals $(chosen_logs) || status=1; \
	exit $$status
check-side-by-side: $(filter-out $(quiet_logs),$(filter $(chosen_logs),$(call logs_of,$(long_tests))) $(chosen_logs))
.PHONY: check-side-by-side

# All tests: before a release, and once a week.
check-full:
	@$(MAKE) $(AM_MAKEFLAGS) FULL=yes check
# What each test costs.
cost_of = $(SHELL) $(srcdir)/tests/support/cost check-cost
check-cost:
	@rm -f $@; status=0; $(MAKE) $(AM_MAKEFLAGS) check LOG_COMPILER='$(cost_of) $(LOG_COMPILER)' \
	    SH_LOG_COMPILER='$(cost_of) $(SH_LOG_COMPILER)' || status=1; $(cost_of); exit $$status
CLEANFILES += check-cost
.PHONY: check-cost check-full

# For the time between two edits: all unit tests, the explorer's deque and join, two checks of the source text.
quick_programs = $(unit_tests) tests/explore/deque tests/explore/join
quick_scripts = tests/build/labels.sh tests/build/layers.sh
check-quick: $(quick_programs)
	@$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(quick_programs) $(quick_scripts)' check_PROGRAMS= check_LTLIBRARIES=
.PHONY: check-quick

include tests/sim/local.mk
include tests/explore/local.mk
include tests/campaigns/coverage/local.mk
include tests/campaigns/mutation/local.mk
include tests/campaigns/choice/local.mk
include tests/campaigns/chaos/local.mk
include tests/campaigns/matrix/local.mk
include tests/campaigns/cross/local.mk

# Copies of the library for tests only.
$(libfailing_a_OBJECTS) $(libsimchecked_a_OBJECTS) $(libsimengine_a_OBJECTS) $(libexplored_a_OBJECTS): override CFLAGS += $(TEST_CFLAGS)
$(libfailing_a_OBJECTS): override CFLAGS += $(COPY_CFLAGS)
# -O1: the compiler takes a third less, and what runs them takes as long.
$(libsimchecked_a_OBJECTS) $(libsimengine_a_OBJECTS): override CFLAGS += $(CHECKED_CFLAGS)
$(libkernels_profiled_a_OBJECTS): override CFLAGS += -O1
