/* SPDX-License-Identifier: MIT */
/* Errors, and lines on stderr. */
#include "mpi/record.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int wsfj_mpi_error(int code)
{
    int class = code;

    if (code != MPI_SUCCESS)
        (void)MPI_Error_class(code, &class);
    return class > 0 ? -class : class;
}

WSFJ_MPI_EXPORT const char *ws_mpi_strerror(int error)
{
    static __thread char text[MPI_MAX_ERROR_STRING + 1];
    int length, flag = 0;

    switch (error) { /* what only this library returns */
    case ECHILD: return "the child of a fork may not call MPI";
    case ENOTSUP: return "MPI was started with MPI_THREAD_SINGLE";
    default: break;
    }
    if (error >= 0)
        return ws_strerror(error);
    if (MPI_Initialized(&flag) == MPI_SUCCESS && flag && MPI_Finalized(&flag) == MPI_SUCCESS && !flag &&
        MPI_Error_string(-error, text, &length) == MPI_SUCCESS)
        return text;
    snprintf(text, sizeof text, "error class %d of MPI", -error);
    return text;
}

void wsfj_mpi_say(const char *format, ...)
{
    char line[512] = "libwsfj-mpi: ";
    size_t n = strlen(line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line + n, sizeof line - n, format, arguments);
    va_end(arguments);
    n = strlen(line);
    line[n] = '\n';
    if (write(STDERR_FILENO, line, n + 1) < 0)
        return; /* nobody can be told */
}
