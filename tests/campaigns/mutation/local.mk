# SPDX-License-Identifier: MIT
# Whether the tests notice mistakes. PART=2 (to 4) selects another quarter of them, PARTS=1 all, ONLY='NAME...' some by name,
# WITH=PATTERN the programs that look for them, PROPOSED=no those that are on a list.
check_PROGRAMS += tests/campaigns/mutation/mutate
tests_campaigns_mutation_mutate_SOURCES = tests/campaigns/mutation/mutate.c tests/campaigns/mutation/mutate.h \
    tests/campaigns/mutation/notes.c tests/campaigns/mutation/operands.c tests/campaigns/mutation/places.c \
    tests/campaigns/mutation/reader.h tests/campaigns/mutation/text.c tests/campaigns/mutation/tokens.c
tests_campaigns_mutation_mutate_LDADD =
EXTRA_DIST += tests/campaigns/mutation/copies
EXTRA_DIST += tests/campaigns/mutation/run tests/campaigns/mutation/chosen tests/campaigns/mutation/README.md
EXTRA_DIST += tests/campaigns/mutation/mistakes tests/campaigns/mutation/by_rule
check-mutation:
	@$(MKDIR_P) mutation
	@$(MAKE) $(AM_MAKEFLAGS) -s distdir distdir=mutation/source
	@$(SHELL) $(srcdir)/tests/campaigns/mutation/run mutation/source '$(CC)'
.PHONY: check-mutation
