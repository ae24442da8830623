/* SPDX-License-Identifier: MIT */
/* Taskflow: silent_async; for_each_index in a graph that is built once for each number of iterations. */
#include "small.h"

#include <map>
#include <memory>
#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>

static std::unique_ptr<tf::Executor> executor;
static bool is_inside;

static int begin(int workers, int beside)
{
    (void)beside;
    executor = std::make_unique<tf::Executor>((size_t)workers);
    return 0;
}

static void tasks(long n, small_task *f, char *first)
{
    executor->silent_async([=] {
        for (long i = 0; i < n; i++)
            executor->silent_async([=] { f(first + i); });
    });
    executor->wait_for_all();
}

static void submit(small_task *f, void *argument, void (*wait)(void))
{
    executor->silent_async([=] { f(argument); });
    wait();
}

static void loop(long n, unsigned char *runs)
{
    static std::map<std::pair<long, unsigned char *>, tf::Taskflow> graphs;
    tf::Taskflow &graph = graphs[{n, runs}];

    if (graph.empty())
        graph.for_each_index(
            0L, n, 1L, [=](long i) { small_iteration(runs, i); }, tf::StaticPartitioner());
    if (is_inside)
        executor->corun(graph);
    else
        executor->run(graph).wait();
}

static int at(enum small_place place, void (*f)(void *), void *argument)
{
    if (place == SMALL_PHASE)
        return -1;
    if (place == SMALL_OUTSIDE) {
        f(argument);
        return 0;
    }
    is_inside = true;
    executor->async([=] { f(argument); }).wait();
    is_inside = false;
    return 0;
}

extern const struct small_contender contender = {begin, tasks, nullptr, submit, loop, at};
