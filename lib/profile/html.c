/* SPDX-License-Identifier: MIT */
/* The profile as a self-contained page: figures, the speed-up curve, and a table of sites that a click on a heading
 * sorts. Light or dark like the reader's system, in the colours of tools/view/chart.css. The page is well-formed XML, too. */
#include "profile/profile.h"
#include "profile/verdict.h"

#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
    "<style>\n"
    ":root { color-scheme: light dark; --back: #fff; --text: #1c2126; --faint: #5d6873; --line: #d9dee3; --card: "
    "#f2f4f6;\n"
    "  --most: #2b6cb0; --least: #e0962a; }\n"
    "@media (prefers-color-scheme: dark) { :root { --back: #15191d; --text: #e3e7eb; --faint: #97a3ae; --line: "
    "#343c44;\n"
    "  --card: #20262c; --most: #63a4e8; --least: #d9942f; } }\n"
    "body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; background: var(--back); color: var(--text);\n"
    "  font: 15px/1.45 system-ui, sans-serif; }\n"
    "h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }\n"
    ".cards { display: flex; flex-wrap: wrap; gap: .7rem; } .card { background: var(--card); border-radius: 6px;\n"
    "  padding: .6rem .9rem; min-width: 8rem; } .card b { display: block; font-size: 1.25rem; }\n"
    ".card span, p.note { color: var(--faint); } .card span { font-size: .85rem; }\n"
    "svg { width: 100%; height: auto; } svg text { fill: var(--faint); font-size: 12px; }\n"
    ".grid { stroke: var(--line); } .ideal { stroke: var(--faint); stroke-dasharray: 4 4; }\n"
    "polyline { fill: none; stroke-width: 2.2; } .most { stroke: var(--most); } .least { stroke: var(--least); }\n"
    "svg text.most, svg text.least { stroke: none; }\n"
    ".wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; "
    "}\n"
    "th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }\n"
    "th:first-child, td:first-child { text-align: left; } th button { all: unset; cursor: pointer; font-weight: 600; "
    "}\n"
    "th button:focus-visible { outline: 2px solid var(--most); }\n"
    "</style>\n";

/* The first click sorts numbers in descending and names in ascending order, the next one reverses it. */
static const char script[] =
    "<script>\n"
    "document.querySelectorAll('th button').forEach(function (button, column) {\n"
    "  var turned = 1;\n"
    "  button.addEventListener('click', function () {\n"
    "    var body = document.querySelector('tbody'), rows = Array.from(body.rows);\n"
    "    function key(row) { return row.cells[column].dataset.v; }\n"
    "    rows.sort(function (a, b) {\n"
    "      return turned * (column ? Number(key(b)) - Number(key(a)) : key(a).localeCompare(key(b)));\n"
    "    });\n"
    "    rows.forEach(function (row) { body.appendChild(row); });\n"
    "    turned = -turned;\n"
    "  });\n"
    "});\n"
    "</script>\n</body>\n</html>\n";

/* File names may contain any character. */
static void put_text(FILE *f, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        case '\'': fputs("&#39;", f); break;
        default: fputc((unsigned char)*text < ' ' ? '?' : *text, f);
        }
    }
}

static void put_length(FILE *f, const struct wsfj_summary *s, double x)
{
    fputs(wsfj_profile_length(s, x).text, f);
}

static void open_card(FILE *f, const char *what)
{
    fprintf(f, "<div class=\"card\"><span>%s</span><b>", what);
}

static void card_length(FILE *f, const struct wsfj_summary *s, const char *what, double x)
{
    open_card(f, what);
    put_length(f, s, x);
    fputs("</b></div>\n", f);
}

static void card_lengths(FILE *f, const struct wsfj_summary *s, const char *what, double least, double most)
{
    open_card(f, what);
    wsfj_profile_between(f, s, least, most);
    fputs("</b></div>\n", f);
}

static void card_ratios(FILE *f, const char *what, double work, double least, double most)
{
    open_card(f, what);
    wsfj_verdict_put_ratios(f, work, least, most, 2);
    fputs("</b></div>\n", f);
}

