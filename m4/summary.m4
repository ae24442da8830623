# SPDX-License-Identifier: MIT
# The results and choices of configure. Printed also with --quiet.

AC_DEFUN([WSFJ_SUMMARY], [
    AS_CASE([$wsfj_check], [missing], [wsfj_check='missing (make check will ask for it)'])
    cat <<_WSFJ_END

$PACKAGE_NAME $PACKAGE_VERSION for $host, to be installed in $prefix
  compiler       $CC $CFLAGS
  libraries      shared $enable_shared, static $enable_static
  -static        $wsfj_static
  stack switch   $wsfj_switch_kind ($wsfj_switch)
  hwloc          $wsfj_hwloc
  Check          $wsfj_check
  wsfj-view      $wsfj_view
  wsfj-sim       $wsfj_simulator
  wsfj-race      $wsfj_race
  libwsfj-mpi    $wsfj_mpi
  manual         $wsfj_manual
  Valgrind       $ac_cv_header_valgrind_valgrind_h
  debug          $enable_debug
  chaos          $enable_chaos
  sanitizer      $wsfj_sanitizer
_WSFJ_END
])
