# SPDX-License-Identifier: MIT
# The simulator.
sim_tests =
if SIMULATOR
sim_tests += tests/sim/costs.sh
sim_tests += tests/sim/cpus.sh
sim_tests += tests/sim/machines.sh
sim_tests += tests/sim/output.sh
sim_tests += tests/sim/policy.sh
sim_tests += tests/sim/same.sh
sim_tests += tests/sim/steals.sh
sim_tests += tests/sim/stuck.sh
sim_tests += tests/sim/sweeps.sh
sim_tests += tests/sim/symbols.sh
sim_tests += tests/sim/work.sh
TESTS += $(sim_tests)
endif
EXTRA_DIST += tests/sim/costs.sh tests/sim/cpus.sh tests/sim/machines.sh tests/sim/output.sh tests/sim/policy.sh \
    tests/sim/same.sh tests/sim/steals.sh tests/sim/stuck.sh tests/sim/sweeps.sh tests/sim/symbols.sh tests/sim/work.sh tests/sim/simulate \
    tests/sim/give.c tests/sim/policy.c tests/sim/stuck.c tests/sim/threads.c tests/sim/told.c
