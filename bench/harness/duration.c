/* SPDX-License-Identifier: MIT */
#include "duration.h"

#include <math.h>
#include <stdio.h>

/* `value` is what is shown, rounded: a value that rounds up to the limit has one decimal less. */
static int decimals_of(double value, int digits)
{
    int decimals = digits - 1;

    for (double limit = 10; decimals > 0 && value >= limit - 0.5 * pow(10, -decimals); limit *= 10)
        decimals--;
    return decimals;
}

struct duration duration_of(double seconds)
{
    static const struct {
        const char *name;
        double length;
    } units[] = {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    double size = fabs(seconds);
    struct duration d;
    int i = 0;

    if (!isfinite(seconds)) {
        snprintf(d.text, sizeof d.text, "-");
    } else if (size >= 0.009995 || size == 0) {
        snprintf(d.text, sizeof d.text, "%.*f", size < 1 ? 4 : decimals_of(size, 5), seconds);
    } else {
        while (i < 2 && size / units[i].length < 0.9995)
            i++;
        snprintf(d.text, sizeof d.text, "%.*f%s", decimals_of(size / units[i].length, 3), seconds / units[i].length,
                 units[i].name);
    }
    return d;
}