static void put_count(FILE *f, uint64_t count, const char *what, const char *then)
{
    fprintf(f, "%llu %s%s%s", (unsigned long long)count, what, count == 1 ? "" : "s", then);
}

static void put_figures(FILE *f, const struct wsfj_summary *s)
{
    fputs("<title>", f);
    put_text(f, s->program);
    fputs(": libwsfj profile</title>\n</head>\n<body>\n<h1>Work and span of ", f);
    put_text(f, s->program);
    fputs("</h1>\n<div class=\"cards\">\n", f);
    card_length(f, s, "work", s->work);
    if (s->blocked > 0)
        card_length(f, s, "blocked", s->blocked);
    card_lengths(f, s, "span", s->span_least, s->span_most);
    card_ratios(f, "parallelism", s->serial, s->span_least, s->span_most);
    card_lengths(f, s, "burdened span", wsfj_burdened_least(s), wsfj_burdened_most(s));
    card_ratios(f, "burdened parallelism", s->serial, wsfj_burdened_least(s), wsfj_burdened_most(s));
    card_length(f, s, "average strand", s->strand);
    fprintf(f, "</div>\n<p class=\"note\">");
    put_count(f, s->totals->regions, "region", ", ");
    put_count(f, s->totals->spawns, "spawn", ", ");
    put_count(f, s->totals->strands, "strand", ". ");
    if (s->totals->unfinished)
        put_count(f, s->totals->unfinished, "region", " had not ended at exit. ");
    if (strcmp(s->unit, "ns") == 0) {
        fputs("A steal counts ", f);
        put_length(f, s, s->steal);
        fputs(", a suspended join ", f);
        put_length(f, s, s->join);
        fprintf(f, " (%s). %.1f&#160;%% of the work is sampled; standard error %.2f&#160;%%.",
                s->burden_is_measured ? "measured" : "not measured here", 100 * s->sampled, 100 * s->error);
        if (s->error > WSFJ_ROUGH_ERROR)
            fprintf(f, " <strong>%s.</strong>", WSFJ_ROUGH);
    } else {
        fputs("In units: each task costs 1, each steal 1, each suspended join 1.", f);
    }
    fputs("</p>\n", f);
}

/* The curve: both axes are logarithmic. */
#define WIDTH 640
#define HEIGHT 340
#define LEFT 50.0
#define RIGHT 620.0
#define TOP 20.0
#define BOTTOM 300.0
#define LOG_WORKERS 10
#define STEPS 4                /* of a doubling */
#define STEP 1.189207115002721 /* the fourth root of 2 */
#define LOG_LEAST (-3)

static double log2_of(double x)
{
    double log = 0;

    for (; x >= 2; x /= 2)
        log++;
    for (; x < 1 && log > LOG_LEAST; x *= 2)
        log--;
    for (double bit = 0.5; bit > 1e-5; bit /= 2) {
        x *= x;
        if (x >= 2) {
            x /= 2;
            log += bit;
        }
    }
    return log < LOG_LEAST ? LOG_LEAST : log;
}

/* The range of the vertical axis. */
struct axis {
    int least, most;
};

static double y_of(struct axis axis, double log)
{
    return BOTTOM - (BOTTOM - TOP) * (log - axis.least) / (axis.most - axis.least);
}

static double x_of(double log)
{
    return LEFT + (RIGHT - LEFT) * log / LOG_WORKERS;
}

typedef double curve_fn(const struct wsfj_summary *s, double workers);

static void put_curve(FILE *f, const struct wsfj_summary *s, struct axis axis, curve_fn *curve, const char *name)
{
    double workers = 1, y = 0;

    fprintf(f, "<polyline class=\"%s\" points=\"", name);
    for (int i = 0; i <= LOG_WORKERS * STEPS; i++, workers *= STEP) {
        double log = log2_of(curve(s, workers));

        y = y_of(axis, log < axis.most ? log : axis.most);
        fprintf(f, "%s%.1f,%.1f", i ? " " : "", x_of((double)i / STEPS), y);
    }
    fprintf(f, "\"/>\n<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">at %s</text>\n", name, RIGHT,
            y + (strcmp(name, "most") == 0 ? -6 : 16), name);
}

