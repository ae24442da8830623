# SPDX-License-Identifier: MIT
# Other processors and another C library (doc/porting.md). Built from a copy, since this directory may be configured.
EXTRA_DIST += tests/campaigns/cross/README.md tests/campaigns/cross/emulation.md
EXTRA_DIST += tests/campaigns/cross/run tests/campaigns/cross/sysroot
CROSS_TARGETS = aarch64 aarch64-bti riscv64 musl
check-cross:
	@$(MKDIR_P) cross && $(MAKE) $(AM_MAKEFLAGS) -s distdir distdir=cross/src
	@MAKE='$(MAKE)' $(SHELL) $(srcdir)/tests/campaigns/cross/run cross/src $(CROSS_TARGETS)
.PHONY: check-cross
