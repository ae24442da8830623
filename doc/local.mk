# SPDX-License-Identifier: MIT
# Documentation and examples: installed with the folders that they have here, so that links from one to another hold.
EXTRA_DIST += README.md CHANGELOG.md LICENSE CONTRIBUTING.md SECURITY.md CITATION.cff doc
install_doc = $(SHELL) $(srcdir)/doc/install
installed_doc = $(srcdir) "$(DESTDIR)$(docdir)" "$(docdir)" "$(includedir)"
install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(docdir)" "$(DESTDIR)$(man3dir)"
	$(install_doc) install $(installed_doc)
	$(manual_links) install $(srcdir) "$(DESTDIR)$(man3dir)" $(man_MANS)
uninstall-local:
	$(install_doc) uninstall $(installed_doc)
	$(manual_links) uninstall $(srcdir) "$(DESTDIR)$(man3dir)" $(man_MANS)

examplesdir = $(docdir)/examples
dist_examples_DATA = \
    examples/README.md \
    examples/echo.c \
    examples/mandelbrot.c \
    examples/mergesort.c \
    examples/mirrors.c \
    examples/mpi_pi.c \
    examples/mpi_search.c \
    examples/nqueens.c \
    examples/nursery.c \
    examples/pipeline.c \
    examples/pool.c \
    examples/quicksort.cc \
    examples/rgrep.c \
    examples/wordcount.c
twofilesdir = $(examplesdir)/two_files
dist_twofiles_DATA = examples/two_files/main.c examples/two_files/tree.c examples/two_files/tree.h
pythonexamplesdir = $(examplesdir)/python
dist_pythonexamples_DATA = examples/python/tasks.c examples/python/tasks.py examples/python/wsfj.py

include doc/man/local.mk
