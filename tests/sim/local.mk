# SPDX-License-Identifier: MIT
# The simulator.
sim_scripts =
sim_scripts += tests/sim/address.sh
sim_scripts += tests/sim/costs.sh
sim_scripts += tests/sim/cpus.sh
sim_scripts += tests/sim/machines.sh
sim_scripts += tests/sim/output.sh
sim_scripts += tests/sim/pages.sh
sim_scripts += tests/sim/policy.sh
sim_scripts += tests/sim/programs.sh
sim_scripts += tests/sim/same.sh
sim_scripts += tests/sim/scale.sh
sim_scripts += tests/sim/steals.sh
sim_scripts += tests/sim/stuck.sh
sim_scripts += tests/sim/sweeps.sh
sim_scripts += tests/sim/symbols.sh
sim_scripts += tests/sim/teaching.sh
sim_scripts += tests/sim/waits.sh
sim_scripts += tests/sim/work.sh
if SIMULATOR
TESTS += $(sim_scripts)

# Random programs in virtual time, with the library's assertions, points of delay and failing calls, and with run queues
# that are soon full.
check_LIBRARIES += libsimchecked.a
SIM_CHECKS = -DWSFJ_CHAOS=1 -DWSFJ_DEBUG=1 -DWSFJ_RUN_QUEUE_SIZE=8
libsimchecked_a_SOURCES = $(simulated_sources)
if !CHAOS
libsimchecked_a_SOURCES += lib/base/chaos.c lib/base/failpoint.c
endif
libsimchecked_a_CPPFLAGS = $(libwsfjsim_a_CPPFLAGS) $(SIM_CHECKS)
libsimchecked_a_CFLAGS = $(libwsfjsim_a_CFLAGS)
libsimchecked_a_CCASFLAGS = $(AM_CCASFLAGS)
check_LIBRARIES += libsimengine.a
libsimengine_a_SOURCES = $(simulator_sources)
libsimengine_a_CPPFLAGS = $(SIMULATOR_CPPFLAGS) $(SIM_CHECKS)
libsimengine_a_CFLAGS = $(SIMULATOR_CFLAGS)
libsimengine_a_LIBADD = $(libsimchecked_a_OBJECTS)
libsimengine_a_DEPENDENCIES = $(libsimchecked_a_OBJECTS)
check_PROGRAMS += tests/sim/programs
tests_sim_programs_SOURCES = tests/sim/programs.c tests/sim/weather.c tests/sim/weather.h tests/sim/inside.h \
    tests/campaigns/soak/setup.c tests/campaigns/soak/setup.h $(random_sources)
tests_sim_programs_CPPFLAGS = $(SIMULATOR_CPPFLAGS) $(TEST_CPPFLAGS) $(SIM_CHECKS) \
    -include $(srcdir)/tests/sim/inside.h
tests_sim_programs_CFLAGS = $(SIMULATOR_CFLAGS)
tests_sim_programs_LDADD = libsimengine.a $(HWLOC_LIBS) -lm

# More of them: SEEDS seeds from SEED on. And the steals of STEALS_GRAPHS random programs, beside their bound.
SEED = 1
SEEDS = 5000
STEALS_GRAPHS = 1000
check-sim: tests/sim/programs$(EXEEXT) wsfj-sim$(EXEEXT)
	tests/sim/programs $(SEED) $(SEEDS)
	srcdir='$(srcdir)' STEALS_GRAPHS=$(STEALS_GRAPHS) $(SHELL) $(srcdir)/tests/sim/steals.sh
endif
.PHONY: check-sim
EXTRA_DIST += $(sim_scripts) tests/sim/README.md tests/sim/simulate tests/sim/findings.awk tests/sim/near.awk tests/sim/give.c tests/sim/policy.c tests/sim/sleepers.c \
    tests/sim/stuck.c tests/sim/threads.c tests/sim/told.c tests/sim/address.c
