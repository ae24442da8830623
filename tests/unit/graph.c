/* SPDX-License-Identifier: MIT */
/* The reader of recorded graphs: what it reads, what it refuses and with which line, and that no change of a file makes it
 * fail otherwise. Neighbours: graph_sum.c; dag.c; user/record.c, files that the library has written. */
#include "../../tools/sim/graph.h"

#include "graph.h"

#define HEAD "wsfj-graph 1\n"

static const struct {
    const char *text, *error;
} refused[] = {
    {"x", "g:1: no graph: it does not begin with \"wsfj-graph 1\""},
    {"wsfj-graph 2\nend 1\n", "g:1: version 2, and only 1 is known"},
    {"wsfj-graph\n", "g:1: the version is missing"},
    {HEAD, "g:2: cut short: there is no line \"end\""},
    {HEAD "node 0 work 1\nnode 1 wor", "g:3: cut short: there is no line \"end\""},
    {HEAD "end 1", "g:2: cut short"},
    {HEAD "node 0\nend 1\n", "g:3: 2 lines before the end, not 1: some are missing or too many"},
    {HEAD "end 1\nend 2\n", "g:3: a line behind the end"},
    {HEAD "node 1\n", "g:2: node 1 where node 0 should stand"},
    {HEAD "node 0 spawn 0\n", "g:2: node 0 leads to itself"},
    {HEAD "node 0 spawn 7\n", "g:2: node 7 is not known here"},
    {HEAD "region 0 epoch 0 thread 0 node 0\n", "g:2: node 0 is not known here"},
    {HEAD "node 0 work -1\n", "g:2: the cost -1 is negative"},
    {HEAD "node 0 work 9223372036854775808\n", "g:2: the cost 9223372036854775808 is 2^63 or more"},
    {HEAD "node 0 work nan\n", "g:2: the cost nan is no number"},
    {HEAD "node 0 work\n", "g:2: the cost is missing"},
    {HEAD "node 0 work @3\nend 2\n", "g:2: cost @3 is used here, and no line says what it is"},
    {HEAD "node 0 work @16777216\n", "g:2: the number of a cost 16777216 is above 16777215"},
    {HEAD "cost 3 1\ncost 3 1\n", "g:3: cost 3 twice"},
    {HEAD "cost 3 -2\n", "g:2: the cost -2 is negative"},
    {HEAD "node 0 run 0 1\n", "g:2: a run of 0 iterations"},
    {HEAD "node 0 run 1 1\nnode 1 call 0\n", "g:3: node 0 has a run, and is no loop"},
    {HEAD "node 0 run 1 1\nregion 0 epoch 0 thread 0 node 0\n", "g:3: node 0 has a run, and is no loop"},
    {HEAD "node 0\nnode 1 spawn 0\nnode 2 loop 1\n", "g:4: loop 1 spawns outside of a call"},
    {HEAD "node 0 * 2\n", "g:2: * repeats nothing"},
    {HEAD "node 0 work 1 * 0\n", "g:2: * 0"},
    {HEAD "node 0 work 1 * 2 * 2\n", "g:2: * twice"},
    {HEAD "node 0 jump 1\n", "g:2: jump is nothing that a node does"},
    {HEAD "knot 0\n", "g:2: knot is no kind of line"},
    {HEAD "node 0\nregion 0 epoch 0 thread 0 node 0 6\n", "g:3: 6 behind the end of the line"},
    {HEAD "node 0\nregion 0 epoch 0 thread 0 node 0 phase phase\n", "g:3: phase behind the end of the line"},
    {HEAD "node 0\nregion 0 epoch 0 thread 0\n", "g:3: the end where \"node\" should stand"},
    {HEAD "node 0\nregion 1 epoch 0 thread 0 node 0\nregion 1 epoch 0 thread 0 node 0\nend 4\n", "g:5: region 1 twice"},
    {HEAD "node 0\nregion 1 epoch 0 thread 0 node 0\nregion 0 epoch 1 thread 0 node 0\nend 4\n",
     "g:5: region 1 has a lower epoch than region 0"},
    {HEAD "site 0 1 a b\n", "g:2: no tab between the site's file and its task"},
    {HEAD "total s work 1\n", "g:2: s where \"ns\" or \"units\" should stand"},
    {"wsfj-graphs 1\n", "g:1: no graph: it does not begin with \"wsfj-graph 1\""},
    {HEAD "node 0\nend 9\n", "g:3: 2 lines before the end, not 9: some are missing or too many"},
    {HEAD "node 0x\n", "g:2: the number of a node 0x is no whole number"},
    {HEAD "node +0\n", "g:2: the number of a node +0 is no whole number"},
    {HEAD "node -1\n", "g:2: the number of a node -1 is negative"},
    {HEAD "node\n", "g:2: the number of a node is missing"},
    {HEAD "node 0 work 0x10\n", "g:2: the cost 0x10 is no number"},
    {HEAD "node 0 work 1-2\n", "g:2: the cost 1-2 is no number"},
    {HEAD "cost\n", "g:2: the number of a cost is missing"},
    {HEAD "node 0\nposted 4294967295 node 0\n", "g:3: the number of a post 4294967295 is above 4294967294"},
    {HEAD "node 0\nnode 1 submit 0 groups 4\n", "g:3: groups is nothing that a node does"},
    {HEAD "node 0 run 1 1\nnode 1 part 0\nnode 2 call 1\n", "g:4: node 1 has a run, and is no loop"},
    {HEAD "node 0 run 1 1\nnode 1 submit 0\n", "g:3: node 0 has a run, and is no loop"},
    {HEAD "node 0\nnode 1 spawn 0\nnode 2 part 1\nnode 3 loop 2\n", "g:5: loop 2 spawns outside of a call"},
    {HEAD "node 0 work 1\nnode 1 * 2\n", "g:3: * repeats nothing"},
    {HEAD "node 0 work 1 * 9223372036854775808\n",
     "g:2: the number of times 9223372036854775808 is above 9223372036854775807"},
    {HEAD "total ns wrk 1\n", "g:2: wrk where \"work\" should stand"},
    {HEAD "total ns work 1 blocked 2 span 3\ntotal ns work 1 blocked 2 span 3\n", "g:3: total twice"},
    {HEAD "total ns work 1 blocked 2\n", "g:2: the end where \"span\" should stand"},
};

