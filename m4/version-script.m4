# SPDX-License-Identifier: MIT
# HAVE_VERSION_SCRIPT: the linker takes a map of the exported names (lib/libwsfj.map).

AC_DEFUN([WSFJ_VERSION_SCRIPT], [
    echo 'WSFJ_TEST { global: wsfj_conftest; local: *; };' >conftest.map
    WSFJ_LINKER_FLAGS([wsfj_version_script], [-Wl,--version-script=conftest.map])
    rm -f conftest.map
    AM_CONDITIONAL([HAVE_VERSION_SCRIPT], [test -n "$wsfj_version_script"])
])
