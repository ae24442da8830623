/* SPDX-License-Identifier: MIT */
/* What plugin/untrusted.c says when it is loaded. */
#ifndef TESTS_PLUGIN_UNTRUSTED_H
#define TESTS_PLUGIN_UNTRUSTED_H

#define UNTRUSTED_SAYS "untrusted: foreign code runs here\n"

#endif
