# SPDX-License-Identifier: MIT
# --enable-sanitizer=address|thread|undefined: one sanitizer for the library, the benchmarks and the tests.

AC_DEFUN([WSFJ_SANITIZER], [
    AC_ARG_ENABLE([sanitizer],
        [AS_HELP_STRING([--enable-sanitizer=NAME], [compile everything with a sanitizer: address, thread or undefined])],
        [wsfj_sanitizer=$enableval], [wsfj_sanitizer=none])
    AS_CASE([$wsfj_sanitizer],
            [no|none], [wsfj_sanitizer=none],
            [address|thread|undefined],
            [SANITIZER_FLAGS="-fsanitize=$wsfj_sanitizer -fno-omit-frame-pointer"
             # UndefinedBehaviorSanitizer alone would only print, and the test would pass.
             AS_IF([test "$wsfj_sanitizer" = undefined],
                   [SANITIZER_FLAGS="$SANITIZER_FLAGS -fno-sanitize-recover=undefined"])
             wsfj_saved_CFLAGS=$CFLAGS
             CFLAGS="$CFLAGS $SANITIZER_FLAGS"
             AC_LINK_IFELSE([AC_LANG_PROGRAM()], [],
                            [AC_MSG_ERROR([$CC cannot link with -fsanitize=$wsfj_sanitizer])])
             CFLAGS=$wsfj_saved_CFLAGS],
            [AC_MSG_ERROR([--enable-sanitizer takes address, thread or undefined, but got '$wsfj_sanitizer'])])
    AC_SUBST([SANITIZER_FLAGS])
])
