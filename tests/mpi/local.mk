# SPDX-License-Identifier: MIT
# libwsfj-mpi, under mpirun. Scripts run the programs; without an MPI they are skipped.
mpi_tests = tests/mpi/bench.sh tests/mpi/conditions.sh tests/mpi/loops.sh tests/mpi/profiled.sh tests/mpi/traces.sh \
    tests/mpi/waits.sh
mpi_programs = tests/mpi/conditions tests/mpi/loops tests/mpi/profiled tests/mpi/traces tests/mpi/waits
if MPI
check_PROGRAMS += $(mpi_programs)
endif
tests_mpi_conditions_SOURCES = tests/mpi/conditions.c tests/mpi/ranks.h
tests_mpi_loops_SOURCES = tests/mpi/loops.c tests/mpi/ranks.h
tests_mpi_profiled_SOURCES = tests/mpi/profiled.c tests/mpi/ranks.h
tests_mpi_traces_SOURCES = tests/mpi/traces.c tests/mpi/ranks.h
tests_mpi_waits_SOURCES = tests/mpi/waits.c tests/mpi/ranks.h
tests/mpi/%.$(OBJEXT): private TEST_CPPFLAGS += $(MPI_CPPFLAGS)
tests/mpi/%$(EXEEXT): private LDADD = libwsfj-mpi.la libwsfj.la $(MPI_LIBS)
$(addsuffix $(EXEEXT),$(mpi_programs)): libwsfj-mpi.la
EXTRA_DIST += tests/mpi/ranks $(mpi_tests)

# All that need an MPI, and nothing else: for another MPI, in a build of its own (configure --with-mpi=mpicc.mpich).
check-mpi: all $(addsuffix $(EXEEXT),$(mpi_programs))
	@$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(mpi_tests) tests/mpi/bag.sh' check_PROGRAMS= check_LTLIBRARIES=
.PHONY: check-mpi
