/* SPDX-License-Identifier: MIT */
/* Pairs of two children that use memory in one way or the other: widths, vectors, copies, the C library (cases.h). */
#define _GNU_SOURCE
#include "cases.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct big {
    char c[200];
};
struct small {
    char c[24];
};
typedef int four __attribute__((vector_size(16)));
long total, table[1024];
static volatile long copy;
static char text[2][64], bytes[64];
static short halves[64];
static int words[64], numbers[2][16];
static float reals[1024], more[1024];
static double doubles[64];
static long double longs[4];
static __int128 huge[4];
static four fours[4];
struct fields {
    unsigned a : 4, b : 4, : 0, c;
};
struct fields fields;
static struct big blocks[2], block;
static struct small smalls[2], small;
static __thread long mine;
static char *volatile none;

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b; /* qsort_any */
}
static int open_zero(void)
{
    static __thread int fd;

    return fd ? fd : (fd = open("/dev/zero", O_RDONLY));
}

/* The second child's own, or the first one's, too. */
#define AT(i) ((bug) ? 0 : (i))

/* clang-format off */
TWO(one_long, table[AT(i)]++;) /* one_long */
TWO(one_byte, bytes[AT(i)]++;) /* one_byte */
TWO(one_short, halves[AT(i)]++;) /* one_short */
TWO(one_int, words[AT(i)]++;) /* one_int */
TWO(one_double, doubles[AT(i)] += 1;) /* one_double */
TWO(long_double, longs[AT(i)] += 1;) /* long_double */
TWO(int128, huge[AT(i)]++;) /* int128 */
TWO(vector, fours[AT(i)] += 1;) /* vector */
TWO(bit_field, if (bug || i) fields.b = 1; else fields.c = 2;) /* bit_field */
TWO(is_volatile, ((volatile long *)table)[AT(i)]++;) /* is_volatile */
TWO(unaligned, long v = i; memcpy(bytes + 3 + 8 * AT(i), &v, sizeof v);) /* unaligned */
TWO(big_assigned, if (bug) block = blocks[i]; else blocks[i] = block;) /* big_assigned */
TWO(small_assigned, if (bug) small = smalls[i]; else smalls[i] = small;) /* small_assigned */
TWO(zeroed, struct big *b = &blocks[AT(i)]; *b = (struct big){{0}};) /* zeroed */
TWO(memcpy_fixed, memcpy(&blocks[AT(i)], &block, sizeof block);) /* memcpy_fixed */
TWO(memcpy_8, memcpy(&table[AT(i)], &total, 8);) /* memcpy_8 */
TWO(memcpy_any, memcpy(&table[512 * AT(i)], &table[300], 8 * (size_t)(i + 8));) /* memcpy_any */
TWO(memmove_any, memmove(&table[512 * AT(i)], &table[300], 8 * (size_t)(i + 8));) /* memmove_any */
TWO(memset_any, memset(&table[512 * AT(i)], 0, 8 * (size_t)(i + 8));) /* memset_any */
TWO(strcpy_any, strcpy(text[AT(i)], i ? "one" : "two");) /* strcpy_any */
TWO(strcat_any, strcat(text[AT(i)], "x"); text[AT(i)][0] = 0;) /* strcat_any */
TWO(strncpy_any, strncpy(text[AT(i)], "word", 63);) /* strncpy_any */
TWO(strlen_any, if (i) copy = (long)strlen(text[0]); else text[AT(1)][0] = 'a';) /* strlen_any */
TWO(strcmp_any, if (i) copy = strcmp(text[0], "b"); else text[AT(1)][0] = 'a';) /* strcmp_any */
TWO(strchr_any, if (i) none = strchr(text[0], 'b'); else text[AT(1)][0] = 'a';) /* strchr_any */
TWO(memcmp_any, if (i) copy = memcmp(text[0], text[1] + 32, 8); else text[AT(1)][0] = 'c';) /* memcmp_any */
TWO(snprintf_any, snprintf(text[AT(i)], 64, "%ld", i);) /* snprintf_any */
TWO(sprintf_s, if (i) sprintf(text[1], "%.9s", text[0] + 40); else text[AT(1)][40] = 'c';) /* sprintf_s */
TWO(strtol_any, if (i) copy = strtol(text[0], NULL, 10); else text[AT(1)][0] = '7';) /* strtol_any */
TWO(qsort_any, qsort(numbers[AT(i)], 16, sizeof(int), compare);) /* qsort_any */
TWO(read_any, if (read(open_zero(), text[AT(i)], 8) < 0) abort();) /* read_any */
TWO(fread_any, FILE *f = fopen("/dev/zero", "r"); if (!f || fread(text[AT(i)], 1, 8, f) != 8) abort(); fclose(f);) /* fread_any */
TWO(fwrite_any, if (!i) text[AT(1)][0]++; else { FILE *f = fopen("/dev/null", "w"); if (!f) abort(); fwrite(text[0], 1, 8, f); fclose(f); }) /* fwrite_any */
TWO(thread_local, if (bug) total++; else mine++;) /* thread_local */
TWO(their_own, if (bug) total++; else mine++;) /* other_thread */
TWO(heap, long *p = malloc(64); if (!p) abort(); p[1] = i; if (bug) total += p[1]; free(p);) /* heap */
/* clang-format on */

