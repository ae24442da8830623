/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's own format (perfetto.dev, "Trace packet" and "Track event" messages): protocol buffers, written by hand,
 * since the library needs few fields of few messages; tests/build/trace.proto declares exactly these.
 */
#include "base/utf8.h"
#include "observe/trace_file.h"
#include "observe/trace_format.h"
#include "observe/trace_names.h"
#include "observe/trace_walk.h"

#include <string.h>
#include <unistd.h>

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

/* A message is made here, then written after its length. The longest has a name and five facts. */
struct message {
    size_t size;
    unsigned char bytes[1024];
};

/* Static, because a signal stack may be small: only one thread writes at a time (trace.c). */
static struct message packet, head, track, process, event, annotation;

static struct message *cleared(struct message *m)
{
    m->size = 0;
    return m;
}

/* Numbers of fields. */
enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK = 60,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_COUNTER = 30,
    EVENT_ANNOTATION = 4,
    EVENT_FLOW = 47,
    EVENT_END_FLOW = 48,
    ANNOTATION_NUMBER = 3,
    ANNOTATION_TEXT = 6,
    ANNOTATION_NAME = 10,
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_RANK = 12,
    PROCESS_PID = 1,
    PROCESS_NAME = 6
};
enum { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER };

/* Numbers of tracks: the process, then for each lane its slices and its counter. Spans have larger numbers. */
#define PROCESS_TRACK 1u
#define LANE_TRACK(lane) (16u + 2u * (uint64_t)(lane))
#define COUNTER_TRACK(lane) (17u + 2u * (uint64_t)(lane))

static void put_varint(struct message *m, uint64_t n)
{
    for (; m->size < sizeof m->bytes; n >>= 7) {
        m->bytes[m->size++] = (unsigned char)(n < 0x80 ? n : n | 0x80);
        if (n < 0x80)
            return;
    }
}

static void put_number(struct message *m, unsigned field, uint64_t n)
{
    put_varint(m, field << 3);
    put_varint(m, n);
}