/* Catches: bad input that is taken, or told as something else. */
START_TEST(bad_graphs_are_refused)
{
    struct graph g;
    const char *said = read_text(graph_read, &g, refused[_i].text, strlen(refused[_i].text));

    ck_assert_msg(said, "it was read: %s", refused[_i].text);
    ck_assert_str_eq(said, refused[_i].error);
    graph_free(&g);
}
END_TEST

/* Catches: a byte 0 that ends a line in its middle. */
START_TEST(a_zero_is_no_text)
{
    static const char text[] = HEAD "node 0\0\nend 2\n";
    struct graph g;

    ck_assert_str_eq(read_text(graph_read, &g, text, sizeof text - 1), "g:2: a byte 0 in the text");
    graph_free(&g);
}
END_TEST

/* Catches: a value that is not kept, or in another one's place; a cost that a higher number makes forget; tabs and returns
 * that become part of a word. */
START_TEST(all_values_are_kept)
{
    static const char text[] = HEAD "node\t0\r work @1 block @200\r\nnode 1 run 6 2.5 * 3\n"
                                    "node 2 loop 1 submit 0 group 7 submit 0 post 5 wait 8 yield\n"
                                    "region 3 epoch 2 thread 9 node 2\nregion 2 epoch 1 thread 8 node 2 phase\n"
                                    "posted 5 node 2 group 6\nposted 4 node 2\ncost 200 7 site 4 after sync\ncost 1 5\n"
                                    "site 4 30 a file.c\ta task\ntotal units work 1.5 blocked 2.5 span 3.5\nend 12\n";
    struct graph g;

    ck_assert_ptr_null(read_text(graph_read, &g, text, sizeof text - 1));
    ck_assert_uint_eq(g.num_nodes, 3);
    ck_assert_uint_eq(g.nodes[2].first, 3);
    ck_assert_uint_eq(g.nodes[2].count, 6);
    ck_assert_double_eq(g.costs[g.items[0].cost], 5);
    ck_assert_double_eq(g.costs[g.items[1].cost], 7);
    ck_assert_double_eq(g.costs[g.items[2].cost], 2.5);
    ck_assert_uint_eq(g.items[1].times, 1);
    ck_assert_uint_eq(g.items[2].times, 3);
    ck_assert_uint_eq(g.items[2].iterations, 6);
    ck_assert_uint_eq(g.items[3].kind, GRAPH_LOOP);
    ck_assert_uint_eq(g.items[4].group, 7);
    ck_assert_uint_eq(g.items[5].group, GRAPH_NONE);
    ck_assert_uint_eq(g.items[6].node, 5);
    ck_assert_uint_eq(g.items[7].group, 8);
    ck_assert_uint_eq(g.items[8].kind, GRAPH_YIELD);
    ck_assert_uint_eq(g.regions[0].number, 2);
    ck_assert(g.regions[0].in_phase && !g.regions[1].in_phase);
    ck_assert_uint_eq(g.regions[1].number, 3);
    ck_assert_uint_eq(g.regions[1].epoch, 2);
    ck_assert_uint_eq(g.regions[1].thread, 9);
    ck_assert_uint_eq(g.regions[1].node, 2);
    ck_assert_uint_eq(g.posted[0].post, 5);
    ck_assert_uint_eq(g.posted[0].node, 2);
    ck_assert_uint_eq(g.posted[0].group, 6);
    ck_assert_uint_eq(g.posted[1].group, GRAPH_NONE);
    ck_assert_uint_eq(g.sites[0].number, 4);
    ck_assert_uint_eq(g.sites[0].line, 30);
    ck_assert_str_eq(g.sites[0].file, "a file.c");
    ck_assert_str_eq(g.sites[0].task, "a task");
    ck_assert(g.is_units);
    ck_assert_double_eq(g.work, 1.5);
    ck_assert_double_eq(g.blocked, 2.5);
    ck_assert_double_eq(g.span, 3.5);
    graph_free(&g);
    ck_assert_ptr_null(read_text(graph_read, &g, HEAD "end 1\n", strlen(HEAD "end 1\n")));
    ck_assert(g.work < 0 && g.blocked < 0 && g.span < 0); /* the file does not say */
    graph_free(&g);
}
END_TEST

