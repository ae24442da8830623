# SPDX-License-Identifier: MIT
# WSFJ_HWLOC(VERSION): --without-hwloc; hwloc, and how libwsfj.pc names it for programs that link libwsfj.a.
#
# The correct field is Requires.private. But if hwloc.pc lists libraries for static linking that are not installed
# with it (Debian: libudev), every link would fail; then libwsfj.a uses the shared hwloc instead, by an option for the linker:
# Meson would take -lhwloc for libhwloc.a, and warn of -l:libhwloc.so that it does not find it.

AC_DEFUN([WSFJ_HWLOC], [
    AC_ARG_WITH([hwloc],
        [AS_HELP_STRING([--without-hwloc],
                        [no descriptions of other machines, for tests and the simulator: most programs need none])],
        [], [with_hwloc=yes])
    AS_CASE([$with_hwloc], [yes|no], [],
            [AC_MSG_ERROR([--with-hwloc takes no value, but got '$with_hwloc'])])
    AC_SUBST([with_hwloc])
    AM_CONDITIONAL([HWLOC], [test $with_hwloc = yes])
    AC_SUBST([PC_REQUIRES_PRIVATE], [])
    AC_SUBST([PC_LIBS_PRIVATE], [])
    wsfj_hwloc=none HWLOC_STATIC_LIBS=
    AS_IF([test $with_hwloc = yes], [WSFJ_FIND_HWLOC([$1])])
])

AC_DEFUN([WSFJ_FIND_HWLOC], [
    PKG_CHECK_MODULES([HWLOC], [hwloc >= $1], [wsfj_hwloc=`$PKG_CONFIG --modversion hwloc`],
                      [AC_MSG_ERROR([libwsfj needs hwloc $1 or newer with its headers (Debian: libhwloc-dev), or --without-hwloc])])
    HWLOC_STATIC_LIBS=`$PKG_CONFIG --static --libs hwloc`
    AC_CACHE_CHECK([whether hwloc's flags for static linking work], [wsfj_cv_hwloc_static],
        [wsfj_saved_LIBS=$LIBS
         LIBS="$HWLOC_STATIC_LIBS $LIBS"
         AC_LINK_IFELSE([AC_LANG_PROGRAM()], [wsfj_cv_hwloc_static=yes], [wsfj_cv_hwloc_static=no])
         LIBS=$wsfj_saved_LIBS])
    AS_IF([test "$wsfj_cv_hwloc_static" = yes],
          [PC_REQUIRES_PRIVATE="hwloc >= $1"],
          [PC_LIBS_PRIVATE=`AS_ECHO(["$HWLOC_LIBS"]) | sed 's/-lhwloc/-Wl,-lhwloc/'`])
])
