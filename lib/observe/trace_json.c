/* SPDX-License-Identifier: MIT */
/*
 * The Chrome trace event format (Duan, Google, "Trace Event Format", 2013 and later): an object with a list of events,
 * times in microseconds. pid and tid are whole numbers; worker n is tid n + 1, since viewers take 0 for the idle
 * thread.
 */
#include "base/utf8.h"
#include "observe/trace_cpu.h"
#include "observe/trace_file.h"
#include "observe/trace_format.h"
#include "observe/trace_walk.h"

#include <unistd.h>

static long process;
static bool any;

static void put_string(const char *text)
{
    static const char hex[] = "0123456789abcdef";

    wsfj_put_text("\"");
    for (unsigned n; *text; text += n) {
        unsigned char c = (unsigned char)*text;

        n = wsfj_utf8(text);
        if (n > 0) {
            wsfj_put_bytes(text, n);
            continue;
        }
        n = 1;
        if (c == '"' || c == '\\') {
            wsfj_put_bytes((char[]){'\\', (char)c}, 2);
        } else if (c < ' ' || c >= 0x7f) { /* control characters and bytes that are no UTF-8 */
            wsfj_put_text("\\u00");
            wsfj_put_bytes((char[]){hex[c >> 4], hex[c & 15]}, 2);
        } else {
            wsfj_put_bytes(text, 1);
        }
    }
    wsfj_put_text("\"");
}

static void put_key(const char *key)
{
    wsfj_put_text(",\"");
    wsfj_put_text(key);
    wsfj_put_text("\":");
}

static void put_microseconds(const char *key, uint64_t ns)
{
    char digits[3] = {(char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10), (char)('0' + ns % 10)};

    put_key(key);
    wsfj_put_number(ns / 1000);
    wsfj_put_text(".");
    wsfj_put_bytes(digits, sizeof digits);
}

/* Opens an object, with what all events have. */
static void put_event(const char *phase, const char *name, unsigned lane)
{
    wsfj_put_text(any ? ",\n{\"ph\":\"" : "{\"ph\":\"");
    any = true;
    wsfj_put_text(phase);
    wsfj_put_text("\",\"name\":");
    put_string(name);
    put_key("pid");
    wsfj_put_number((uint64_t)process);
    put_key("tid");
    wsfj_put_number(lane + 1);
}

static void put_facts(const struct wsfj_trace_fact *facts)
{
    wsfj_put_text(",\"args\":{");
    for (unsigned i = 0; i < WSFJ_TRACE_FACTS && facts[i].key; i++) {
        wsfj_put_text(i ? ",\"" : "\"");
        wsfj_put_text(facts[i].key);
        wsfj_put_text("\":");
        if (facts[i].text)
            put_string(facts[i].text);
        else
            wsfj_put_number(facts[i].number);
    }
    wsfj_put_text("}");
}

static void put_label(const struct wsfj_trace_label *label)
{
    put_key("cat");
    put_string(label->category);
    if (label->facts[0].key)
        put_facts(label->facts);
    wsfj_put_text("}");
}

static uint64_t steals(const struct wsfj_trace_ring *ring)
{
    return ring->steals;
}

static uint64_t steals_failed(const struct wsfj_trace_ring *ring)
{
    return ring->steals_failed;
}

/* A number of each lane. */
static void put_list(const struct wsfj_trace *trace, const char *key,
                     uint64_t (*number)(const struct wsfj_trace_ring *ring))
{
    put_key(key);
    wsfj_put_text("[");
    for (unsigned i = 0; i <= trace->workers; i++) {
        wsfj_put_text(i ? "," : "");
        wsfj_put_number(number(&trace->rings[i]));
    }
    wsfj_put_text("]");
}

static void begin(const struct wsfj_trace *trace)
{
    process = (long)getpid();
    any = false;
    wsfj_put_text("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"libwsfj " WSFJ_VERSION_STRING "\"");
    put_key("format");
    wsfj_put_number(WSFJ_TRACE_FORMAT);
    put_key("workers");
    wsfj_put_number(trace->workers);
    put_microseconds("from", trace->start_ns);
    put_microseconds("to", trace->end_ns);
    put_list(trace, "dropped", wsfj_trace_dropped);
    put_list(trace, "steals", steals);
    put_list(trace, "steals_failed", steals_failed);
    put_key("cpus");
    wsfj_put_number(trace->cpus);
    put_list(trace, "cpu_ns", wsfj_trace_cpu);
    put_list(trace, "delay_ns", wsfj_trace_delay);
    wsfj_put_text("},\"traceEvents\":[\n");
}

static void put_metadata(const char *what, unsigned lane, const struct wsfj_trace_fact *fact)
{
    put_event("M", what, lane);
    put_facts((struct wsfj_trace_fact[WSFJ_TRACE_FACTS]){*fact});
    wsfj_put_text("}");
}

static void lane(unsigned lane, const char *name)
{
    put_metadata("thread_name", lane, &(struct wsfj_trace_fact){"name", name, 0});
    put_metadata("thread_sort_index", lane, &(struct wsfj_trace_fact){"sort_index", NULL, lane});
}

static void slice(unsigned lane, uint64_t from, uint64_t to, const struct wsfj_trace_label *label)
{
    put_event("X", label->name, lane);
    put_microseconds("ts", from);
    put_microseconds("dur", to - from);
    put_label(label);
}

static void instant(unsigned lane, uint64_t at, const struct wsfj_trace_label *label)
{
    put_event("i", label->name, lane);
    put_microseconds("ts", at);
    wsfj_put_text(",\"s\":\"t\"");
    put_label(label);
}

/* A counter belongs to the process; the id makes a counter for each worker. */
static void length(unsigned lane, uint64_t at, uint64_t tasks)
{
    put_event("C", "deque", lane);
    put_key("id");
    wsfj_put_number(lane);
    put_microseconds("ts", at);
    put_facts((struct wsfj_trace_fact[WSFJ_TRACE_FACTS]){{"tasks", NULL, tasks}});
    wsfj_put_text("}");
}

static void put_linked(const char *phase, const char *category, unsigned lane, uint64_t at, uint64_t id,
                       const char *name)
{
    put_event(phase, name, lane);
    put_key("cat");
    put_string(category);
    put_key("id");
    wsfj_put_text("\"");
    wsfj_put_number(id); /* as text: numbers of JSON are doubles to many readers */
    wsfj_put_text("\"");
    put_microseconds("ts", at);
}

static void arrow(unsigned lane, uint64_t at, uint64_t id, const char *name, bool is_end)
{
    put_linked(is_end ? "f" : "s", "flow", lane, at, id, name);
    wsfj_put_text(is_end ? ",\"bp\":\"e\"}" : "}");
}

static void span(unsigned lane, uint64_t at, uint64_t id, const struct wsfj_trace_label *label, bool is_end)
{
    put_linked(is_end ? "e" : "b", label->category, lane, at, id, label->name);
    wsfj_put_text("}");
}

static void end(const struct wsfj_trace *trace)
{
    (void)trace;
    wsfj_put_text("\n]}\n");
}

const struct wsfj_picture wsfj_trace_json = {begin, lane, slice, instant, length, arrow, span, end};
