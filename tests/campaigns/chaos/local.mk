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
