/* SPDX-License-Identifier: MIT */
/* The figures of a run. One table, from which the report, the rows of sweeps and the plot have them. */
#ifndef TOOLS_SIM_MEASURES_H
#define TOOLS_SIM_MEASURES_H

/* The name, and how many digits follow the point. Those in ns end in _ns. NAN: not known. */
#define SIM_MEASURES(X)                                                                                                \
    X(workers, 0)                                                                                                      \
    X(time_ns, 0)        /* from the begin of the first task to the end of the last one */                             \
    X(work_ns, 0)        /* T1: all of sim_work() */                                                                   \
    X(span_ns, 0)        /* Tinf, as the program says with sim_span() */                                               \
    X(speedup, 3)        /* work / time */                                                                             \
    X(efficiency, 4)     /* speed-up / workers */                                                                      \
    X(tasks, 0)          /* executed: spawned, submitted, and one for each region */                                   \
    X(stolen, 0)         /* tasks that another worker took */                                                          \
    X(steal_rate, 4)     /* stolen / tasks */                                                                          \
    X(executed_least, 0) /* by the worker that executed the fewest, */                                                 \
    X(executed_most, 0)  /* and by the one that executed the most */                                                   \
    X(steals, 0)         /* a steal may bring several tasks */                                                         \
    X(failed, 0)         /* tries that brought nothing */                                                              \
    X(joins, 0)          /* fibers that waited at a sync */                                                            \
    X(join_wait_ns, 0)   /* how long, in all */                                                                        \
    X(join_most_ns, 0)   /* the longest */                                                                             \
    X(ready_p50_ns, 0)   /* from runnable to running, of fibers that had waited */                                     \
    X(ready_p99_ns, 0)                                                                                                 \
    X(ready_p999_ns, 0)                                                                                                \
    X(latency_p50_ns, 0) /* as the program says with sim_latency() */                                                  \
    X(latency_p99_ns, 0)                                                                                               \
    X(latency_p999_ns, 0)                                                                                              \
    X(stacks, 0)      /* in use at once */                                                                             \
    X(idle, 4)        /* the share of the workers' time without a task */                                              \
    X(searching, 4)   /* the same, but awake */                                                                        \
    X(all_busy_ns, 0) /* until the last worker has begun its first task */                                             \
    X(steals_core, 0) /* by distance */                                                                                \
    X(steals_cache, 0)                                                                                                 \
    X(steals_numa, 0)                                                                                                  \
    X(steals_package, 0)                                                                                               \
    X(steals_machine, 0)

#define SIM_MEASURE_ENUM(name, digits) SIM_##name,
enum sim_measure { SIM_MEASURES(SIM_MEASURE_ENUM) SIM_MEASURE_COUNT };
#undef SIM_MEASURE_ENUM

extern const char *const sim_measure_names[SIM_MEASURE_COUNT];
extern const int sim_measure_digits[SIM_MEASURE_COUNT];

/* Of the run that has ended, while the library still runs. */
void sim_measure(double *values);

/* One run as text, csv or json (--format), on stdout. */
void sim_report_print(const double *values);

/* 1234567 as "1.235 ms", in a buffer that is used again after eight calls. */
const char *sim_ns_text(double ns);

#endif
