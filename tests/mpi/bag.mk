# SPDX-License-Identifier: MIT
# Bags over ranks: the protocol over a simulated network, and programs under mpirun.
bag_tests = tests/mpi/bag.sh tests/mpi/bag_schedules.sh
EXTRA_DIST += $(bag_tests) tests/mpi/bag_bad.c tests/mpi/bag_schedules.c tests/mpi/bag_store.c tests/mpi/bag_trees.c tests/mpi/bag_user.h bench/mpi/uts.c
# All schedules: two minutes of CPU.
check-bag:
	@WSFJ_TEST_FULL=yes srcdir=$(srcdir) CC='$(CC)' $(SHELL) $(srcdir)/tests/mpi/bag_schedules.sh
.PHONY: check-bag
