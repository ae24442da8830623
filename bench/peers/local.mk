# SPDX-License-Identifier: MIT
# The same kernels on other runtimes, against libwsfj. Not part of `make all`, not installed.
EXTRA_DIST += \
    bench/peers/README.md \
    bench/peers/build \
    bench/peers/openmp/loops.h bench/peers/openmp/start.c bench/peers/openmp/wsfj.h \
    bench/peers/peer.c bench/peers/peer.h \
    bench/peers/peers.mk \
    bench/peers/run \
    bench/peers/small/README.md \
    bench/peers/small/enqueue.cc \
    bench/peers/small/find \
    bench/peers/small/futex.c \
    bench/peers/small/glib.c \
    bench/peers/small/go.go \
    bench/peers/small/lace.c \
    bench/peers/small/loops.c \
    bench/peers/small/main.c \
    bench/peers/small/measure.h \
    bench/peers/small/openmp.c \
    bench/peers/small/run \
    bench/peers/small/serial.c \
    bench/peers/small/small.h \
    bench/peers/small/small.mk \
    bench/peers/small/starts.c \
    bench/peers/small/taskflow.cc \
    bench/peers/small/tasks.c \
    bench/peers/small/tbb.cc \
    bench/peers/small/wsfj.c \
    bench/peers/tbb/loops.h bench/peers/tbb/start.cc bench/peers/tbb/wsfj.h \
    bench/peers/wsfj/start.c

# Builds the programs of the suite that follows, with what configure has found.
build_suite = MAKE='$(MAKE)' CC='$(CC)' CXX='$(CXX)' PKG_CONFIG='$(PKG_CONFIG)' LIBTOOL='$(LIBTOOL)' V='$(V)' \
    PEER_CPPFLAGS='$(FEATURE_CPPFLAGS)' PEER_LDFLAGS='$(AM_LDFLAGS) $(LDFLAGS)' LACE='$(LACE)' TASKFLOW='$(TASKFLOW)' \
    $(SHELL) $(srcdir)/bench/peers/build $(srcdir)

.PHONY: bench-peers
bench-peers: libwsfjcore.la
	+@$(build_suite) peers
	+@$(build_suite) peers/small
	@$(SHELL) $(srcdir)/bench/peers/run $(BENCH_ARGS)

.PHONY: bench-small
bench-small: libwsfjcore.la
	+@$(build_suite) peers/small
	@$(SHELL) $(srcdir)/bench/peers/small/run $(BENCH_ARGS)

clean-local: clean-peers
.PHONY: clean-peers
clean-peers:
	rm -rf bench/peers/objects bench/peers/wsfj-peer-*
	rm -rf bench/peers/small/lace bench/peers/small/objects bench/peers/small/wsfj-small-*
