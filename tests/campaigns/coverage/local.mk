# SPDX-License-Identifier: MIT
# How many lines of lib/ the tests in COVERAGE_TESTS reach.
EXTRA_DIST += tests/campaigns/coverage/run tests/campaigns/coverage/counted tests/campaigns/coverage/keep.c tests/campaigns/coverage/README.md
COVERAGE_TESTS = $(unit_tests) $(fuzz_tests) $(user_tests) $(stress_tests) tests/build/info.sh
coverage:
	@$(MKDIR_P) coverage
	@$(MAKE) $(AM_MAKEFLAGS) -s distdir distdir=coverage/source
	@$(SHELL) $(srcdir)/tests/campaigns/coverage/run coverage/source '$(CC)' $(COVERAGE_TESTS)
.PHONY: coverage
