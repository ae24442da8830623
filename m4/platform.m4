# SPDX-License-Identifier: MIT
# The machines on which libwsfj runs: 64-bit Linux with a C11 compiler. configure refuses others in one line.

AC_DEFUN([WSFJ_LINUX], [
    AC_REQUIRE([AC_CANONICAL_HOST])
    AS_CASE([$host_os], [linux*], [],
            [AC_MSG_ERROR([libwsfj runs on Linux only (it needs futex and membarrier), not on $host_os])])
])

AC_DEFUN([WSFJ_C11], [
    AS_IF([test "$ac_cv_prog_cc_c11" = no], [AC_MSG_ERROR([libwsfj needs a C11 compiler; $CC is none])])
])

AC_DEFUN([WSFJ_64BIT], [
    AC_CACHE_CHECK([for 64-bit addresses], [wsfj_cv_64bit],
        [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [[_Static_assert(sizeof(void *) == 8, "64-bit");]])],
                           [wsfj_cv_64bit=yes], [wsfj_cv_64bit=no])])
    AS_IF([test "$wsfj_cv_64bit" = no],
          [AC_MSG_ERROR([libwsfj needs 64-bit addresses; $CC $CFLAGS compiles for fewer])])
])

# CPU_X86_64: the slow-path exits of include/wsfj call through the thunks of this architecture.
AC_DEFUN([WSFJ_CPU], [
    AC_REQUIRE([AC_CANONICAL_HOST])
    AM_CONDITIONAL([CPU_X86_64], [test "$host_cpu" = x86_64])
])

# If lib/arch/fpenv.h leaves the rounding mode to the C library, it needs libm; libwsfj.pc says so.
AC_DEFUN([WSFJ_ROUNDING], [
    AC_REQUIRE([AC_CANONICAL_HOST])
    AS_CASE([$host_cpu], [x86_64|aarch64], [],
            [AC_SEARCH_LIBS([fegetround], [m], [], [AC_MSG_ERROR([libwsfj needs fegetround()])])])
])
