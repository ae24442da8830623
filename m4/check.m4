# SPDX-License-Identifier: MIT
# --without-check: what the tests are written for. The Check library, or the part of it in tests/minicheck.
#
# Only the tests need it: without either `make check` says so. A library for another machine is seldom at hand, so there
# it is tests/minicheck that takes its place, unasked.

AC_DEFUN([WSFJ_CHECK], [
    AC_ARG_WITH([check],
        [AS_HELP_STRING([--without-check], [build the tests with tests/minicheck instead of the Check library])],
        [], [with_check=yes])
    AS_CASE([$with_check], [yes|no], [],
            [AC_MSG_ERROR([--with-check takes no value, but got '$with_check'])])
    wsfj_check=minicheck
    AS_IF([test $with_check = yes],
          [PKG_CHECK_MODULES([CHECK], [check], [wsfj_check=`$PKG_CONFIG --modversion check`], [wsfj_check=missing])])
    # pkg-config may have found this machine's, not the other's.
    AS_IF([test "$cross_compiling" = yes && test $wsfj_check != minicheck],
          [wsfj_saved_LIBS=$LIBS
           LIBS="$CHECK_LIBS $LIBS"
           AC_LINK_IFELSE([AC_LANG_CALL([], [suite_create])], [], [wsfj_check=minicheck])
           LIBS=$wsfj_saved_LIBS])
    AM_CONDITIONAL([HAVE_CHECK], [test "$wsfj_check" != missing])
    AM_CONDITIONAL([MINICHECK], [test "$wsfj_check" = minicheck])
    AS_IF([test "$wsfj_check" = minicheck], [wsfj_check='none, tests/minicheck instead'])
])

# Tests count in bytes, too, which takes a library on some processors.
AC_DEFUN([WSFJ_TEST_ATOMIC], [
    AC_MSG_CHECKING([whether bytes are atomic without libatomic])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[static unsigned char byte;]], [[return __atomic_fetch_add(&byte, 1, __ATOMIC_SEQ_CST);]])],
                   [AC_MSG_RESULT([yes])],
                   [AC_MSG_RESULT([no])
                    AC_SUBST([TEST_ATOMIC_LIBS], [-latomic])])
])
