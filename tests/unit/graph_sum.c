/* SPDX-License-Identifier: MIT */
/* Work, span and tasks of recorded graphs: tools/sim/graph_sum.c. Neighbour: graph.c, the reader. */
#include "../../tools/sim/graph.h"

#include "graph.h"

#define HEAD "wsfj-graph 1\n"

static const struct {
    const char *text;
    double work, blocked, span;
    uint64_t tasks;
} sums[] = {
    /* A child beside its parent, and one after another. */
    {HEAD "node 0 work 10\nnode 1 spawn 0 work 3\nregion 0 epoch 1 thread 1 node 1\nend 4\n", 13, 0, 10, 2},
    {HEAD "node 0 work 10\nnode 1 spawn 0 work 3\nnode 2 call 1 work 4\nregion 0 epoch 1 thread 1 node 2\nend 5\n", 17,
     0, 14, 2},
    {HEAD "node 0 work 10\nnode 1 spawn 0 work 3\nnode 2 call 1 * 5\nregion 0 epoch 1 thread 1 node 2\nend 5\n", 65, 0,
     50, 6},
    {HEAD "node 0 work 10\nnode 1 spawn 0 work 3\nnode 2 part 1 * 5\nregion 0 epoch 1 thread 1 node 2\nend 5\n", 65, 0,
     22, 6},
    /* Costs by their numbers, which come later. */
    {HEAD "node 0 work @7 block @2 * 3\nregion 0 epoch 1 thread 1 node 0\n# a comment\n\ncost 2 0.5\ncost 7 1e3 "
          "site 0 child end\nsite 0 3 a b.c\tname of it\nend 8\n",
     1000, 1.5, 1001.5, 1},
    /* A loop is as long as its longest block. */
    {HEAD "node 0 run 5 10 run 3 12 * 4 run 1 2\nnode 1 work 1 loop 0\nregion 0 epoch 1 thread 1 node 1\nend 4\n", 61,
     0, 13, 1},
    /* Detached tasks: in a group, in none, and in none that anybody waits for. */
    {HEAD "node 0 work 10\nnode 1 work 1 submit 0 group 4 work 2 wait 4 work 5 submit 0\nregion 0 epoch 1 thread 1 "
          "node 1\nend 4\n",
     28, 0, 26, 3},
    {HEAD "node 0 work 10\nnode 1 post 1 yield\nregion 0 epoch 1 thread 1 node 1\nposted 1 node 0\nend 5\n", 10, 0, 10,
     2},
    /* Regions: two at once, then one; two of a thread follow each other. */
    {HEAD "node 0 work 10\nnode 1 work 4\nregion 2 epoch 2 thread 1 node 0\nregion 1 epoch 1 thread 2 node 1\n"
          "region 0 epoch 1 thread 1 node 1\nend 6\n",
     18, 0, 14, 3},
    {HEAD "node 0 work 10\nregion 0 epoch 1 thread 1 node 0\nregion 1 epoch 1 thread 1 node 0\nend 4\n", 20, 0, 20, 2},
    /* The longest of several children, and of a group's tasks. */
    {HEAD "node 0 work 10\nnode 1 work 3\nnode 2 spawn 0 spawn 1\nregion 0 epoch 1 thread 1 node 2\nend 5\n", 13, 0, 10,
     3},
    {HEAD
     "node 0 work 10\nnode 1 work 3\nnode 2 submit 0 group 1 submit 1 group 1 wait 1 work 5\nregion 0 epoch 1 thread 1 node 2\nend 5\n",
     18, 0, 15, 3},
    /* A wait for what has ended already, for one of two groups, and for a group that a child has waited for. */
    {HEAD "node 0 work 10\nnode 1 submit 0 group 1 work 20 wait 1 work 5\nregion 0 epoch 1 thread 1 node 1\nend 4\n",
     35, 0, 25, 2},
    {HEAD
     "node 0 work 10\nnode 1 work 30\nnode 2 submit 0 group 1 submit 1 group 2 wait 1 work 1 wait 2 work 1\nregion 0 epoch 1 thread 1 node 2\nend 5\n",
     42, 0, 31, 3},
    {HEAD
     "node 0 work 10\nnode 1 submit 0 group 1 wait 1\nnode 2 spawn 1 wait 1 work 5\nregion 0 epoch 1 thread 1 node 2\nend 5\n",
     15, 0, 10, 3},
    /* Detached tasks that a call, a child, a detached task, a part has submitted: to the end, and in a group. */
    {HEAD "node 0 work 10\nnode 1 work 3 submit 0\nnode 2 work 2 call 1\nregion 0 epoch 1 thread 1 node 2\nend 5\n", 15,
     0, 15, 2},
    {HEAD
     "node 0 work 10\nnode 1 submit 0 group 1\nnode 2 work 4 call 1 wait 1 work 5\nregion 0 epoch 1 thread 1 node 2\nend 5\n",
     19, 0, 19, 2},
    {HEAD "node 0 work 10\nnode 1 submit 0\nnode 2 work 2 spawn 1\nregion 0 epoch 1 thread 1 node 2\nend 5\n", 12, 0,
     12, 3},
    {HEAD
     "node 0 work 10\nnode 1 submit 0 group 1\nnode 2 work 2 spawn 1 wait 1 work 5\nregion 0 epoch 1 thread 1 node 2\nend 5\n",
     17, 0, 17, 3},
    {HEAD "node 0 work 10\nnode 1 submit 0\nnode 2 work 2 submit 1\nregion 0 epoch 1 thread 1 node 2\nend 5\n", 12, 0,
     12, 3},
    {HEAD
     "node 0 work 10\nnode 1 submit 0 group 1\nnode 2 work 2 submit 1 wait 1 work 5\nregion 0 epoch 1 thread 1 node 2\nend 5\n",
     17, 0, 17, 3},
    {HEAD "node 0 work 10\nnode 1 submit 0\nnode 2 work 2 part 1\nregion 0 epoch 1 thread 1 node 2\nend 5\n", 12, 0, 12,
     2},
    {HEAD
     "node 0 work 10\nnode 1 submit 0 group 1\nnode 2 work 2 part 1 wait 1 work 5\nregion 0 epoch 1 thread 1 node 2\nend 5\n",
     17, 0, 17, 2},
    /* Loops, calls and parts in a loop. */
    {HEAD "node 0 run 1 10 run 1 4\nnode 1 loop 0 * 3\nnode 2 loop 1\nregion 0 epoch 1 thread 1 node 2\nend 5\n", 42, 0,
     10, 1},
    {HEAD "node 0 work 10\nnode 1 call 0 * 3\nnode 2 loop 1\nregion 0 epoch 1 thread 1 node 2\nend 5\n", 30, 0, 10, 1},
    {HEAD "node 0 run 1 10\nnode 1 part 0 * 3\nnode 2 loop 1\nregion 0 epoch 1 thread 1 node 2\nend 5\n", 30, 0, 10, 1},
    /* What a call and a posted task block. */
    {HEAD "node 0 block 3\nnode 1 call 0 * 4\nregion 0 epoch 1 thread 1 node 1\nend 4\n", 0, 12, 12, 1},
    {HEAD
     "node 0 work 10 block 4\nnode 1 submit 0\nnode 2 post 1\nregion 0 epoch 1 thread 1 node 2\nposted 1 node 1\nend 6\n",
     10, 4, 14, 3},
    {HEAD "node 0 block 4\nnode 1 post 1\nregion 0 epoch 1 thread 1 node 1\nposted 1 node 0\nend 5\n", 0, 4, 4, 2},
    /* The longest region of an epoch, which is not the last one. */
    {HEAD
     "node 0 work 10\nnode 1 work 4\nnode 2 work 5\nregion 0 epoch 1 thread 2 node 0\nregion 1 epoch 1 thread 1 node 1\nregion 2 epoch 2 thread 1 node 2\nend 7\n",
     19, 0, 15, 3},
    /* A region's detached task goes on beside the next region of its thread. */
    {HEAD
     "node 0 work 10\nnode 1 work 1 submit 0\nregion 0 epoch 1 thread 1 node 1\nregion 1 epoch 1 thread 1 node 1\nend 5\n",
     22, 0, 12, 4},
    {HEAD "end 1\n", 0, 0, 0, 0},
};

