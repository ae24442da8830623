/* SPDX-License-Identifier: MIT */
/*
 * The first use of the library brings no further library into the program. hwloc would: it first loads its plugins,
 * wherever they are installed (Debian: libhwloc-plugins), with the libraries for X, OpenCL and XML that they need.
 */
#include "../support/folder.h"

#include "../plugin/untrusted.h"
#include "../support/fib_task.h"
#include "../support/process.h"
#include "../support/runtime.h"

#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#define UNTRUSTED "tests/plugin/.libs/untrusted.so"

static int note_adds(struct dl_phdr_info *object, size_t size, void *adds)
{
    (void)size;
    *(unsigned long long *)adds = object->dlpi_adds;
    return 1;
}

/* How many libraries the process has loaded so far, also those that are gone again. */
static unsigned long long loads(void)
{
    unsigned long long adds = 0;

    dl_iterate_phdr(note_adds, &adds);
    return adds;
}

static int use(long unused)
{
    unsigned long long before = loads();
    long result = 0;

    (void)unused;
    if (ws_run(fib, &result, 15) != 0 || result != 610 || ws_fini() != 0)
        return 2;
    return loads() > before;
}

/* Catches: plugins loaded to read this machine. Fails only where some are installed. */
START_TEST(the_first_use_loads_no_library)
{
    struct outcome o = in_child(use, 0);

    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, "");
}
END_TEST

static int use_with(long described)
{
    setenv("HWLOC_PLUGINS_PATH", folder, 1);
    if (described)
        setenv("HWLOC_SYNTHETIC", "core:2 pu:1", 1);
    return use(0);
}

/* The same where none are installed: this one tells on stderr that it has been loaded. Catches also: hwloc asked
 * because a variable is set that describes no machine. */
START_TEST(nor_a_plugin)
{
    char *target = realpath(UNTRUSTED, NULL);
    struct outcome o;

    folder_make();
    ck_assert_ptr_nonnull(target);
    ck_assert_int_eq(symlink(target, folder_path("hwloc_untrusted.so")), 0);
    free(target);
    o = in_child(use_with, true);
    if (!strstr(o.text, UNTRUSTED_SAYS)) {
        printf("skipped: nor_a_plugin: this hwloc loads no plugins\n");
        return;
    }
    o = in_child(use_with, false);
    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, "");
}
END_TEST

int main(void)
{
    static const char *const variables[] = {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_FSROOT", "HWLOC_CPUID_PATH"};
    TCase *tcase = new_case("libraries");
    int status;

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    tcase_add_test(tcase, the_first_use_loads_no_library);
    ADD_TEST_UNLESS(WITHOUT_MACHINES               ? WITHOUT_MACHINES
                    : access(UNTRUSTED, R_OK) != 0 ? "there is no shared library"
                                                   : NULL,
                    tcase, nor_a_plugin);
    if (folder_begin("libraries") != 0)
        return EXIT_FAILURE;
    status = run_case("libraries", tcase);
    folder_end();
    return status;
}
