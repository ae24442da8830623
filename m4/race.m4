# SPDX-License-Identifier: MIT
# wsfj-race: the race detector. It stands behind calls that gcc and clang put in, knows the frames of x86-64, replaces
# glibc's malloc(), and is a shared library. A sanitizer has the same names.

AC_DEFUN([WSFJ_RACE_DETECTOR], [
    AC_REQUIRE([AC_CANONICAL_HOST])
    AS_CASE([$host], [x86_64-*-linux-gnu], [wsfj_race=yes], [wsfj_race="not built (needs x86-64 and glibc)"])
    AS_IF([test "$wsfj_sanitizer" != none], [wsfj_race="not built (--enable-sanitizer=$wsfj_sanitizer)"],
          [test "$enable_shared" = no], [wsfj_race='not built (--disable-shared)'])
    AS_IF([test "$wsfj_race" = yes], [with_race=yes], [with_race=no])
    AC_SUBST([with_race])
    AM_CONDITIONAL([RACE], [test $with_race = yes])
])
