# SPDX-License-Identifier: MIT
# The race detector. `make check` has some of it; `make check-race` has all compilers and a million random programs.
race_tests =
if RACE
race_tests += tests/race/random tests/race/cases.sh tests/race/lab.sh tests/race/ours.sh tests/race/use.sh
race_tests += tests/race/schedules.sh tests/race/waits.sh
check_PROGRAMS += tests/race/random
endif
tests_race_random_CPPFLAGS = -DWSFJ_RACE -DWSFJ_RACE_LIBRARY -iquote $(srcdir)/tools/race -I$(srcdir)/include
tests_race_random_LDADD = libracecore.la
EXTRA_DIST += tests/race/cases.sh tests/race/kernels.sh tests/race/lab.sh tests/race/mistakes.sh tests/race/ours.sh tests/race/use.sh
EXTRA_DIST += tests/race/compiled tests/race/README.md tests/race/kernels.c tests/race/programs.c tests/race/cxx.cc
EXTRA_DIST += tests/race/hpp.cc tests/race/schedules.c tests/race/schedules.sh tests/race/schedule_mistakes.sh
EXTRA_DIST += tests/race/cost.sh tests/race/cost.c tests/race/waits.sh tests/race/waits.c
EXTRA_DIST += tests/race/cases.c tests/race/cases_memory.c tests/race/cases_sync.c
noinst_HEADERS += tests/race/cases.h

.PHONY: check-race
check-race: libwsfj-race.la wsfj-race$(EXEEXT) tests/race/random$(EXEEXT)
	tests/race/random$(EXEEXT) 1000000
	srcdir='$(srcdir)' CC='$(CC)' $(SHELL) $(srcdir)/tests/race/mistakes.sh
	srcdir='$(srcdir)' CC='$(CC)' $(SHELL) $(srcdir)/tests/race/schedule_mistakes.sh
	srcdir='$(srcdir)' CC='$(CC)' $(SHELL) $(srcdir)/tests/race/kernels.sh
	srcdir='$(srcdir)' CC='$(CC)' CXX='$(CXX)' RACE_ALL=1 $(SHELL) $(srcdir)/tests/race/ours.sh
	RACE_COMPILERS="$${RACE_COMPILERS:-gcc-12 clang-14 clang-19}" RACE_LEVELS='-O0 -O2 -O3\ -march=native' \
	    srcdir='$(srcdir)' CC='$(CC)' $(SHELL) $(srcdir)/tests/race/cases.sh
