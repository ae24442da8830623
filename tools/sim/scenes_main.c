/* SPDX-License-Identifier: MIT */
/* wsfj-calibrate SCENE: what the scene takes on this machine, in nanoseconds. For wsfj-sim --calibrate. */
#include "scenes.h"

#include <stdio.h>
#include <unistd.h>

#define SECONDS_MOST 60

int main(int argc, char **argv)
{
    double ns;

    if (argc != 2) {
        fprintf(stderr, "usage: wsfj-calibrate SCENE\n");
        return 2;
    }
    alarm(SECONDS_MOST);
    ns = scene_measure(argv[1]);
    return ns < 0 || printf("%.3f\n", ns) < 0;
}
