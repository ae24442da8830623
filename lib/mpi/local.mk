# SPDX-License-Identifier: MIT
# libwsfj-mpi, a library of its own on the public interface of libwsfj.
if MPI
lib_LTLIBRARIES += libwsfj-mpi.la
wsfjinclude_HEADERS += include/wsfj/mpi.h include/wsfj/mpi_bag.h include/wsfj/mpi_loop.h
wsfjinline_HEADERS += include/wsfj/inline/serial_mpi.h
pkgconfig_DATA += libwsfj-mpi.pc
else
EXTRA_DIST += include/wsfj/mpi.h include/wsfj/mpi_bag.h include/wsfj/mpi_loop.h include/wsfj/inline/serial_mpi.h
endif
libwsfj_mpi_la_CPPFLAGS = -I$(srcdir)/include -iquote $(srcdir)/lib $(FEATURE_CPPFLAGS) $(MPI_CPPFLAGS)
libwsfj_mpi_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
# By its name, not as libwsfj.la: libtool would link it anew at each installation, and only into the configured folder. At run
# time it is found beside this library.
libwsfj_mpi_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -Wl,--no-as-needed,.libs/libwsfj.so '-Wl,-rpath,$$ORIGIN'
libwsfj_mpi_la_LIBADD = $(MPI_LIBS)
libwsfj_mpi_la_DEPENDENCIES = libwsfj.la
libwsfj_mpi_la_SOURCES = \
    lib/mpi/ask.c lib/mpi/ask.h \
    lib/mpi/bag.c lib/mpi/bag.h \
    lib/mpi/bag_drive.c \
    lib/mpi/bag_for.c lib/mpi/bag_for.h \
    lib/mpi/bag_map.c \
    lib/mpi/bag_reduce.c \
    lib/mpi/bag_say.c \
    lib/mpi/bag_step.c lib/mpi/bag_step.h \
    lib/mpi/bag_store.c lib/mpi/bag_store.h \
    lib/mpi/bag_tasks.c \
    lib/mpi/bag_wait.c \
    lib/mpi/calls.c \
    lib/mpi/cpus.c lib/mpi/cpus.h \
    lib/mpi/error.c \
    lib/mpi/init.c \
    lib/mpi/pause.h \
    lib/mpi/progress.c lib/mpi/progress.h \
    lib/mpi/record.h \
    lib/mpi/requests.c \
    lib/mpi/run.c lib/mpi/run.h \
    lib/mpi/table.c lib/mpi/table.h \
    lib/mpi/trace.c lib/mpi/trace.h lib/mpi/trace_marks.h \
    lib/mpi/wait.c lib/mpi/wait.h
