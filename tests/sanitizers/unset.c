/* SPDX-License-Identifier: MIT */
/* Tasks that use memory that nobody has set, with `unset`, or that somebody has. `twice` starts the runtime twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wsfj.h>

static __attribute__((noinline)) void use(const long *value)
{
    if (*value != 5) /* the use */
        exit(1);
}

static WS_TASK(long, child, const long *, values, long, i)
{
    return values[i];
}

static WS_TASK_VOID(parent, const long *, values)
{
    long sums[2];

    ws_spawn(child, &sums[0], values, 0L);
    ws_spawn(child, &sums[1], values, 1L);
    ws_sync();
    use(&sums[0]);
    use(&sums[1]);
}

int main(int argc, char **argv)
{
    long *values = malloc(2 * sizeof *values);

    if (!values)
        return 1;
    values[0] = 5;
    if (argc < 2 || strcmp(argv[1], "unset"))
        values[1] = 5;
    for (int times = 0; times < 2; times++) {
        if (ws_run(parent, values) != 0)
            return 1;
        if (argc < 2 || strcmp(argv[1], "twice"))
            break;
        (void)ws_fini();
    }
    free(values);
    return 0;
}
