# SPDX-License-Identifier: MIT
# C++ programs. A script compiles them, because each C++ compiler of the machine has its turn and none is needed.
cxx_tests =
cxx_tests += tests/cxx/cxx.sh
EXTRA_DIST += $(cxx_tests)
EXTRA_DIST += tests/cxx/called.cc tests/cxx/children.cc tests/cxx/exceptions.cc tests/cxx/exception_state.cc tests/cxx/loops.cc
EXTRA_DIST += tests/cxx/others.cc tests/cxx/scopes.cc tests/cxx/waits.cc
noinst_HEADERS += tests/cxx/moves.h tests/cxx/stolen.h tests/cxx/test.h tests/cxx/thrown.h
EXTRA_DIST += tests/cxx/mistakes
