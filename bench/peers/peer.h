/* SPDX-License-Identifier: MIT */
/* What the driver needs of a runtime. Each runtime's folder defines it; neighbour: peer.c. */
#ifndef BENCH_PEERS_PEER_H
#define BENCH_PEERS_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sets how many threads run tasks from now on. Called once, before the first kernel. Returns 0 or an errno. */
int peer_start(int workers);

#ifdef __cplusplus
}
#endif

#endif
