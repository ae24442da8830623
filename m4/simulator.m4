# SPDX-License-Identifier: MIT
# wsfj-sim: the simulator. It describes its machines with hwloc, and its virtual threads are contexts of one thread, of
# which only AddressSanitizer is told. It runs on the machine that compiles it, so a cross build leaves it out.

AC_DEFUN([WSFJ_SIMULATOR], [
    AC_REQUIRE([AC_CANONICAL_HOST])
    AS_IF([test $with_hwloc = no], [wsfj_simulator='not built (--without-hwloc)'],
          [test "$wsfj_sanitizer" != none && test "$wsfj_sanitizer" != address], [wsfj_simulator="not built (--enable-sanitizer=$wsfj_sanitizer)"],
          [test $cross_compiling = yes], [wsfj_simulator='not built (cross compiling)'],
          [wsfj_simulator=yes])
    AS_IF([test "$wsfj_simulator" = yes], [with_simulator=yes], [with_simulator=no])
    AC_SUBST([with_simulator])
    AM_CONDITIONAL([SIMULATOR], [test $with_simulator = yes])
])
