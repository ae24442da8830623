# SPDX-License-Identifier: MIT
# WSFJ_HWLOC(VERSION): hwloc, and what libwsfj.pc says of it to those who link libwsfj.a.
#
# The right thing to say is Requires.private. Where hwloc.pc lists libraries for the static case that are not installed
# with it (Debian: libudev), that would make every link fail, and libwsfj.a goes with the shared hwloc instead.

AC_DEFUN([WSFJ_HWLOC], [
    PKG_CHECK_MODULES([HWLOC], [hwloc >= $1], [],
                      [AC_MSG_ERROR([libwsfj needs hwloc $1 or newer with its headers (Debian: libhwloc-dev)])])
    AC_CACHE_CHECK([whether hwloc's flags for static linking work], [wsfj_cv_hwloc_static],
        [wsfj_saved_LIBS=$LIBS
         LIBS="`$PKG_CONFIG --static --libs hwloc` $LIBS"
         AC_LINK_IFELSE([AC_LANG_PROGRAM()], [wsfj_cv_hwloc_static=yes], [wsfj_cv_hwloc_static=no])
         LIBS=$wsfj_saved_LIBS])
    AS_IF([test "$wsfj_cv_hwloc_static" = yes],
          [AC_SUBST([PC_REQUIRES_PRIVATE], ["hwloc >= $1"])
           AC_SUBST([PC_LIBS_PRIVATE], [])],
          [AC_SUBST([PC_REQUIRES_PRIVATE], [])
           AC_SUBST([PC_LIBS_PRIVATE], [$HWLOC_LIBS])])
])
