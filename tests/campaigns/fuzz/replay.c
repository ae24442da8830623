/* SPDX-License-Identifier: MIT */
/*
 * A harness with the inputs saved in tests/campaigns/fuzz/corpus and those that long_inputs has made, each a test of its own, in a
 * process of its own. With arguments: these files, in this process (for a debugger). Environment: srcdir.
 */
#include "../../support/resources.h"
#include "../../support/run.h"
#include "../../support/sanitizer.h"
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS_MOST 1000

static char *inputs[INPUTS_MOST];
static int num_inputs;

/* Runs it until no more memory is in use than before. The first times something may be made that stays, or be kept by
 * malloc(), a few blocks of each size. */
static void forgets_nothing(const uint8_t *input, size_t size)
{
    bool more = true;

    for (int i = 0; more && i < 100; i++) {
        size_t before = allocated();

        (void)LLVMFuzzerTestOneInput(input, size);
        more = allocated() > before && fuzz_memory_is_ours && !SANITIZED; /* those search themselves */
    }
    must(!more);
}

static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    size_t size = 0, room = 0, n;

    do {
        room += 65536;
        data = realloc(data, room);
        n = data && file ? fread(data + size, 1, room - size, file) : 0;
        size += n;
    } while (n > 0);
    if (!file || !data || fclose(file) != 0) {
        perror(path);
        abort();
    }

    /* The exact size, for what watches the ends of blocks. */
    uint8_t *input = malloc(size);

    if (size)
        memcpy(input, data, size);
    free(data);
    forgets_nothing(input, size);
    free(input);
}

START_TEST(the_saved_input_breaks_nothing)
{
    puts(inputs[_i]);
    fflush(stdout);
    replay(inputs[_i]);
    ck_assert_msg(true, "%s", inputs[_i]);
}
END_TEST

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Adds the inputs of a folder below `top`. Returns how many. */
static int add_folder(const char *top, const char *which)
{
    struct dirent **entries;
    char folder[4096];
    int n;

    snprintf(folder, sizeof folder, "%s/tests/campaigns/fuzz/%s/%s", top, which, fuzz_name);
    n = scandir(folder, &entries, is_input, alphasort);
    for (int i = 0; i < n; i++) {
        char path[4096 + sizeof entries[i]->d_name];

        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (num_inputs < INPUTS_MOST && (inputs[num_inputs] = strdup(path)))
            num_inputs++;
    }
    return n;
}

int main(int argc, char **argv)
{
    const char *srcdir = getenv("srcdir");
    TCase *tcase = new_case(fuzz_name);

    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    if (argc > 1)
        return 0;
    if (add_folder(srcdir ? srcdir : ".", "corpus") <= 0 || (add_folder(".", "long"), num_inputs == INPUTS_MOST)) {
        fprintf(stderr, "%s: no inputs, or too many\n", fuzz_name);
        return 1;
    }
    tcase_add_loop_test(tcase, the_saved_input_breaks_nothing, 0, num_inputs);
    return run_case(fuzz_name, tcase);
}
