# SPDX-License-Identifier: MIT
# The Check library, or minicheck where Check is missing.
if CHECKLESS
check_LIBRARIES += libcheckless.a
libcheckless_a_SOURCES = tests/minicheck/check.c tests/minicheck/child.c tests/minicheck/child.h
TEST_CPPFLAGS = -I$(srcdir)/tests/minicheck
TEST_LIBS = libcheckless.a -lm $(TEST_ATOMIC_LIBS)
else
TEST_CPPFLAGS = $(CHECK_CFLAGS)
TEST_LIBS = $(CHECK_LIBS) $(TEST_ATOMIC_LIBS)
endif
EXTRA_DIST += tests/minicheck
