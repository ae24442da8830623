/* SPDX-License-Identifier: MIT */
/* What WS_CHANNEL_INIT and WS_CHANNEL_UNBUFFERED know of their items, and refuse. */
#ifndef WSFJ_ITEMS_H
#define WSFJ_ITEMS_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "compiler.h"

#include <stddef.h>

#define WSFJ_ITEMS_SAY                                                                                                 \
    "libwsfj: WS_CHANNEL_INIT(array) takes an array; a pointer does not say how many items there are: "                \
    "ws_channel_init()"

/* WSFJ_ITEMS(array): how many elements the array has. WSFJ_ITEM_SIZE(type): what is no type does not compile. */
#ifdef __cplusplus
extern "C++" {
template <class wsfj_T> struct wsfj_items {
    static_assert(sizeof(wsfj_T) == 0, WSFJ_ITEMS_SAY);
    static constexpr size_t wsfj_n = 0;
};
template <class wsfj_T, size_t wsfj_length> struct wsfj_items<wsfj_T[wsfj_length]> {
    static constexpr size_t wsfj_n = wsfj_length;
};
}
#define WSFJ_ITEMS(array) wsfj_items<__typeof__(array)>::wsfj_n
#define WSFJ_ITEM_SIZE(type) (sizeof(type) * __is_same(type, type))
#else
#define WSFJ_ITEMS(array)                                                                                              \
    (0 * __extension__ sizeof(struct {                                                                                 \
         _Static_assert(!__builtin_types_compatible_p(__typeof__(array), __typeof__(&*(array))), WSFJ_ITEMS_SAY);      \
         char wsfj_none;                                                                                               \
     }) +                                                                                                              \
     sizeof(__typeof__(array)) / sizeof *(array))
#define WSFJ_ITEM_SIZE(type) (sizeof(type) * __builtin_types_compatible_p(type, type))
#endif

#endif
