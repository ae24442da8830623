# SPDX-License-Identifier: MIT
# --with-switch=auto|assembly|portable: how a worker switches from one stack to another (lib/arch).

AC_DEFUN([WSFJ_SWITCH], [
    AC_REQUIRE([AC_CANONICAL_HOST])
    AC_ARG_WITH([switch],
        [AS_HELP_STRING([--with-switch=KIND],
                        [the stack switch: assembly (x86_64, aarch64), portable (ucontext), or auto (default)])],
        [], [with_switch=auto])
    AS_CASE([$host_cpu], [x86_64|aarch64], [wsfj_assembly=$host_cpu], [wsfj_assembly=none])
    AS_CASE([$with_switch:$wsfj_assembly],
            [auto:none|portable:*], [wsfj_switch=generic],
            [assembly:none], [AC_MSG_ERROR([there is no stack switch in assembly for $host_cpu: use --with-switch=portable])],
            [auto:*|assembly:*], [wsfj_switch=$wsfj_assembly],
            [AC_MSG_ERROR([--with-switch takes auto, assembly or portable, but got '$with_switch'])])
    AM_CONDITIONAL([SWITCH_X86_64], [test $wsfj_switch = x86_64])
    AM_CONDITIONAL([SWITCH_AARCH64], [test $wsfj_switch = aarch64])
    AM_CONDITIONAL([SWITCH_GENERIC], [test $wsfj_switch = generic])
    AS_IF([test $wsfj_switch = generic],
          [AC_DEFINE([WSFJ_SWITCH_PORTABLE], [1], [Stacks are switched by ucontext.])
           wsfj_switch_kind=portable],
          [AC_DEFINE([WSFJ_SWITCH_ASSEMBLY], [1], [Stacks are switched by assembly of this architecture.])
           wsfj_switch_kind=assembly])
])
