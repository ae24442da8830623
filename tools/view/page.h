/* SPDX-License-Identifier: MIT */
/* The parts of the page: lists of lines that end with NULL. strings.awk makes them of the files with these names. */
#ifndef WSFJ_VIEW_PAGE_H
#define WSFJ_VIEW_PAGE_H

extern const char *const view_chart_css[],
    *const view_page_css[], *const view_page_html[], *const view_page_js[], *const view_page_ranks_js[],
                                                                                *const view_page_use_js[];
extern const char *const view_profile_page_html[], *const view_literal_css[]; /* the latter: chart.css for a picture */

#endif
