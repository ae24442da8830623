/* SPDX-License-Identifier: MIT */
#include "base/hooks.h"

WSFJ_EXPORT __attribute__((tls_model("initial-exec"), used)) __thread struct wsfj_profile *wsfj_profile_tls;
