/* SPDX-License-Identifier: MIT */
/* wsfj-calibrate SCENE, or --help, or --version: what the scene takes on this machine, in nanoseconds. For wsfj-sim
 * --calibrate. */
#include "scenes.h"

#include <wsfj.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECONDS_MOST 60
#define USAGE "usage: wsfj-calibrate SCENE\n"

static bool show_version(void)
{
    const char *text;

    (void)ws_version(&text);
    return printf("wsfj-calibrate (libwsfj) %s\n", text) > 0;
}

int main(int argc, char **argv)
{
    double ns;

    if (argc != 2) {
        fputs(USAGE, stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0)
        return fputs(USAGE, stdout) < 0;
    if (strcmp(argv[1], "--version") == 0)
        return !show_version();
    alarm(SECONDS_MOST);
    ns = scene_measure(argv[1]);
    return ns < 0 || printf("%.3f\n", ns) < 0;
}
