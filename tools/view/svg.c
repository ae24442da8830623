/* SPDX-License-Identifier: MIT */
#include "show.h"

#include "chart.h"
#include "page.h"
#include "put.h"

#include <string.h>

#define MARGIN 20
#define WIDTH (2 * VIEW_CHART_WIDTH + 2 * MARGIN)
#define LINE_LENGTH 165
#define MATRIX_HEIGHT 494 /* at most */
#define LINE_HEIGHT 18

/* Breaks a text into lines, because SVG does not. Returns the position of the next line. */
static int put_sentence(FILE *out, const char *text, int y)
{
    while (*text) {
        size_t n = strlen(text), most = n;

        if (n > LINE_LENGTH) {
            for (most = LINE_LENGTH; most > 0 && text[most] != ' ';)
                most--;
            most = most ? most : n;
        }

        char line[512];

        snprintf(line, sizeof line, "%.*s", (int)most, text);
        fprintf(out, "<text x='%d' y='%d'>", MARGIN, y);
        view_put_markup(out, line);
        fprintf(out, "</text>\n");
        text += most + (text[most] == ' ');
        y += LINE_HEIGHT;
    }
    return y + 4;
}

/* Draws two charts beside each other. */
static int put_pair(FILE *out, int y, const struct view_sums *s,
                    void (*left)(FILE *, struct view_at, const struct view_sums *),
                    void (*right)(FILE *, struct view_at, const struct view_sums *))
{
    left(out, (struct view_at){MARGIN, y}, s);
    right(out, (struct view_at){MARGIN + VIEW_CHART_WIDTH, y}, s);
    return y + VIEW_CHART_HEIGHT + 10;
}

static int draw(FILE *out, const struct view_sums *s, const struct view_advice *a, const char *title)
{
    int y = 34;

    fprintf(out, "<text x='%d' y='%d' class='title'>", MARGIN, y);
    view_put_markup(out, title);
    fprintf(out, "</text>\n");
    y += 26;
    for (int i = 0; i < a->count; i++)
        y = put_sentence(out, a->at[i].text, y);
    y += view_chart_lanes(out, (struct view_at){MARGIN, y}, s) + 10;
    y = put_pair(out, y, s, view_chart_over_time, view_chart_parallelism);
    y = put_pair(out, y, s, view_chart_workers, view_chart_lengths);
    y = put_pair(out, y, s, view_chart_tasks, view_chart_steals);
    view_chart_distances(out, (struct view_at){MARGIN + VIEW_CHART_WIDTH, y}, s);
    view_chart_matrix(out, (struct view_at){MARGIN, y}, s);
    return y + MATRIX_HEIGHT + MARGIN;
}

void view_show_svg(FILE *out, const struct view_sums *s, const struct view_advice *a, const char *title)
{
    int height = 60;

    /* The same steps as draw(), without drawing. */
    for (int i = 0; i < a->count; i++)
        height += ((int)strlen(a->at[i].text) / (LINE_LENGTH - 20) + 1) * LINE_HEIGHT + 4;
    height += view_chart_lanes_height(s) + 10;
    height += 3 * (VIEW_CHART_HEIGHT + 10) + MATRIX_HEIGHT + MARGIN;
    fprintf(out,
            "<?xml version='1.0' encoding='UTF-8'?>\n<svg xmlns='http://www.w3.org/2000/svg' class='chart' width='%d' "
            "height='%d' viewBox='0 0 %d %d'>\n<style>\n",
            WIDTH, height, WIDTH, height);
    view_put_lines(out, view_literal_css);
    fprintf(out, "</style>\n<rect class='paper' width='%d' height='%d'/>\n", WIDTH, height);
    (void)draw(out, s, a, title);
    fprintf(out, "</svg>\n");
}
