# SPDX-License-Identifier: MIT
# POSIX threads, in the C library or beside it.

AC_DEFUN([WSFJ_PTHREAD], [
    AC_SEARCH_LIBS([pthread_create], [pthread], [],
                   [AC_MSG_ERROR([libwsfj needs POSIX threads; $CC finds no pthread_create])])
])
