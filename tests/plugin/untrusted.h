/* SPDX-License-Identifier: MIT */
/* The line that untrusted.c prints. */
#ifndef TESTS_PLUGIN_UNTRUSTED_H
#define TESTS_PLUGIN_UNTRUSTED_H

#define UNTRUSTED_SAYS "untrusted: foreign code runs here\n"

#endif
