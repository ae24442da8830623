/* SPDX-License-Identifier: MIT */
/*
 * The version of a trace's format. Raise it when a name, a number or its meaning changes: wsfj-view shows exactly this
 * one. Format 1 did not state its version.
 */
#ifndef WSFJ_OBSERVE_TRACE_FORMAT_H
#define WSFJ_OBSERVE_TRACE_FORMAT_H

#define WSFJ_TRACE_FORMAT 4

#endif