/* Catches: a sum that is a maximum, children of one scope that another one waits for. */
START_TEST(graphs_are_added_up)
{
    struct graph g;
    struct graph_sums s;
    const char *why, *failed = read_text(graph_read, &g, sums[_i].text, strlen(sums[_i].text));

    ck_assert_msg(!failed, "%s", failed);
    ck_assert(graph_sum(&g, &s, &why));
    ck_assert_double_eq(s.work, sums[_i].work);
    ck_assert_double_eq(s.blocked, sums[_i].blocked);
    ck_assert_double_eq(s.span, sums[_i].span);
    ck_assert_uint_eq(s.tasks, sums[_i].tasks);
    graph_free(&g);
}
END_TEST

static const char *const too_large[] = {
    HEAD "node 0 work 4611686018427387904\nnode 1 call 0 * 4\nend 3\n",
    HEAD "node 0 block 4611686018427387904\nnode 1 call 0 * 2\nend 3\n",
    HEAD "node 0 work 4611686018427387904\nregion 0 epoch 1 thread 1 node 0\nregion 1 epoch 1 thread 1 node 0\nend 4\n",
    HEAD "node 0 block 4611686018427387904\nregion 0 epoch 1 thread 1 node 0\nposted 1 node 0\nend 4\n",
};

/* Catches: work or blocked time that overflows: of a node, of several regions, of posted tasks. */
START_TEST(sums_are_bounded)
{
    struct graph g;
    struct graph_sums s;
    const char *why;

    ck_assert_ptr_null(read_text(graph_read, &g, too_large[_i], strlen(too_large[_i])));
    ck_assert(!graph_sum(&g, &s, &why));
    ck_assert_str_eq(why, "its work is 2^63 or more");
    graph_free(&g);
}
END_TEST

