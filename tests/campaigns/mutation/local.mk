# SPDX-License-Identifier: MIT
# Whether the tests notice mistakes. ONLY='NAME...': these; WITH=PATTERN: these programs only.
EXTRA_DIST += tests/campaigns/mutation/run tests/campaigns/mutation/mistakes
check-mutation:
	@$(MKDIR_P) mutation
	@$(MAKE) $(AM_MAKEFLAGS) -s distdir distdir=mutation/source
	@$(SHELL) $(srcdir)/tests/campaigns/mutation/run mutation/source $(srcdir)/tests/campaigns/mutation/mistakes '$(CC)'
.PHONY: check-mutation
