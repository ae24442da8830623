# SPDX-License-Identifier: MIT
# The simulator against this machine.
if SIMULATOR
check-sim-real: libwsfjcore.la libwsfj-sim.a wsfj-calibrate$(EXEEXT) wsfj-sim$(EXEEXT)
	srcdir='$(srcdir)' CC='$(CC)' HWLOC_LIBS='$(HWLOC_LIBS)' $(SHELL) $(srcdir)/bench/sim/run build-sim-real
endif
.PHONY: check-sim-real
EXTRA_DIST += bench/sim/run bench/sim/works.c