/* A graph's tasks are counted up to that. */
static void expect_most_tasks(const char *text)
{
    struct graph g;
    struct graph_sums s;
    const char *why;

    ck_assert_ptr_null(read_text(graph_read, &g, text, strlen(text)));
    ck_assert(graph_sum(&g, &s, &why));
    ck_assert_uint_eq(s.tasks, UINT64_MAX / 2);
    graph_free(&g);
}

/* Catches: a number of tasks that overflows, in a product or just not. */
START_TEST(tasks_are_counted_as_far_as_they_go)
{
    char text[8000];
    size_t n = (size_t)sprintf(text, HEAD "node 0\n");

    for (int i = 0; i < 100; i++)
        n += (size_t)sprintf(text + n, "node %d spawn %d * 1000\n", i + 1, i);
    sprintf(text + n, "region 0 epoch 0 thread 0 node 100\nend 103\n");
    expect_most_tasks(text);
    expect_most_tasks(HEAD "node 0\nnode 1 spawn 0 * 9223372036854775807\nnode 2 call 1 * 2\n"
                           "region 0 epoch 1 thread 1 node 2\nend 5\n");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("graph_sum");

    tcase_add_loop_test(tcase, graphs_are_added_up, 0, (int)(sizeof sums / sizeof *sums));
    tcase_add_loop_test(tcase, sums_are_bounded, 0, (int)(sizeof too_large / sizeof *too_large));
    tcase_add_test(tcase, tasks_are_counted_as_far_as_they_go);
    return run_case("graph_sum", tcase);
}
