/* SPDX-License-Identifier: MIT */
/* What plugin/lure.c says when it is loaded. */
#ifndef TESTS_PLUGIN_LURE_H
#define TESTS_PLUGIN_LURE_H

#define LURE_SAYS "lure: foreign code runs here\n"

#endif
