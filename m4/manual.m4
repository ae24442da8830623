# SPDX-License-Identifier: MIT
# The manual pages: a tarball has them, a clone makes them with scdoc. Without either there are none; the rest is built.

AC_DEFUN([WSFJ_MANUAL], [
    AM_MISSING_PROG([SCDOC], [scdoc])
    AC_CHECK_PROG([with_scdoc], [scdoc], [yes], [no])
    AS_IF([test -f "$srcdir/doc/man/wsfj.7" || test $with_scdoc = yes], [wsfj_manual=yes],
          [wsfj_manual='not built, scdoc is missing (Debian: scdoc)'])
    AM_CONDITIONAL([MANUAL], [test "$wsfj_manual" = yes])
    AC_CONFIG_FILES([Doxyfile:doc/man/Doxyfile.in])
])
