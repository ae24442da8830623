# SPDX-License-Identifier: MIT
# Loops on libwsfj against serial code, OpenMP and oneTBB. Not part of `make all`, not installed.
EXTRA_DIST += \
    bench/loops/README.md \
    bench/loops/figures \
    bench/loops/loops.h \
    bench/loops/loops.mk \
    bench/loops/main.c \
    bench/loops/openmp.c \
    bench/loops/run \
    bench/loops/tbb.cc \
    bench/loops/wsfj.c

.PHONY: bench-loops
bench-loops: libwsfjcore.la
	+@$(build_suite) loops
	@$(SHELL) $(srcdir)/bench/loops/run $(BENCH_ARGS)

clean-local: clean-loops
.PHONY: clean-loops
clean-loops:
	rm -rf bench/loops/objects bench/loops/wsfj-loops-*
