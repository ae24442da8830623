#!/bin/sh
# SPDX-License-Identifier: MIT
# plain.sh - what `make` without a target compiles and links: the library, the tools and wsfj-bench, all of which are
# installed. Runs in the build directory and builds nothing. Environment: srcdir,
# with_jansson, with_race, with_simulator.
#
# Catches: a program of the laboratory, a measurement or a test that a user has to wait for.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"

# "CC FILE", "CCLD FILE", ...: what make would do if every source file were new. (make all is make all-am, which gets -W.)
news=$(cd "$srcdir" && find lib bench tools tests examples -name '*.[cS]' -o -name '*.cc' | sed "s|.*|-W & -W $srcdir/&|")
# shellcheck disable=SC2086
env -u MAKEFLAGS -u MFLAGS make -n V=0 $news all-am 2>"$tmp/errors" |
    sed -n 's/^ *echo "  \([A-Z]*\) *" *\([^ ;]*\).*/\1 \2/p' >"$tmp/steps"

folders() {
    sed -n 's/^\(CC\|CPPAS\|CXX\) \(.*\)\/[^/]*$/\2/p' "$tmp/steps" | LC_ALL=C sort -u
}
linked() {
    sed -n 's/^\(CCLD\|CXXLD\|AR\) //p' "$tmp/steps" | sed 's/\.exe$//' | LC_ALL=C sort | paste -sd ' '
}
simulator=' libwsfj-sim.a' scenes=' libscenes.a' engine=' libwsfjsim.a' calibrate=' wsfj-calibrate' program=' wsfj-sim'
sim=' tools/sim' micro=' bench/micro' # wsfj-calibrate has some of it
[ "${with_simulator-}" != no ] || simulator='' scenes='' engine='' calibrate='' program='' sim='' micro=''
mpi=' libwsfj-mpi.la'
[ "${with_mpi-}" = yes ] || mpi=''
race=' tools/race' core=' libracecore.la' detector=' libwsfj-race.la' command=' wsfj-race'
[ "${with_race-}" != no ] || race='' core='' detector='' command=''
view=' tools/view' viewer=' wsfj-view'
[ "${with_jansson-}" != no ] || view='' viewer=''
wanted="libkernels_counted.a libkernels_parallel.a libkernels_serial.a$core$scenes$mpi$detector$simulator libwsfj.la libwsfjcore.la$engine \
wsfj-bench$calibrate wsfj-info$command$program$viewer"

check 'make says what it would do' test ! -s "$tmp/errors"
check 'it compiles the library' [ "$(grep -c '^CC lib/' "$tmp/steps")" -gt 60 ]
check 'it compiles nothing but library, tools and what they measure with' [ "$(folders | grep -v '^lib/' | paste -sd ' ')" = \
    "bench/harness bench/kernels$micro tools$race$sim$view" ]
check "it links $wanted" [ "$(linked)" = "$wanted" ]
finish
