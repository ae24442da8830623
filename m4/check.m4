# SPDX-License-Identifier: MIT
# The Check library. Only the tests need it: without it `make check` says so.

AC_DEFUN([WSFJ_CHECK], [
    PKG_CHECK_MODULES([CHECK], [check], [wsfj_check=`$PKG_CONFIG --modversion check`], [wsfj_check=missing])
    AM_CONDITIONAL([HAVE_CHECK], [test "$wsfj_check" != missing])
])
