#!/bin/sh
# SPDX-License-Identifier: MIT
# bootstrap.sh - what bootstrap says of builds in another folder. Needs no package: it calls stubs. Skipped in a tarball,
# which has no bootstrap. Environment: srcdir.
#
# Catches: a configured source that is built elsewhere and refused by configure, in the end, in configure's words; a user who
# is not told how to build elsewhere.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"
if ! [ -e "$srcdir/bootstrap" ]; then
    echo 'skipped: bootstrap (a tarball has none)'
    exit 77
fi

mkdir "$tmp/bin" "$tmp/src" "$tmp/build"
cp "$srcdir/bootstrap" "$tmp/src"
printf '#!/bin/sh\necho installed\n' >"$tmp/bin/dpkg-query"
printf '#!/bin/sh\n' >"$tmp/bin/autoreconf"
printf '#!/bin/sh\ntouch config.status\n' >"$tmp/src/configure"
chmod +x "$tmp/bin/dpkg-query" "$tmp/bin/autoreconf" "$tmp/src/configure"

# bootstrapped FOLDER BOOTSTRAP: what it says is in $tmp/said.
bootstrapped() {
    (cd "$tmp/$1" && PATH=$tmp/bin:$PATH sh "$2") >"$tmp/said" 2>&1
}
elsewhere='For a build in another folder'

check 'a build elsewhere' bootstrapped build ../src/bootstrap
check '... is configured there' [ -e "$tmp/build/config.status" ]
check '... and needs no advice' sh -c '! grep "$1" "$2"' sh "$elsewhere" "$tmp/said"
check 'a build in the source' bootstrapped src ./bootstrap
check '... says what another one needs' grep "^$elsewhere first 'make distclean' here" "$tmp/said"
check 'then another build is refused' sh -c '! "$@"' sh sh -c "cd '$tmp/build' && PATH='$tmp/bin':\$PATH sh ../src/bootstrap >'$tmp/said' 2>&1"
check '... in one line that says why' grep -x "bootstrap: ../src is itself configured, so it cannot be built in .*build: 'make distclean' in ../src first" "$tmp/said"
check 'the source again' bootstrapped src ./bootstrap
finish
