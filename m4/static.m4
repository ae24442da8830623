# SPDX-License-Identifier: MIT
# WSFJ_STATIC: whether programs can be linked with -static. That needs archives of all libraries that libwsfj.a needs.
# libwsfj.pc tells the result, and tests/build/static.sh tests it. After WSFJ_HWLOC, WSFJ_SANITIZER and LT_INIT.

AC_DEFUN([WSFJ_STATIC], [
    STATIC_LIBS="$HWLOC_STATIC_LIBS $LIBS"
    AC_CACHE_CHECK([whether programs can be linked with -static], [wsfj_cv_static],
        [wsfj_saved_CFLAGS=$CFLAGS wsfj_saved_CPPFLAGS=$CPPFLAGS wsfj_saved_LDFLAGS=$LDFLAGS wsfj_saved_LIBS=$LIBS
         CFLAGS="$CFLAGS $SANITIZER_FLAGS" CPPFLAGS="$CPPFLAGS $HWLOC_CFLAGS" LDFLAGS="$LDFLAGS -static"
         wsfj_cv_static='no: there is no libc.a'
         AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <pthread.h>]], [[return pthread_self() == 0;]])],
             [LIBS=$STATIC_LIBS
              AS_IF([test $with_hwloc = yes],
                    [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <hwloc.h>]],
                                                     [[hwloc_topology_t t;
                                                       return hwloc_topology_init(&t) || hwloc_topology_load(t);]])],
                                    [wsfj_cv_static=yes],
                                    [wsfj_cv_static="no: hwloc needs a library that has no archive here (configure --without-hwloc)"])],
                    [wsfj_cv_static=yes])])
         CFLAGS=$wsfj_saved_CFLAGS CPPFLAGS=$wsfj_saved_CPPFLAGS LDFLAGS=$wsfj_saved_LDFLAGS LIBS=$wsfj_saved_LIBS])
    wsfj_static=$wsfj_cv_static
    AS_IF([test $enable_static != yes], [wsfj_static='no: configured --disable-static'])
    AS_CASE([$wsfj_static], [yes], [static_programs=yes], [static_programs=no])
    AC_SUBST([STATIC_LIBS])
    AC_SUBST([static_programs])
    AC_SUBST([wsfj_static])
])
