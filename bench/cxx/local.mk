# SPDX-License-Identifier: MIT
# What a spawn costs in C++. Not part of `make all`, not installed.
EXTRA_DIST += bench/cxx/fib.cc bench/cxx/run

.PHONY: bench-cxx
bench-cxx: libwsfjcore.la
	@PKG_CONFIG='$(PKG_CONFIG)' LIBTOOL='$(LIBTOOL)' $(SHELL) $(srcdir)/bench/cxx/run $(srcdir) $(BENCH_ARGS)
