/* SPDX-License-Identifier: MIT */
#include "put.h"

#include <inttypes.h>
#include <string.h>

struct view_text view_time(double ns)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    struct view_text text;

    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        double value = ns / units[i].unit;

        if (value >= 0.9995) {
            snprintf(text.at, sizeof text.at,
                     value < 9.995   ? "%.2f %s"
                     : value < 99.95 ? "%.1f %s"
                                     : "%.0f %s",
                     value, units[i].name);
            return text;
        }
    }
    snprintf(text.at, sizeof text.at, "%.0f ns", ns);
    return text;
}

struct view_text view_moment(uint64_t ns)
{
    struct view_text text;

    if (ns < 1000)
        snprintf(text.at, sizeof text.at, "%" PRIu64 " ns", ns);
    else if (ns < 1000000)
        snprintf(text.at, sizeof text.at, "%" PRIu64 ".%03" PRIu64 " us", ns / 1000, ns % 1000);
    else if (ns < 1000000000)
        snprintf(text.at, sizeof text.at, "%" PRIu64 ".%03" PRIu64 " ms", ns / 1000000, ns / 1000 % 1000);
    else
        snprintf(text.at, sizeof text.at, "%" PRIu64 ".%06" PRIu64 " s", ns / 1000000000, ns / 1000 % 1000000);
    return text;
}

struct view_text view_percent(double part, double whole)
{
    double percent = whole > 0 ? 100 * part / whole : 0;
    struct view_text text;

    snprintf(text.at, sizeof text.at, percent > 0 && percent < 9.95 ? "%.1f %%" : "%.0f %%", percent);
    return text;
}

/* RFC 3629, without control characters and characters that XML excludes. */
size_t view_character(const char *text)
{
    static const struct {
        unsigned char first, least, most; /* of the second byte */
    } limits[] = {{0xc2, 0xa0, 0xbf}, {0xe0, 0xa0, 0xbf}, {0xed, 0x80, 0x9f}, {0xf0, 0x90, 0xbf}, {0xf4, 0x80, 0x8f}};
    const unsigned char *c = (const unsigned char *)text;
    size_t n = *c < 0x80 ? 1 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;

    if (*c < ' ' || *c == 0x7f || (*c >= 0x80 && *c < 0xc2) || *c > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    }
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (*c == limits[i].first && (c[1] < limits[i].least || c[1] > limits[i].most))
            return 0;
    }
    return n == 3 && memcmp(c, "\xef\xbf", 2) == 0 && c[2] >= 0xbe ? 0 : n;
}

void view_put_markup(FILE *out, const char *text)
{
    for (size_t n; *text; text += n ? n : 1) {
        n = view_character(text);
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: fwrite(n ? text : "?", 1, n ? n : 1, out);
        }
    }
}

void view_put_json(FILE *out, const char *text)
{
    putc('"', out);
    for (size_t n; *text; text += n ? n : 1) {
        n = view_character(text);
        if (strchr("\"\\<>&'", *text))
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            fwrite(n ? text : "?", 1, n ? n : 1, out);
    }
    putc('"', out);
}

struct view_short view_short(const char *name)
{
    struct view_short text = {""};

    for (size_t n, used = 0; *name; name += n ? n : 1) {
        n = view_character(name);
        if (used + (n ? n : 1) >= sizeof text.at)
            break;
        memcpy(text.at + used, n ? name : "?", n ? n : 1);
        used += n ? n : 1;
    }
    return text;
}

void view_put_plain(FILE *out, const char *text)
{
    for (size_t n; *text; text += n ? n : 1) {
        n = view_character(text);
        fwrite(n ? text : "?", 1, n ? n : 1, out);
    }
}

void view_put_lines(FILE *out, const char *const *lines)
{
    for (; *lines; lines++)
        fputs(*lines, out);
}
