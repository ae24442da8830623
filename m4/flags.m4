# SPDX-License-Identifier: MIT
# Flags that are used if the compiler or the linker knows them.

# WSFJ_COMPILER_FLAGS(VARIABLE, FLAGS): appends each of FLAGS the compiler takes without a warning; substitutes VARIABLE.
AC_DEFUN([WSFJ_COMPILER_FLAGS], [
    wsfj_saved_CFLAGS=$CFLAGS
    for wsfj_flag in $2; do
        AC_MSG_CHECKING([whether $CC knows $wsfj_flag])
        CFLAGS="$wsfj_saved_CFLAGS -Werror $wsfj_flag"
        AC_COMPILE_IFELSE([AC_LANG_SOURCE([[extern int wsfj_conftest; int wsfj_conftest;]])],
                          [AC_MSG_RESULT([yes])
                           AS_VAR_APPEND([$1], [" $wsfj_flag"])],
                          [AC_MSG_RESULT([no])])
    done
    CFLAGS=$wsfj_saved_CFLAGS
    AC_SUBST([$1])
])

# WSFJ_LINKER_FLAGS(VARIABLE, FLAGS): the same, by linking a shared library.
AC_DEFUN([WSFJ_LINKER_FLAGS], [
    wsfj_saved_CFLAGS=$CFLAGS
    for wsfj_flag in $2; do
        AC_MSG_CHECKING([whether the linker knows $wsfj_flag])
        CFLAGS="$wsfj_saved_CFLAGS -fPIC -shared $wsfj_flag"
        AC_LINK_IFELSE([AC_LANG_SOURCE([[extern int wsfj_conftest; int wsfj_conftest;]])],
                       [AC_MSG_RESULT([yes])
                        AS_VAR_APPEND([$1], [" $wsfj_flag"])],
                       [AC_MSG_RESULT([no])])
    done
    CFLAGS=$wsfj_saved_CFLAGS
    AC_SUBST([$1])
])
