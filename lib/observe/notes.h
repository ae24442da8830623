/* SPDX-License-Identifier: MIT */
#ifndef WSFJ_OBSERVE_NOTES_H
#define WSFJ_OBSERVE_NOTES_H

struct wsfj_textbuf;

/* Adds the lines of ws_dump_add(). */
void wsfj_notes(struct wsfj_textbuf *text);

/* In the child of a fork: no other thread holds an entry. */
void wsfj_notes_forget(void);

#endif
