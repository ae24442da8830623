#!/bin/sh
# SPDX-License-Identifier: MIT
# deb.sh - packaging/debian in a Debian that has nothing else: the packages are built from the tarball, by a user without
# rights; lintian finds no error and no warning but the one that wants a closed bug; in a second Debian they are installed,
# tried by their autopkgtests, and removed, and leave nothing. Runs in the build directory (make check-deb). Environment:
# srcdir; DEB_SOURCES, the list of archives (this machine's); DEB_BUILD_OPTIONS. Skipped without root, mmdebstrap or mounts of its own.
#
# Catches: a dependency that is not named; a file in no package; a symbol that the symbols file lacks; a build that needs
# more than its tarball, or bootstrap; flags that do not arrive; a package that leaves files behind.
srcdir=${srcdir:-.}
# shellcheck disable=SC1091
. "$srcdir/tests/build/checks"

skip() {
    echo "skipped: make check-deb needs $1"
    exit 77
}
[ "$(id -u)" -eq 0 ] || skip 'root, for its two chroots'
command -v mmdebstrap >/dev/null || skip 'mmdebstrap (Debian: mmdebstrap)'
unshare --mount --pid --fork true 2>/dev/null || skip 'unshare(2) with mounts and processes of its own'
for list in "${DEB_SOURCES-}" /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    [ ! -s "$list" ] || break
done
[ -s "$list" ] || skip 'a list of Debian archives, DEB_SOURCES=FILE'
suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
chmod 755 "$tmp"

# in_root ROOT COMMAND...: as root; its mounts and processes end with it.
in_root() {
    root=$1
    shift
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child sh -c 'mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" &&
        mount --rbind /dev "$0/dev" && exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"' "$root" "$@"
}

# as_user COMMAND: a line of shell, in the folder of the sources, by a user who may write only there.
as_user() {
    in_root "$tmp/build" setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/src "DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS-}" \
        sh -c "cd /src/libwsfj-*/ && $1"
}

get() {
    root=$1
    shift
    in_root "$root" apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@"
}

