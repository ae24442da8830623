# SPDX-License-Identifier: MIT
# Compilers, optimisation levels and sanitizers: each combination has a build of its own in matrix/ (README.md).
EXTRA_DIST += tests/campaigns/matrix/README.md tests/campaigns/matrix/cell tests/campaigns/matrix/matrix
check-matrix:
	@CELLS='$(CELLS)' JOBS='$(JOBS)' KEEP='$(KEEP)' MAKE='$(MAKE)' SHELL='$(SHELL)' \
	    $(SHELL) $(srcdir)/tests/campaigns/matrix/matrix
.PHONY: check-matrix
