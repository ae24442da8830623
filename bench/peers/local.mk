# SPDX-License-Identifier: MIT
# The same kernels on other runtimes, against libwsfj. Not part of `make all`, not installed.
EXTRA_DIST += \
    bench/peers/README.md \
    bench/peers/build \
    bench/peers/openmp/loops.h bench/peers/openmp/start.c bench/peers/openmp/wsfj.h \
    bench/peers/peer.c bench/peers/peer.h \
    bench/peers/peers.mk \
    bench/peers/run \
    bench/peers/tbb/loops.h bench/peers/tbb/start.cc bench/peers/tbb/wsfj.h \
    bench/peers/wsfj/start.c

# Builds the programs of the suite that follows, with what configure has found.
build_suite = MAKE='$(MAKE)' CC='$(CC)' CXX='$(CXX)' PKG_CONFIG='$(PKG_CONFIG)' LIBTOOL='$(LIBTOOL)' V='$(V)' \
    PEER_CPPFLAGS='$(FEATURE_CPPFLAGS)' PEER_LDFLAGS='$(AM_LDFLAGS) $(LDFLAGS)' $(SHELL) $(srcdir)/bench/peers/build $(srcdir)

.PHONY: bench-peers
bench-peers: libwsfjcore.la
	+@$(build_suite) peers
	@$(SHELL) $(srcdir)/bench/peers/run $(BENCH_ARGS)

clean-local: clean-peers
.PHONY: clean-peers
clean-peers:
	rm -rf bench/peers/objects bench/peers/wsfj-peer-*