# The source package's files, as a packager has them.
sources() {
    env -u MAKEFLAGS -u MFLAGS make -s dist && tarball=$(ls libwsfj-*.tar.gz) && mkdir "$tmp/build/src" || return
    version=${tarball#libwsfj-}
    mv "$tarball" "$tmp/build/src/libwsfj_${version%.tar.gz}.orig.tar.gz"
    (cd "$tmp/build/src" && tar -xzf ./*.orig.tar.gz && cd libwsfj-*/ && cp -r packaging/debian debian) &&
        chown -R 1000:1000 "$tmp/build/src"
}

# has PACKAGE PATTERN: a file of the package.
has() {
    dpkg-deb -c "$tmp/build/src/$1"_*.deb | awk '{ print $6 }' >"$tmp/list"
    grep -Eq "$2" "$tmp/list" && return
    cat "$tmp/list"
    return 1
}

field() {
    [ "$(dpkg-deb -f "$tmp/build/src/$1"_*.deb "$2")" = "$3" ]
}

# gdb loads the script that is called like the file behind all links.
gdb_name() {
    so=$(sed -n 's|.*/\(libwsfj\.so\.[0-9]*\.[0-9]*\.[0-9]*\)$|\1|p' "$tmp/list" | head -n 1)
    [ -n "$so" ] && grep -q "/usr/share/gdb/auto-load/usr/lib/[^/]*/$so-gdb\.py\$" "$tmp/list"
}

# Complaints: all that lintian prints of errors and warnings but one.
complaints() {
    as_user 'lintian --tag-display-limit 0 -L ">=warning" ../*.changes' >"$tmp/lintian" 2>&1
    ! grep -vE 'initial-upload-closes-no-bugs|^running with root' "$tmp/lintian"
}

# What a package could leave: all but what apt and dpkg write of their own, and adduser, which MPI needs.
files() {
    (cd "$tmp/user" && find . -xdev ! -path './var/lib/dpkg/*' ! -path './var/lib/apt/*' ! -path './var/cache/*' \
        ! -path './var/log/*' ! -path './tmp/*' ! -path './run/*' ! -path './etc/*-' | LC_ALL=C sort)
}

# The system of a user, and a copy to build in, which gets more. What mmdebstrap mounts is not there for others, nor for rm.
systems() {
    unshare --mount mmdebstrap --quiet --variant=apt --dpkgopt=force-unsafe-io "$suite" "$tmp/user" "$list" &&
        cp -L /etc/resolv.conf "$tmp/user/etc/resolv.conf" && in_root "$tmp/user" apt-get -qq update && cp -a "$tmp/user" "$tmp/build"
}

# must NAME COMMAND...: what follows makes no sense without it.
must() {
    check "$@"
    [ "$failures" -eq 0 ] || finish
}

must 'a Debian of a user, and one to build in' systems
must 'the sources' sources
must 'lintian is there' get "$tmp/build" install lintian build-essential
must 'what the sources need' get "$tmp/build" build-dep "/src/$(basename "$tmp"/build/src/libwsfj-*/)"
must 'dpkg-buildpackage' as_user 'dpkg-buildpackage -us -uc >../log 2>&1 || { tail -n 18 ../log; exit 1; }'
check 'lintian' complaints
check 'libwsfj0: the library' has libwsfj0 '/usr/lib/[^/]*-linux-gnu/libwsfj\.so\.0$'
check 'libwsfj0: the script for gdb' gdb_name
check 'libwsfj-dev: CMake' has libwsfj-dev '/usr/lib/[^/]*-linux-gnu/cmake/wsfj/wsfj-config\.cmake$'
check 'libwsfj-dev: the archive' has libwsfj-dev '/usr/lib/[^/]*-linux-gnu/libwsfj\.a$'
[ "$(dpkg --print-architecture)" != amd64 ] || check 'libwsfj-race0' has libwsfj-race0 '/usr/lib/[^/]*-linux-gnu/libwsfj-race\.so\.0$'
check 'libwsfj-mpi0: the library' has libwsfj-mpi0 '/usr/lib/[^/]*-linux-gnu/libwsfj-mpi\.so\.0$'
check 'libwsfj-mpi-dev: the header' has libwsfj-mpi-dev '/usr/include/wsfj/mpi\.h$'
check 'libwsfj-dev: nothing of MPI' sh -c '! dpkg-deb -c "$1" | grep -E "(wsfj/|serial_|libwsfj-)mpi"' sh "$(ls "$tmp"/build/src/libwsfj-dev_*.deb)"
check 'wsfj-tools' has wsfj-tools '/usr/bin/wsfj-view$'
check 'libwsfj0 for several architectures' field libwsfj0 Multi-Arch same
check 'libwsfj-dev for several architectures' field libwsfj-dev Multi-Arch same
check 'bootstrap was not called' sh -c "! grep -q 'Ready: now type' '$tmp/build/src/log'"

files >"$tmp/before"
mkdir "$tmp/user/tmp/debs" && cp "$tmp"/build/src/*.deb "$tmp/user/tmp/debs"
check 'installed' in_root "$tmp/user" sh -c \
    'apt-get -qq -y --no-install-recommends install $(ls /tmp/debs/*.deb | grep -v dbgsym)'
check 'wsfj-info runs' in_root "$tmp/user" wsfj-info
check 'removed' get "$tmp/user" purge --auto-remove libwsfj0 'libwsfj-*' wsfj-tools
files >"$tmp/after"
check 'nothing is left' diff "$tmp/before" "$tmp/after"

cp "$tmp"/build/src/libwsfj_* "$tmp/user/tmp/debs"
check 'autopkgtest is there' get "$tmp/user" install autopkgtest
check 'autopkgtest' in_root "$tmp/user" sh -c 'autopkgtest /tmp/debs/*.changes -- null'
finish
