# SPDX-License-Identifier: MIT
# Scripts that look at the built files or compile something.
build_tests =
build_tests += tests/build/abi.sh
build_tests += tests/build/address-sanitizer.sh
build_tests += tests/build/bench.sh
build_tests += tests/build/bench-waits.sh
build_tests += tests/build/branches.sh
build_tests += tests/build/brief.sh
build_tests += tests/build/cmake.sh
build_tests += tests/build/bootstrap.sh
build_tests += tests/build/cost.sh
build_tests += tests/build/errors.sh
build_tests += tests/build/examples.sh
build_tests += tests/build/format.sh
build_tests += tests/build/gdb.sh
build_tests += tests/build/headers.sh
build_tests += tests/build/idioms.sh
build_tests += tests/build/info.sh
build_tests += tests/build/lab-options.sh
build_tests += tests/build/lab.sh
build_tests += tests/build/labels.sh
build_tests += tests/build/layers.sh
build_tests += tests/build/limit.sh
build_tests += tests/build/manual-pages.sh
build_tests += tests/build/manual.sh
build_tests += tests/build/memory-sanitizer.sh
build_tests += tests/build/messages.sh
build_tests += tests/build/links.sh
build_tests += tests/build/meson.sh
build_tests += tests/build/minicheck.sh
build_tests += tests/build/mistakes.sh
build_tests += tests/build/mutate.sh
build_tests += tests/build/names.sh
build_tests += tests/build/openmp.sh
build_tests += tests/build/packaging.sh
build_tests += tests/build/peers.sh
build_tests += tests/build/perf.sh
build_tests += tests/build/pkg-config.sh
build_tests += tests/build/plain.sh
build_tests += tests/build/policy.sh
build_tests += tests/build/probes.sh
build_tests += tests/build/profile.sh
build_tests += tests/build/python.sh
build_tests += tests/build/reference.sh
build_tests += tests/build/refused.sh
build_tests += tests/build/slow_path.sh
build_tests += tests/build/small.sh
build_tests += tests/build/static.sh
build_tests += tests/build/symbols.sh
build_tests += tests/build/tbb.sh
build_tests += tests/build/thread-sanitizer.sh
build_tests += tests/build/view-advice.sh
build_tests += tests/build/view-check.sh
build_tests += tests/build/view-columns.sh
build_tests += tests/build/view-log.sh
build_tests += tests/build/view-page.sh
build_tests += tests/build/view-ranks.sh
build_tests += tests/build/view.sh
build_tests += tests/build/warnings.sh
build_tests += tests/build/width.sh
EXTRA_DIST += $(build_tests) tests/build/checks tests/build/forms.c tests/build/loops.c tests/build/locks.c tests/build/messages
EXTRA_DIST += tests/build/minicheck.c tests/build/profile.c tests/build/serial.c
EXTRA_DIST += tests/build/traces tests/build/user.c tests/debugger/calls.c tests/debugger/family.c \
    tests/debugger/waits.c
# A user's project for each build system, and where it finds the library.
EXTRA_DIST += tests/build/installations tests/build/projects
# make check-deb, check-rpm, check-dist.
EXTRA_DIST += tests/build/deb.sh tests/build/rpm.sh tests/build/dist.sh
# Programs that a script compiles with a sanitizer, or with OpenMP and TBB beside the library.
EXTRA_DIST += tests/build/sanitized tests/sanitizers/README.md tests/sanitizers/mpi.supp
EXTRA_DIST += tests/sanitizers/handed.c tests/sanitizers/held.c tests/sanitizers/ordered.c tests/sanitizers/queued.c
EXTRA_DIST += tests/sanitizers/races.c tests/sanitizers/returned.c tests/sanitizers/thrown.cc tests/sanitizers/unset.c
noinst_HEADERS += tests/build/locks.h tests/build/programs.h tests/sanitizers/elsewhere.h
EXTRA_DIST += tests/build/interop tests/interop/openmp.c tests/interop/tbb.cc
# What the laboratory's scripts compile and run.
EXTRA_DIST += tests/build/figures.awk tests/build/percentiles.c

EXTRA_DIST += tests/build/installcheck
# A user's program in C and in C++ against the installed library, and a user's projects.
installcheck-local:
	CC='$(CC)' CXX='$(CXX)' SANITIZER_FLAGS='$(SANITIZER_FLAGS)' PKG_CONFIG='$(PKG_CONFIG)' \
	    libdir='$(libdir)' datadir='$(datadir)' \
	    $(SHELL) $(srcdir)/tests/build/installcheck $(srcdir)/tests/build/user.c
	for script in cmake meson pkg-config; do \
	    srcdir='$(srcdir)' CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' SANITIZER_FLAGS='$(SANITIZER_FLAGS)' INSTALLED='$(libdir)' \
	        TEST_EMULATOR='$(TEST_EMULATOR)' $(SHELL) $(srcdir)/tests/build/$$script.sh || test $$? -eq 77 || exit 1; \
	done
