# SPDX-License-Identifier: MIT
# Documentation: the first steps are installed, all of doc/ is in the tarball.
dist_doc_DATA = README.md CHANGELOG.md LICENSE
EXTRA_DIST += doc CONTRIBUTING.md

# The examples keep their folders.
examplesdir = $(docdir)/examples
dist_examples_DATA = \
    examples/README.md \
    examples/mandelbrot.c \
    examples/mergesort.c \
    examples/nqueens.c \
    examples/pool.c \
    examples/quicksort.cc \
    examples/rgrep.c \
    examples/wordcount.c
twofilesdir = $(examplesdir)/two_files
dist_twofiles_DATA = examples/two_files/main.c examples/two_files/tree.c examples/two_files/tree.h
