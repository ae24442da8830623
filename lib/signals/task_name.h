/* SPDX-License-Identifier: MIT */
/*
 * The name of a task, from the name of a function that the macros make of it: wsfj_run_0_fib.part.0 belongs to fib. For
 * what people read: dumps (symbols.c) and the reports of wsfj-race. tools/gdb.py has the same words.
 */
#ifndef WSFJ_SIGNALS_TASK_NAME_H
#define WSFJ_SIGNALS_TASK_NAME_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* `rest` is what stands behind "wsfj_". Returns where the task's name begins in it: behind one of these words, and numbers. NULL
 * if there is none of the words. The numbers of "run_" are in the list, because the library has functions that begin with
 * "wsfj_run_". Folds and static loops have tasks for their parts: then two words stand before the name. */
static inline const char *wsfj_task_name_after(const char *rest)
{
    static const char *const words[] = {"body_",  "drive_", "exec_",  "go_",        "leaf_",
                                        "out_",   "owner_", "raced_", "range_",     "run_0_",
                                        "run_1_", "run_2_", "twin_",  "wsfj_part_", "wsfj_ticket_"};
    const char *name = NULL;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);

        if (strncmp(rest, words[i], n) != 0)
            continue;
        for (rest += n; isdigit((unsigned char)rest[0]) && rest[1] == '_'; rest += 2)
            ;
        name = rest;
        if (strncmp(name, "wsfj_", 5) != 0)
            break;
    }
    return name;
}

/* Shortens `function` to the name of its task. False if it belongs to none. It may be a symbol, mangled by C++ or not, or
 * what addr2line -C prints. */
static inline bool wsfj_task_name(char *function)
{
    char *at = strstr(function, "wsfj_"), *digits = at;
    const char *name = at ? wsfj_task_name_after(at + 5) : NULL;
    size_t length;

    if (!name || (at != function && at[-1] != ':' && !isdigit((unsigned char)at[-1])))
        return false;
    length = strcspn(name, ".(");
    while (digits > function && isdigit((unsigned char)digits[-1]))
        digits--;
    if (digits < at) { /* mangled: the number of characters, then as many */
        size_t whole = strtoul(digits, NULL, 10), before = (size_t)(name - at);

        if (whole <= before || whole - before > length)
            return false;
        length = whole - before;
    }
    if (length == 0)
        return false;
    memmove(function, name, length);
    function[length] = '\0';
    return true;
}

#endif
