#!/bin/sh
# SPDX-License-Identifier: MIT
# probes.sh - which probes the library has. Runs in the build directory. Environment: srcdir.
#
# Catches: an event without its probe where sys/sdt.h is.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

# Every event of the table is a probe.
library=.libs/libwsfj.so
if grep -q '^#define HAVE_SYS_SDT_H 1' config.h && command -v readelf >/dev/null && [ -f "$library" ]; then
    readelf -n "$library" | sed -n 's/^ *Name: //p' | sort -u >"$tmp/probes"
    for event in $(sed -n 's/^    X(\([a-z_]*\), [01],.*/\1/p' "$srcdir/lib/task/event_rows.h"); do
        check "probe $event" grep -qx "$event" "$tmp/probes"
    done
else
    check 'the table of events' grep -q '^    X(steal, 1,' "$srcdir/lib/task/event_rows.h"
    echo 'skipped: probes: no sys/sdt.h (Debian: systemtap-sdt-dev), no readelf or no shared library'
fi
finish
