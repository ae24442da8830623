# SPDX-License-Identifier: MIT
# Whether the tests notice mistakes. ONLY='NAME...': these; WITH=PATTERN: these programs only.
EXTRA_DIST += tests/mutation/run tests/mutation/mistakes
check-mutation:
	@$(MKDIR_P) mutation
	@$(MAKE) $(AM_MAKEFLAGS) -s distdir distdir=mutation/source
	@$(SHELL) $(srcdir)/tests/mutation/run mutation/source $(srcdir)/tests/mutation/mistakes '$(CC)'
.PHONY: check-mutation
