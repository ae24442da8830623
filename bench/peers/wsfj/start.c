/* SPDX-License-Identifier: MIT */
#include "../peer.h"

#include <wsfj.h>

int peer_start(int workers)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = (size_t)workers;
    return ws_init(&config);
}
