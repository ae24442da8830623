# SPDX-License-Identifier: MIT
# The Check library, or minicheck where Check is missing.
if MINICHECK
check_LIBRARIES += libminicheck.a
libminicheck_a_SOURCES = tests/minicheck/check.c tests/minicheck/child.c tests/minicheck/child.h
TEST_CPPFLAGS = -I$(srcdir)/tests/minicheck
CHECKING_LIBS = libminicheck.a -lm $(TEST_ATOMIC_LIBS)
else
TEST_CPPFLAGS = $(CHECK_CFLAGS)
CHECKING_LIBS = $(CHECK_LIBS) $(TEST_ATOMIC_LIBS)
endif
EXTRA_DIST += tests/minicheck/check.h