/* A thread's own variables lie in what the system gives as its stack. */
static void *run_their_own(void *unused)
{
    their_own();
    return unused;
}
static void other_thread(void)
{
    pthread_t t;
    if (pthread_create(&t, NULL, run_their_own, NULL) == 0)
        pthread_join(t, NULL);
}

#define N 64
static WS_TASK_VOID(adds_reals, int, from)
{
    for (int i = from; i < from + N; i++)
        reals[i] += more[i]; /* vectorised */
}
static WS_TASK_VOID(all_reals, int, step)
{
    for (int i = 0; i + N <= 512; i += step)
        ws_spawn(adds_reals, i);
    ws_sync();
}
static void vectorised(void)
{
    ws_run(all_reals, bug ? N - 1 : N);
}

CASES({"one_long", one_long, "write and"}, {"one_byte", one_byte, "write and"}, {"one_short", one_short, "write and"},
      {"one_int", one_int, "write and"}, {"one_double", one_double, "write and"},
      {"long_double", long_double, "write and"}, {"int128", int128, "write and"}, {"vector", vector, "write and"},
      {"bit_field", bit_field, "write and"}, {"is_volatile", is_volatile, "write and"},
      {"unaligned", unaligned, "write and write"}, {"big_assigned", big_assigned, "write and write"},
      {"small_assigned", small_assigned, "write and write"}, {"zeroed", zeroed, "write and write"},
      {"memcpy_fixed", memcpy_fixed, "write and write"}, {"memcpy_8", memcpy_8, "write and write"},
      {"memcpy_any", memcpy_any, "write and write"}, {"memmove_any", memmove_any, "write and write"},
      {"memset_any", memset_any, "write and write"}, {"strcpy_any", strcpy_any, "write and write"},
      {"strcat_any", strcat_any, "write and"}, {"strncpy_any", strncpy_any, "write and write"},
      {"strlen_any", strlen_any, "write and read"}, {"strcmp_any", strcmp_any, "write and read"},
      {"strchr_any", strchr_any, "write and read"}, {"memcmp_any", memcmp_any, "write and read"},
      {"snprintf_any", snprintf_any, "write and write"}, {"sprintf_s", sprintf_s, "write and read"},
      {"strtol_any", strtol_any, "write and read"}, {"qsort_any", qsort_any, "write and"},
      {"read_any", read_any, "write and write"}, {"fread_any", fread_any, "write and write"},
      {"fwrite_any", fwrite_any, "write and read"}, {"thread_local", thread_local, "write and"},
      {"other_thread", other_thread, "write and"}, {"heap", heap, "write and"}, {"vectorised", vectorised, "write and"})