static void put_grid(FILE *f, struct axis axis)
{
    for (int log = 0; log <= LOG_WORKERS; log++)
        fprintf(f,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%d</text>\n",
                x_of(log), TOP, x_of(log), BOTTOM, x_of(log), BOTTOM + 16, 1 << log);
    for (int log = axis.least; log <= axis.most; log++)
        fprintf(f,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s%d</text>\n",
                LEFT, y_of(axis, log), RIGHT, y_of(axis, log), LEFT - 8, y_of(axis, log) + 4, log < 0 ? "1/" : "",
                1 << (log < 0 ? -log : log));
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">workers</text>\n", (LEFT + RIGHT) / 2, BOTTOM + 34);
}

static void put_speedup(FILE *f, const struct wsfj_summary *s)
{
    struct axis axis = {(int)log2_of(wsfj_speedup_least(s, 1)), 1};
    int most = (int)log2_of(wsfj_speedup_most(s, 1 << LOG_WORKERS)) + 1;

    axis.most = most < 1 ? 1 : most > LOG_WORKERS ? LOG_WORKERS : most;
    axis.least -= wsfj_speedup_least(s, 1) < 1 && axis.least > LOG_LEAST;
    fputs("<h2>Speed-up</h2>\n", f);
    fprintf(f, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Speed-up against workers\">\n", WIDTH, HEIGHT);
    put_grid(f, axis);
    fprintf(f, "<line class=\"ideal\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x_of(0), y_of(axis, 0),
            x_of(axis.most), y_of(axis, axis.most));
    put_curve(f, s, axis, wsfj_speedup_least, "least");
    put_curve(f, s, axis, wsfj_speedup_most, "most");
    fputs("</svg>\n", f);
}

static void cell_length(FILE *f, const struct wsfj_summary *s, double x)
{
    fprintf(f, "<td data-v=\"%.10g\">", x);
    put_length(f, s, x);
    fputs("</td>", f);
}

static void cell_number(FILE *f, int digits, double x)
{
    fprintf(f, "<td data-v=\"%.10g\">%.*f</td>", x, digits, x);
}

static void put_site(FILE *f, const struct wsfj_summary *s, const struct wsfj_total *t)
{
    double work = (double)t->work * s->scale;

    fputs("<tr><td data-v=\"", f);
    put_text(f, t->task);
    fputs("\">", f);
    put_text(f, t->task);
    if (*t->file) {
        fputs(" at ", f);
        put_text(f, t->file);
        fprintf(f, ":%u", t->line);
    }
    fputs("</td>", f);
    cell_number(f, 0, (double)t->count);
    cell_length(f, s, work);
    cell_length(f, s, (double)t->path.wsfj_span * s->scale);
    cell_number(f, 2, wsfj_parallelism(t, t->path.wsfj_span));
    cell_number(f, 2, wsfj_parallelism(t, t->path.wsfj_burdened));
    cell_length(f, s, t->strands ? work / (double)t->strands : 0);
    fputs("</tr>\n", f);
}

void wsfj_profile_html(FILE *f, const struct wsfj_summary *s)
{
    static const char *const columns[] = {"spawned", "count", "work", "span", "parallelism", "burdened", "strand"};

    fputs(head, f);
    put_figures(f, s);
    put_speedup(f, s);
    fputs("<h2>Sites</h2>\n<div class=\"wide\"><table>\n<thead><tr>", f);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        fprintf(f, "<th scope=\"col\"><button type=\"button\">%s</button></th>", columns[i]);
    fputs("</tr></thead>\n<tbody>\n", f);
    for (size_t i = 0; i < s->num_sites; i++)
        put_site(f, s, s->sites[i]);
    fputs("</tbody>\n</table></div>\n", f);
    if (wsfj_profile_exceeds(s))
        fputs("<p class=\"note\">" WSFJ_EXCEEDS "</p>\n", f);
    fputs("<h2>Verdict</h2>\n", f);
    wsfj_profile_verdict(f, s, &(struct wsfj_verdict_style){"<p>", "</p>\n", put_text});
    fputs(script, f);
}
