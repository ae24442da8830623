# SPDX-License-Identifier: MIT
# Random programs, and running one: shared by tests in stress/, user/ and campaigns/soak/.
random_sources = tests/random/kinds.h tests/random/log.h \
    tests/random/compare.c tests/random/compare.h \
    tests/random/loops.c tests/random/loops.h \
    tests/random/place.c tests/random/place.h \
    tests/random/scopes.c tests/random/scopes.h \
    tests/random/tasks.c tests/random/tasks.h \
    tests/random/tree.c tests/random/tree.h \
    tests/random/ways.c tests/random/ways.h
