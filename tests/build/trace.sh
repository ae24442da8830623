#!/bin/sh
# SPDX-License-Identifier: MIT
# trace.sh - what is in a trace in Perfetto's format, as protoc reads it, and which probes the library has. Runs in the build
# directory. Environment: srcdir, CC, CFLAGS, SANITIZER_FLAGS, TEST_EMULATOR.
#
# Catches: a field with another number or type, a slice without an end, a flow with one end, a process that is not there;
# an event without its probe where sys/sdt.h is.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
for name in $(env | sed -n 's/^\(WSFJ_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done

cat >"$tmp/user.c" <<'END'
#include <wsfj.h>

WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

static void item(void *arg)
{
    (void)arg;
    for (int i = 0; i < 20; i++)
        ws_yield();
}

/* On a slow machine a ring keeps only what came last, and a group may be done before the wait for it. */
WS_TASK_VOID(all, ws_group *, group)
{
    long r = ws_call(fib, 27);

    for (int i = 0; i < 20; i++) {
        (void)ws_group_submit(group, item, NULL);
        (void)ws_group_wait(group);
    }
    ws_trace_mark("caf\303\251");
    ws_trace_mark("caf\351");
    (void)r;
}

int main(void)
{
    static ws_group group;

    for (int i = 0; i < 100; i++)
        (void)ws_group_submit(&group, item, NULL);
    return ws_run(all, &group) || ws_fini();
}
END

# The numbers of lines in the decoded trace that match two patterns are the same.
as_many() {
    a=$(grep -c -- "$1" "$tmp/text") b=$(grep -c -- "$2" "$tmp/text")
    [ "$a" -eq "$b" ] && [ "$a" -gt 0 ] || { echo "$a $1, $b $2"; return 1; }
}

# Every end of a flow has a start.
flows_meet() {
    sed -n 's/^ *flow: //p' "$tmp/text" | sort -u >"$tmp/starts"
    sed -n 's/^ *end_flow: //p' "$tmp/text" | sort -u >"$tmp/ends"
    [ -z "$(comm -13 "$tmp/starts" "$tmp/ends")" ]
}

# Every event is on a track that has been described.
tracks_are_known() {
    sed -n 's/^ *uuid: //p' "$tmp/text" | sort -u >"$tmp/known"
    sed -n 's/^    track: //p' "$tmp/text" | sort -u >"$tmp/used"
    [ -s "$tmp/used" ] && [ -z "$(comm -13 "$tmp/known" "$tmp/used")" ]
}

decoded() {
    # shellcheck disable=SC2086
    $CC $CFLAGS $SANITIZER_FLAGS -I"$srcdir/include" "$tmp/user.c" -o "$tmp/user" -L.libs -lwsfj -pthread || return
    LD_LIBRARY_PATH=.libs WSFJ_NUM_WORKERS=3 WSFJ_TRACE="$tmp/t.pftrace" ${TEST_EMULATOR-} "$tmp/user" || return
    protoc --proto_path="$srcdir/tests/build" --decode=Trace "$srcdir/tests/build/trace.proto" <"$tmp/t.pftrace" >"$tmp/text"
}

if command -v protoc >/dev/null; then
    check 'protoc reads it' decoded
    check 'there are no other fields' sh -c "! grep -E '^ *[0-9]+[ :]' '$tmp/text'"
    check 'slices end' as_many 'type: SLICE_BEGIN' 'type: SLICE_END'
    check 'flows meet' flows_meet
    check 'tracks are known' tracks_are_known
    check 'the process' grep -q '^      name: "libwsfj [0-9.]*, trace format [0-9]*"' "$tmp/text"
    check 'workers' grep -q '^    name: "worker 2"' "$tmp/text"
    check 'tasks' grep -q '^    name: "all"' "$tmp/text"
    check 'other than ASCII' grep -Fq '    name: "caf\303\251"' "$tmp/text"
    check 'other than UTF-8' grep -q '^    name: "caf?"' "$tmp/text"
    check 'what is said of a task' grep -q '^      text: "waits for a group"' "$tmp/text"
    check 'counters' as_many 'type: COUNTER' '^    counter: '
else
    echo 'skipped: the fields of a trace: no protoc (Debian: protobuf-compiler)'
fi

# Every event of the table is a probe.
library=.libs/libwsfj.so
if grep -q '^#define HAVE_SYS_SDT_H 1' config.h && command -v readelf >/dev/null && [ -f "$library" ]; then
    readelf -n "$library" | sed -n 's/^ *Name: //p' | sort -u >"$tmp/probes"
    for event in $(sed -n 's/^    X(\([a-z_]*\), [01]).*/\1/p' "$srcdir/lib/task/event.h"); do
        check "probe $event" grep -qx "$event" "$tmp/probes"
    done
else
    check 'the table of events' grep -q '^    X(steal, 1)' "$srcdir/lib/task/event.h"
    echo 'skipped: probes: no sys/sdt.h (Debian: systemtap-sdt-dev), no readelf or no shared library'
fi
finish
