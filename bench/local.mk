# SPDX-License-Identifier: MIT
# The benchmarks: wsfj-bench runs the kernels, wsfj-micro measures single operations.
#
# They link libwsfjcore: no measurement depends on the PLT, and the installed wsfj-bench needs no libwsfj.so.

bin_PROGRAMS += wsfj-bench
wsfj_bench_LDADD = libkernels_parallel.a libkernels_serial.a libkernels_counted.a libwsfjcore.la -lm
wsfj_bench_SOURCES = \
    bench/harness/kernel.h \
    bench/harness/child.c bench/harness/child.h \
    bench/harness/duration.c bench/harness/duration.h \
    bench/harness/entry.c bench/harness/entry.h \
    bench/harness/machine.c bench/harness/machine.h \
    bench/harness/main.c \
    bench/harness/measure.c bench/harness/measure.h \
    bench/harness/options.c bench/harness/options.h \
    bench/harness/report.c bench/harness/report.h \
    bench/harness/run.c bench/harness/run.h \
    bench/harness/sample.c bench/harness/sample.h \
    bench/harness/spawn_cost.c bench/harness/spawn_cost.h \
    bench/harness/suite.c bench/harness/suite.h \
    bench/harness/table.c bench/harness/table.h

check_PROGRAMS += wsfj-micro
wsfj_micro_LDADD = libwsfjcore.la -lm
wsfj_micro_SOURCES = \
    bench/harness/machine.c bench/harness/machine.h \
    bench/harness/sample.c bench/harness/sample.h \
    bench/micro/micro.c bench/micro/micro.h \
    bench/micro/foreign.c \
    bench/micro/line.c \
    bench/micro/period.c \
    bench/micro/quota.c \
    bench/micro/region.c \
    bench/micro/row.c \
    bench/micro/spawn.c \
    bench/micro/steal.c \
    bench/micro/submit.c \
    bench/micro/suspend.c \
    bench/micro/waits.c \
    bench/micro/trace.c

# Every kernel three times. Plain archives: libtool would compile each kernel once more, with -fPIC.
noinst_LIBRARIES += libkernels_parallel.a libkernels_serial.a libkernels_counted.a
noinst_HEADERS += bench/kernels/common.h bench/kernels/factors.h bench/kernels/product.h bench/kernels/uts.h bench/kernels/vectors.h
kernels = \
    bench/kernels/axpy.c \
    bench/kernels/cholesky.c \
    bench/kernels/cilksort.c \
    bench/kernels/dot.c \
    bench/kernels/fft.c \
    bench/kernels/fib.c \
    bench/kernels/heat.c \
    bench/kernels/histogram.c \
    bench/kernels/integrate.c \
    bench/kernels/knapsack.c \
    bench/kernels/lu.c \
    bench/kernels/mandelbrot.c \
    bench/kernels/matmul.c \
    bench/kernels/mergesort.c \
    bench/kernels/nqueens.c \
    bench/kernels/pareto.c \
    bench/kernels/quicksort.c \
    bench/kernels/skynet.c \
    bench/kernels/spmv.c \
    bench/kernels/stencil.c \
    bench/kernels/strassen.c \
    bench/kernels/treesum.c \
    bench/kernels/triad.c \
    bench/kernels/triangular.c \
    bench/kernels/uts.c
libkernels_parallel_a_SOURCES = $(kernels)
libkernels_serial_a_SOURCES = $(kernels)
libkernels_serial_a_CPPFLAGS = $(AM_CPPFLAGS) -DWSFJ_SERIAL
libkernels_counted_a_SOURCES = $(kernels)
libkernels_counted_a_CPPFLAGS = $(AM_CPPFLAGS) -DWSFJ_SERIAL -DWSFJ_COUNT
EXTRA_LIBRARIES = libkernels_profiled.a # for user/profile_kernels
CLEANFILES = libkernels_profiled.a
libkernels_profiled_a_SOURCES = $(kernels)
libkernels_profiled_a_CPPFLAGS = $(AM_CPPFLAGS) -DWSFJ_PROFILE

# Automake puts the user's CFLAGS last, but kernels are comparable only at one level of optimisation: -O3 comes after
# them, and `override` adds it to those of make's command line as well.
bench/kernels/%.$(OBJEXT): override CFLAGS += -O3
# Only the spawns of these are counted, and nobody debugs them: half the time to compile.
$(libkernels_counted_a_OBJECTS): override CFLAGS += -O1 -g0

.PHONY: bench bench-micro
bench: wsfj-bench$(EXEEXT)
	./wsfj-bench$(EXEEXT) $(BENCH_ARGS)
bench-micro: wsfj-micro$(EXEEXT)
	./wsfj-micro$(EXEEXT) $(BENCH_ARGS)

EXTRA_DIST += bench/README.md bench/compare

include bench/lab/local.mk
include bench/cost/local.mk
include bench/start/local.mk
include bench/cxx/local.mk
include bench/peers/local.mk
include bench/loops/local.mk
include bench/sim/local.mk
include bench/waits/local.mk
include bench/mpi/local.mk
