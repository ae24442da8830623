# SPDX-License-Identifier: MIT
# Which tests earn their time. CHOICE_TESTS: among which it chooses.
EXTRA_DIST += tests/campaigns/choice/run tests/campaigns/choice/pick.awk tests/campaigns/choice/choose.awk
EXTRA_DIST += tests/campaigns/choice/README.md
CHOICE_TESTS = $(unit_tests) $(fuzz_tests) $(user_tests) $(stress_tests)
check-choice:
	@$(MKDIR_P) choice
	@$(MAKE) $(AM_MAKEFLAGS) -s distdir distdir=choice/source
	@$(SHELL) $(srcdir)/tests/campaigns/choice/run choice/source '$(CC)' $(CHOICE_TESTS)
.PHONY: check-choice
