# SPDX-License-Identifier: MIT
# --without-jansson: wsfj-view reads JSON with jansson. Without it wsfj-view is not built; the library does not need it.

AC_DEFUN([WSFJ_JANSSON], [
    AC_ARG_WITH([jansson],
        [AS_HELP_STRING([--without-jansson], [do not build wsfj-view, which reads JSON with the jansson library])],
        [], [with_jansson=look])
    AS_CASE([$with_jansson], [yes|no|look], [],
            [AC_MSG_ERROR([--with-jansson takes no value, but got '$with_jansson'])])
    wsfj_view='not built (--without-jansson)'
    AS_IF([test $with_jansson != no],
          [PKG_CHECK_MODULES([JANSSON], [jansson >= 2.7], [wsfj_view="with jansson `$PKG_CONFIG --modversion jansson`"],
                             [wsfj_view='not built, jansson is missing (Debian: libjansson-dev)'])])
    # pkg-config may have found the jansson of another machine, or of another C library.
    AS_CASE([$wsfj_view],
            [with*],
            [wsfj_saved_LIBS=$LIBS
             wsfj_saved_CPPFLAGS=$CPPFLAGS
             LIBS="$JANSSON_LIBS $LIBS"
             CPPFLAGS="$JANSSON_CFLAGS $CPPFLAGS"
             AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <jansson.h>]], [[json_decref(json_null());]])], [],
                            [wsfj_view="not built, jansson is missing for $CC"])
             LIBS=$wsfj_saved_LIBS
             CPPFLAGS=$wsfj_saved_CPPFLAGS])
    AS_CASE([$with_jansson,$wsfj_view],
            [yes,not*], [AC_MSG_ERROR([--with-jansson: wsfj-view is $wsfj_view])],
            [*,with*], [with_jansson=yes],
            [with_jansson=no])
    AC_SUBST([with_jansson])
    AM_CONDITIONAL([JANSSON], [test $with_jansson = yes])
])
