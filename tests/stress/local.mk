# SPDX-License-Identifier: MIT
# The whole runtime under load, through the public interface.
stress_tests =
stress_tests += tests/stress/area
stress_tests += tests/stress/bounds
stress_tests += tests/stress/cpu_limit
tests_stress_cpu_limit_LDADD = libwsfjcore.la $(TEST_LIBS)
stress_tests += tests/stress/exposure
stress_tests += tests/stress/failpoints
tests_stress_failpoints_SOURCES = tests/stress/failpoints.c \
    tests/stress/day.c tests/stress/day.h \
    tests/stress/ledger.c tests/stress/ledger.h \
    tests/stress/starts.c tests/stress/starts.h \
    $(random_sources)
tests_stress_failpoints_CPPFLAGS = $(FAILING_CPPFLAGS)
tests_stress_failpoints_LDADD = $(FAILING_LIBRARY) $(TEST_LIBS)
tests_stress_failpoints_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
    -Wl,--wrap=free,--wrap=mmap,--wrap=munmap,--wrap=pthread_create,--wrap=pthread_join $(failing_ldflags)
stress_tests += tests/stress/faults
tests_stress_faults_LDADD = $(LDADD) $(DLOPEN_LIBS)
stress_tests += tests/stress/foreign
stress_tests += tests/stress/guests
tests_stress_guests_LDADD = libwsfjcore.la $(TEST_LIBS) # it counts the workers that search
stress_tests += tests/stress/join
stress_tests += tests/stress/last_item
stress_tests += tests/stress/lifecycle
stress_tests += tests/stress/limits
stress_tests += tests/stress/overflow
stress_tests += tests/stress/random
tests_stress_random_SOURCES = tests/stress/random.c $(random_sources)
stress_tests += tests/stress/reuse
stress_tests += tests/stress/search
tests_stress_search_LDADD = libwsfjcore.la $(TEST_LIBS) # it counts the workers that search
stress_tests += tests/stress/shortage
stress_tests += tests/stress/submit
noinst_HEADERS += tests/stress/stress.h
