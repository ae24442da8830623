# SPDX-License-Identifier: MIT
# Programs over ranks. They are built by make bench-mpi only, and by the test of it.
mpi_benches = $(addprefix bench/mpi/wsfj-mpi-,mandelbrot nqueens pingpong sort stencil stencil_openmp uts)
bench/mpi/wsfj-mpi-%: bench/mpi/%.c bench/mpi/figures.h bench/mpi/stencil.h libwsfj-mpi.la
	$(AM_V_CCLD)$(SHELL) $(srcdir)/tests/support/link --silent --mode=link $(CC) $(MPI_CPPFLAGS) -I$(srcdir)/include \
	    -iquote $(srcdir)/bench $(WARNING_CFLAGS) -Wno-sign-conversion $(CFLAGS) $(if $(findstring openmp,$@),-fopenmp) $< -o $@ \
	    libwsfj-mpi.la libwsfj.la $(MPI_LIBS) -lm
.PHONY: bench-mpi
bench-mpi: $(mpi_benches)
	@MPIRUN='$(MPIRUN)' $(SHELL) $(srcdir)/bench/mpi/run $(BENCH_ARGS)
# Ranks in SimGrid (doc/sim/ranks.md).
.PHONY: sim-mpi
sim-mpi:
	@srcdir='$(srcdir)' $(SHELL) $(srcdir)/bench/mpi/sim/compare $(BENCH_ARGS)
EXTRA_DIST += $(addprefix bench/mpi/sim/,compare plot.awk run tree.c)
EXTRA_DIST += $(addprefix bench/mpi/,README.md figures.h mandelbrot.c nqueens.c pingpong.c run sort.c stencil.c stencil.h \
    stencil_openmp.c uts.c)
clean-local: clean-mpi
.PHONY: clean-mpi
clean-mpi:
	rm -f $(mpi_benches)
