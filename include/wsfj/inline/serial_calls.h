/* SPDX-License-Identifier: MIT */
/*
 * The functions of wsfj.h for a serial program, which needs nothing of the library: one worker, which is always up, and
 * one slot. wsfj.h includes this with -DWSFJ_SERIAL and -DWSFJ_RACE.
 */
#ifndef WSFJ_SERIAL_CALLS_H
#define WSFJ_SERIAL_CALLS_H

static inline void ws_config_default(ws_config *wsfj_config)
{
    memset(wsfj_config, 0, sizeof *wsfj_config);
    wsfj_config->size = sizeof *wsfj_config;
    wsfj_config->spin_us = WS_SPIN_DEFAULT;
    wsfj_config->max_spares = WS_SPARES_DEFAULT;
}
static inline int ws_init(const ws_config *wsfj_config)
{
    (void)wsfj_config;
    return 0;
}
static inline int ws_fini(void)
{
    return 0;
}
static inline int ws_phase_begin(void)
{
    return 0;
}
static inline int ws_phase_end(void)
{
    return 0;
}
static inline size_t ws_num_workers(void)
{
    return 1;
}
static inline int ws_worker_id(void)
{
    return 0;
}
static inline size_t ws_num_slots(void)
{
    return 1;
}
static inline size_t ws_slot(void)
{
    return 0;
}
static inline int ws_stats_get(struct ws_stats *wsfj_stats)
{
    size_t wsfj_size = wsfj_stats ? wsfj_stats->size : 0;

    if (wsfj_size < sizeof *wsfj_stats)
        return EINVAL;
    memset(wsfj_stats, 0, sizeof *wsfj_stats);
    wsfj_stats->size = wsfj_size;
    return 0;
}
static inline int ws_stats_worker(size_t wsfj_worker, struct ws_stats *wsfj_stats)
{
    int wsfj_error = ws_stats_get(wsfj_stats);

    return wsfj_error ? wsfj_error : wsfj_worker > 0 ? ERANGE : 0;
}
static inline const char *ws_strerror(int wsfj_error)
{
    return strerror(wsfj_error);
}
static inline unsigned ws_version(const char **wsfj_text)
{
    if (wsfj_text)
        *wsfj_text = WSFJ_VERSION_STRING;
    return WSFJ_VERSION;
}

#endif
