# SPDX-License-Identifier: MIT
# --without-check: build the tests with tests/minicheck, a part of the Check library's interface.
#
# Only the tests need Check; without it `make check` says what to install. A Check for another machine is seldom
# installed, so a cross build without it uses tests/minicheck.

AC_DEFUN([WSFJ_CHECK], [
    AC_ARG_WITH([check],
        [AS_HELP_STRING([--without-check], [build the tests with tests/minicheck instead of the Check library])],
        [], [with_check=yes])
    AS_CASE([$with_check], [yes|no], [],
            [AC_MSG_ERROR([--with-check takes no value, but got '$with_check'])])
    wsfj_check=minicheck
    AS_IF([test $with_check = yes],
          [PKG_CHECK_MODULES([CHECK], [check], [wsfj_check=`$PKG_CONFIG --modversion check`], [wsfj_check=missing])])
    # pkg-config may have found the library of this machine, not of the other.
    AS_IF([test "$cross_compiling" = yes && test $wsfj_check != minicheck],
          [wsfj_saved_LIBS=$LIBS
           LIBS="$CHECK_LIBS $LIBS"
           AC_LINK_IFELSE([AC_LANG_CALL([], [suite_create])], [], [wsfj_check=minicheck])
           LIBS=$wsfj_saved_LIBS])
    AM_CONDITIONAL([HAVE_CHECK], [test "$wsfj_check" != missing])
    AM_CONDITIONAL([MINICHECK], [test "$wsfj_check" = minicheck])
    AS_IF([test "$wsfj_check" = minicheck], [wsfj_check='none, tests/minicheck instead'])
])

# Some tests have atomic bytes, which need a library on some processors.
AC_DEFUN([WSFJ_TEST_ATOMIC], [
    AC_MSG_CHECKING([whether bytes are atomic without libatomic])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[static unsigned char byte;]], [[return __atomic_fetch_add(&byte, 1, __ATOMIC_SEQ_CST);]])],
                   [AC_MSG_RESULT([yes])],
                   [AC_MSG_RESULT([no])
                    AC_SUBST([TEST_ATOMIC_LIBS], [-latomic])])
])
