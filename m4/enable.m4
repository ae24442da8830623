# SPDX-License-Identifier: MIT
# WSFJ_ENABLE(NAME, MACRO, HELP): --enable-NAME defines MACRO for everything that is compiled.
#
# On the command line, not in config.h, because the macros of include/wsfj read it, too.

AC_DEFUN([WSFJ_ENABLE], [
    AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [$3])], [], [enable_$1=no])
    AS_CASE([$enable_$1],
            [yes], [AS_VAR_APPEND([FEATURE_CPPFLAGS], [" -D$2=1"])],
            [no], [],
            [AC_MSG_ERROR([--enable-$1 takes no value, but got '$enable_$1'])])
    AC_SUBST([FEATURE_CPPFLAGS])
])
