# SPDX-License-Identifier: MIT
# --with-mpi=MPICC: libwsfj-mpi is built with the flags of this compiler command of an MPI. Without one it is not built.

AC_DEFUN([WSFJ_MPI], [
    AC_ARG_WITH([mpi],
        [AS_HELP_STRING([--with-mpi=MPICC|no], [the compiler command of the MPI for libwsfj-mpi, or its folder @<:@mpicc@:>@])],
        [], [with_mpi=look])
    AS_CASE([$with_mpi],
            [no], [MPICC=no],
            [yes|look], [AC_PATH_PROG([MPICC], [mpicc], [no])],
            [AS_IF([test -d "$with_mpi"], [MPICC=$with_mpi/bin/mpicc], [AC_PATH_PROG([MPICC], [$with_mpi], [$with_mpi])])])
    wsfj_mpi='not built (--without-mpi)'
    AS_IF([test $with_mpi != no], [wsfj_mpi='not built, mpicc is missing (Debian: libopenmpi-dev or libmpich-dev)'])
    MPI_CPPFLAGS='' MPI_LIBS='' MPIRUN=''
    AS_IF([test "$MPICC" != no && wsfj_command=`"$MPICC" -show 2>/dev/null`], [
        # Of the command line that it would run: where the headers and the library are. Its headers are not ours to warn about.
        for wsfj_word in $wsfj_command; do
            AS_CASE([$wsfj_word],
                    [-I*], [AS_VAR_APPEND([MPI_CPPFLAGS], [" -isystem `expr "$wsfj_word" : '-I\(.*\)'`"])],
                    [-L*|-l*|-Wl,-rpath*|-Wl,--enable-new-dtags], [AS_VAR_APPEND([MPI_LIBS], [" $wsfj_word"])])
        done
        wsfj_saved_LIBS=$LIBS
        wsfj_saved_CPPFLAGS=$CPPFLAGS
        LIBS="$MPI_LIBS $LIBS"
        CPPFLAGS="$MPI_CPPFLAGS $CPPFLAGS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
            #if MPI_VERSION < 3
            #error "MPI 3 is needed"
            #endif]], [[int level; return MPI_Init_thread(0, 0, MPI_THREAD_MULTIPLE, &level);]])],
            [wsfj_mpi="with $MPICC"], [wsfj_mpi="not built, $MPICC makes no program of MPI 3 for $CC"])
        LIBS=$wsfj_saved_LIBS
        CPPFLAGS=$wsfj_saved_CPPFLAGS
        wsfj_name=`expr "//$MPICC" : '.*/\(@<:@^/@:>@*\)$'`
        wsfj_folder=`expr "$MPICC" : '\(.*\)/'`
        MPIRUN=$wsfj_folder/`echo "$wsfj_name" | sed 's/mpicc/mpirun/'`
        AS_IF([test ! -x "$MPIRUN"], [MPIRUN=''])
    ])
    AS_CASE([$with_mpi,$wsfj_mpi],
            [look,*|no,*|*,with*], [],
            [AC_MSG_ERROR([--with-mpi=$with_mpi: libwsfj-mpi is $wsfj_mpi])])
    AS_CASE([$wsfj_mpi], [with*], [with_mpi=yes], [with_mpi=no])
    AC_SUBST([with_mpi])
    AC_SUBST([MPI_CPPFLAGS])
    AC_SUBST([MPI_LIBS])
    AC_SUBST([MPIRUN])
    AM_CONDITIONAL([MPI], [test $with_mpi = yes])
])
