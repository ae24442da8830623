#!/bin/sh
# SPDX-License-Identifier: MIT
# refused.sh - configure refuses systems on which the library does not run, in one line that says why. It runs in a copy
# of the few files that it reads until then. Environment: srcdir, CC.
#
# Catches: a check that is missing, or that comes after another one with an unclear message.
srcdir=$(cd "${srcdir:-.}" && pwd)
. "$srcdir/tests/build/checks"
CC=${CC:-cc}
[ -x "$srcdir/configure" ] || {
    echo 'skipped: there is no configure'
    exit 77
}
mkdir "$tmp/source" "$tmp/source/include" && cp -R "$srcdir/configure" "$srcdir/build-aux" "$tmp/source" &&
    cp "$srcdir/include/wsfj.h" "$tmp/source/include" && cd "$tmp/source" || exit 1

# refused LINE ARGUMENT...: configure ends with an error that begins with LINE, and prints nothing else.
refused() {
    wanted="configure: error: $1"
    shift
    ! env -u CFLAGS ./configure --quiet "$@" >said 2>&1 </dev/null || return
    cat said
    [ "$(grep -c . said)" -eq 1 ] && case $(cat said) in "$wanted"*) ;; *) false ;; esac
}

check 'another system' refused 'libwsfj runs on Linux only ' --host=x86_64-unknown-freebsd

# Compiles for 32 bits, and pretends that linking works.
echo 'int nothing;' >nothing.c
cat >cc32 <<END
#!/bin/sh
for word; do
    [ "\$word" != -c ] || exec $CC -m32 "\$@"
done
exec $CC "\$@"
END
chmod +x cc32
if ./cc32 -c nothing.c >/dev/null 2>&1; then
    check 'addresses of 32 bits' refused 'libwsfj needs 64-bit addresses; ' "CC=$tmp/source/cc32"
else
    echo "not tried: 32 bits, for which $CC does not compile"
fi
finish
