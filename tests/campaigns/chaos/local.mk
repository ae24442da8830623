# SPDX-License-Identifier: MIT
# The whole suite for each seed, with --enable-chaos: first with delays only, then also with failures that may change
# nothing but time. stress/failpoints, which is part of the suite, covers all other failures.
EXTRA_DIST += tests/campaigns/chaos/README.md
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

# A library whose calls fail on purpose, for tests that need them in every build. `make` does not build it.
if CHAOS
FAILING_CPPFLAGS = $(AM_CPPFLAGS)
FAILING_LIBRARY = libwsfjcore.la
else
FAILING_CPPFLAGS = $(AM_CPPFLAGS) -DWSFJ_CHAOS=1 -DWSFJ_TEST_CALM
FAILING_LIBRARY = libfailing.a $(HWLOC_LIBS)
failing_ldflags = -Wl,--wrap=wsfj_chaos
check_LIBRARIES += libfailing.a
libfailing_a_SOURCES = $(libwsfjcore_la_SOURCES) lib/base/chaos.c lib/base/failpoint.c
libfailing_a_CPPFLAGS = $(FAILING_CPPFLAGS)
libfailing_a_CFLAGS = $(libwsfjcore_la_CFLAGS)
endif