/* Catches: a failed read that is the end of the file. */
START_TEST(a_failed_read_is_told)
{
    FILE *f = fopen("/", "r");
    struct graph g;

    ck_assert_ptr_nonnull(f);
    ck_assert(!graph_read(&g, f, "g", error, sizeof error));
    ck_assert_str_eq(error, "g:0: cannot be read (Is a directory)");
    fclose(f);
    graph_free(&g);
}
END_TEST

static const char *read_and_sum(const char *text, size_t size)
{
    struct graph g;
    struct graph_sums s;
    const char *why, *said = read_text(graph_read, &g, text, size);

    if (!said)
        (void)graph_sum(&g, &s, &why);
    graph_free(&g);
    return said;
}

/* Catches: input for which the reader crashes, hangs, or says nothing. */
START_TEST(any_change_is_read_or_refused)
{
    static const char *const texts[] = {
        HEAD "node 0 work @7 block @2 * 3\nregion 0 epoch 1 thread 1 node 0\n# a comment\n\ncost 2 0.5\ncost 7 1e3 "
             "site 0 child end\nsite 0 3 a b.c\tname of it\nend 8\n",
        HEAD "node 0 run 5 10 run 3 12 * 4 run 1 2\nnode 1 work 1 loop 0\nregion 0 epoch 1 thread 1 node 1\nend 4\n",
        HEAD
        "node 0 work 10\nnode 1 work 1 submit 0 group 4 work 2 wait 4 post 1 yield\nregion 0 epoch 1 thread 1 node 1\n"
        "posted 1 node 0\nend 5\n",
        HEAD "node 0 work 10\nnode 1 spawn 0 work 3\nnode 2 part 1 * 5 call 1\nregion 2 epoch 2 thread 1 node 2\n"
             "region 1 epoch 1 thread 2 node 1\ntotal ns work 1 blocked 0 span 1\nend 7\n",
        HEAD "end 1\n",
    };

    read_changed(texts, sizeof texts / sizeof *texts, read_and_sum);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("graph");

    tcase_add_test(tcase, all_values_are_kept);
    tcase_add_loop_test(tcase, bad_graphs_are_refused, 0, (int)(sizeof refused / sizeof *refused));
    tcase_add_test(tcase, a_zero_is_no_text);
    tcase_add_test(tcase, a_failed_read_is_told);
    tcase_add_test(tcase, any_change_is_read_or_refused);
    return run_case("graph", tcase);
}