static void put_bytes(struct message *m, unsigned field, const void *bytes, size_t size)
{
    if (m->size + size + 16 > sizeof m->bytes)
        return; /* a whole field or none */
    put_varint(m, field << 3 | 2);
    put_varint(m, size);
    if (size > 0) /* else `bytes` may be NULL */
        memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

static void put_fixed(struct message *m, unsigned field, uint64_t n)
{
    put_varint(m, field << 3 | 1);
    for (unsigned i = 0; i < 8 && m->size < sizeof m->bytes; i++, n >>= 8)
        m->bytes[m->size++] = (unsigned char)n;
}

/* A text must be UTF-8: other bytes become question marks. */
static void put_text(struct message *m, unsigned field, const char *text)
{
    char clean[256];
    size_t n = 0;

    while (text[n] && n < sizeof clean - 4) {
        unsigned length = wsfj_utf8(text + n);

        clean[n] = (unsigned char)text[n] >= 0x80 && length == 0 ? '?' : text[n];
        for (unsigned i = 1; i < length; i++)
            clean[n + i] = text[n + i];
        n += length ? length : 1;
    }
    put_bytes(m, field, clean, n);
}

static void put_message(struct message *m, unsigned field, const struct message *inner)
{
    put_bytes(m, field, inner->bytes, inner->size);
}

static void write_packet(void)
{
    put_number(&packet, PACKET_SEQUENCE, 1);
    put_varint(cleared(&head), TRACE_PACKET << 3 | 2);
    put_varint(&head, packet.size);
    wsfj_put_bytes(head.bytes, head.size);
    wsfj_put_bytes(packet.bytes, packet.size);
}

static void write_track(uint64_t uuid, uint64_t parent, const char *name, unsigned rank, bool is_counter)
{
    put_number(cleared(&track), TRACK_UUID, uuid);
    put_number(&track, TRACK_PARENT, parent);
    put_text(&track, TRACK_NAME, name);
    put_number(&track, TRACK_RANK, rank);
    if (is_counter)
        put_bytes(&track, TRACK_COUNTER, NULL, 0);
    put_message(cleared(&packet), PACKET_TRACK, &track);
    write_packet();
}

static void begin(const struct wsfj_trace *trace)
{
    (void)trace;
    put_number(cleared(&process), PROCESS_PID, (uint64_t)getpid());
    put_text(&process, PROCESS_NAME, "libwsfj " WSFJ_VERSION_STRING ", trace format " TEXT(WSFJ_TRACE_FORMAT));
    put_number(cleared(&track), TRACK_UUID, PROCESS_TRACK);
    put_message(&track, TRACK_PROCESS, &process);
    put_number(cleared(&packet), PACKET_SEQUENCE_FLAGS, 1); /* nothing from before is needed */
    put_message(&packet, PACKET_TRACK, &track);
    write_packet();
}

static void lane(unsigned lane, const char *name)
{
    write_track(LANE_TRACK(lane), PROCESS_TRACK, name, 2 * lane, false);
    write_track(COUNTER_TRACK(lane), PROCESS_TRACK, "deque", 2 * lane + 1, true);
}

/* Writes what is in `event`. */
static void write_event(uint64_t at, uint64_t on, unsigned type)
{
    put_number(&event, EVENT_TYPE, type);
    put_number(&event, EVENT_TRACK, on);
    put_number(cleared(&packet), PACKET_TIMESTAMP, at);
    put_message(&packet, PACKET_EVENT, &event);
    write_packet();
}

static void put_label(const struct wsfj_trace_label *label)
{
    put_text(cleared(&event), EVENT_CATEGORY, label->category);
    put_text(&event, EVENT_NAME, label->name);
    for (unsigned i = 0; i < WSFJ_TRACE_FACTS && label->facts[i].key; i++) {
        const struct wsfj_trace_fact *fact = &label->facts[i];

        put_text(cleared(&annotation), ANNOTATION_NAME, fact->key);
        if (fact->text)
            put_text(&annotation, ANNOTATION_TEXT, fact->text);
        else
            put_number(&annotation, ANNOTATION_NUMBER, fact->number);
        put_message(&event, EVENT_ANNOTATION, &annotation);
    }
}

static void slice(unsigned lane, uint64_t from, uint64_t to, const struct wsfj_trace_label *label)
{
    put_label(label);
    write_event(from, LANE_TRACK(lane), SLICE_BEGIN);
    cleared(&event);
    write_event(to, LANE_TRACK(lane), SLICE_END);
}

static void instant(unsigned lane, uint64_t at, const struct wsfj_trace_label *label)
{
    put_label(label);
    write_event(at, LANE_TRACK(lane), INSTANT);
}

static void length(unsigned lane, uint64_t at, uint64_t tasks)
{
    put_number(cleared(&event), EVENT_COUNTER, tasks);
    write_event(at, COUNTER_TRACK(lane), COUNTER);
}

static void arrow(unsigned lane, uint64_t at, uint64_t id, const char *name, bool is_end)
{
    put_text(cleared(&event), EVENT_CATEGORY, "flow");
    put_text(&event, EVENT_NAME, name);
    put_fixed(&event, is_end ? EVENT_END_FLOW : EVENT_FLOW, id);
    write_event(at, LANE_TRACK(lane), INSTANT);
}

static void span(unsigned lane, uint64_t at, uint64_t id, const struct wsfj_trace_label *label, bool is_end)
{
    (void)lane;
    cleared(&event);
    if (!is_end) {
        write_track(id, PROCESS_TRACK, label->name, 0, false);
        put_text(&event, EVENT_CATEGORY, label->category);
        put_text(&event, EVENT_NAME, label->name);
    }
    write_event(at, id, is_end ? SLICE_END : SLICE_BEGIN);
}

static void end(const struct wsfj_trace *trace)
{
    for (unsigned i = 0; i <= trace->workers; i++) {
        uint64_t dropped = wsfj_trace_dropped(&trace->rings[i]);

        if (dropped)
            instant(i, trace->end_ns, &(struct wsfj_trace_label){"dropped", "event", {{"events", NULL, dropped}}});
    }
}

const struct wsfj_picture wsfj_trace_proto = {begin, lane, slice, instant, length, arrow, span, end};
