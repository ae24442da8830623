# SPDX-License-Identifier: MIT
# One module each. These programs link libwsfjcore: libwsfj.so hides most of the functions that they call.
unit_tests =
counted_unit_tests = $(addprefix tests/unit/,barriers closing cpu_limit forked guest idle monitor preempt root steal submitted threadless)
unit_tests += tests/unit/affinity
unit_tests += tests/unit/area
unit_tests += tests/unit/asan
unit_tests += tests/unit/awake
unit_tests += tests/unit/barriers
unit_tests += tests/unit/bits
tests_unit_barriers_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_heavy_barrier
unit_tests += tests/unit/brief
tests_unit_brief_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_deque_expose
unit_tests += tests/unit/burden
unit_tests += tests/unit/cgroup
unit_tests += tests/unit/chained
unit_tests += tests/unit/closing
unit_tests += tests/unit/context
unit_tests += tests/unit/cpu_limit
unit_tests += tests/unit/dag
tests_unit_dag_SOURCES = tests/unit/dag.c $(dag_sources) tools/sim/line.c tools/sim/line.h
unit_tests += tests/unit/deque_lock
unit_tests += tests/unit/deque_owner
unit_tests += tests/unit/deque_thief
unit_tests += tests/unit/delay
unit_tests += tests/unit/descriptor
unit_tests += tests/unit/dispatch
unit_tests += tests/unit/dispatch_order
unit_tests += tests/unit/dump
unit_tests += tests/unit/duration
tests_unit_duration_SOURCES = tests/unit/duration.c bench/harness/duration.c
tests_unit_duration_LDADD = $(LDADD) -lm
unit_tests += tests/unit/edges
unit_tests += tests/unit/failpoint
tests_unit_failpoint_CPPFLAGS = $(FAILING_CPPFLAGS)
tests_unit_failpoint_LDADD = $(FAILING_LIBRARY) $(TEST_LIBS)
unit_tests += tests/unit/fence
unit_tests += tests/unit/fold
unit_tests += tests/unit/forked
unit_tests += tests/unit/fpenv
unit_tests += tests/unit/frames
unit_tests += tests/unit/global_queue
unit_tests += tests/unit/graph
tests_unit_graph_SOURCES = tests/unit/graph.c $(graph_sources)
unit_tests += tests/unit/graph_sum
tests_unit_graph_sum_SOURCES = tests/unit/graph_sum.c $(graph_sources)
unit_tests += tests/unit/group
unit_tests += tests/unit/guest
tests_unit_guest_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_wake_notify -Wl,--wrap=wsfj_worker_here -Wl,--wrap=wsfj_guest_leave
unit_tests += tests/unit/handlers
unit_tests += tests/unit/idle
unit_tests += tests/unit/idle_counts
unit_tests += tests/unit/local
unit_tests += tests/unit/judge
unit_tests += tests/unit/loop_clock
unit_tests += tests/unit/mailbox
unit_tests += tests/unit/monitor
unit_tests += tests/unit/omp
unit_tests += tests/unit/others
unit_tests += tests/unit/output
unit_tests += tests/unit/output_write
unit_tests += tests/unit/overflow
unit_tests += tests/unit/parsers
unit_tests += tests/unit/placement
unit_tests += tests/unit/places
unit_tests += tests/unit/pool
unit_tests += tests/unit/preempt
unit_tests += tests/unit/procfile
unit_tests += tests/unit/profile_account
unit_tests += tests/unit/profile_group
unit_tests += tests/unit/profile_out
tests_unit_profile_out_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_profile_csv
unit_tests += tests/unit/profile_refused
unit_tests += tests/unit/profile_report
unit_tests += tests/unit/profile_strand
unit_tests += tests/unit/reach
unit_tests += tests/unit/record_refused
tests_unit_record_refused_SOURCES = tests/unit/record_refused.c $(graph_sources)
tests_unit_record_refused_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=mmap
unit_tests += tests/unit/record_table
unit_tests += tests/unit/report
unit_tests += tests/unit/resume
unit_tests += tests/unit/root
unit_tests += tests/unit/run_queue
unit_tests += tests/unit/serial
unit_tests += tests/unit/settings
unit_tests += tests/unit/short_wait
unit_tests += tests/unit/shortage
tests_unit_short_wait_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_allowed_crowded -Wl,--wrap=wsfj_waiting_any
unit_tests += tests/unit/sigchain
unit_tests += tests/unit/slices
unit_tests += tests/unit/slots
unit_tests += tests/unit/slow_path
if CPU_X86_64
tests_unit_slow_path_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_sync_slow_local
endif
unit_tests += tests/unit/spare
unit_tests += tests/unit/spawn_cost
tests_unit_spawn_cost_SOURCES = tests/unit/spawn_cost.c bench/harness/spawn_cost.c
tests_unit_spawn_cost_LDADD = $(LDADD) -lm
unit_tests += tests/unit/stack
tests_unit_stack_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=aligned_alloc,--wrap=free,--wrap=mmap,--wrap=munmap,--wrap=mprotect,--wrap=madvise
unit_tests += tests/unit/stats
unit_tests += tests/unit/steal
tests_unit_steal_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_deque_peek,--wrap=wsfj_scope_drops
unit_tests += tests/unit/submitted
unit_tests += tests/unit/suspended
unit_tests += tests/unit/symbols
unit_tests += tests/unit/textbuf
unit_tests += tests/unit/thread_stacks
unit_tests += tests/unit/threadless
unit_tests += tests/unit/ticks
unit_tests += tests/unit/topology
unit_tests += tests/unit/topology_bare
tests_unit_topology_bare_SOURCES = tests/unit/topology_bare.c lib/machine/topology_bare.c # also if the library uses hwloc
unit_tests += tests/unit/topology_sys
unit_tests += tests/unit/watched
tests_unit_run_queue_SOURCES = tests/unit/run_queue.c lib/queue/run_queue.c # with policies that vary
tests_unit_run_queue_CPPFLAGS = $(AM_CPPFLAGS) -DWSFJ_POLICY_VARIABLE
tests_unit_others_SOURCES = tests/unit/others.c tools/sim/others.h tools/sim/seam.h \
    tools/sim/other_sleepers.c tools/sim/other_victims.c lib/worker/victim.c lib/idle/wake_choice.c
tests_unit_others_CPPFLAGS = $(AM_CPPFLAGS) -include $(srcdir)/tools/sim/seam.h
unit_tests += tests/unit/timer
unit_tests += tests/unit/trace
unit_tests += tests/unit/trace_file
unit_tests += tests/unit/trace_json
unit_tests += tests/unit/unwind_link
unit_tests += tests/unit/verdict
unit_tests += tests/unit/victim
unit_tests += tests/unit/wait_table
unit_tests += tests/unit/wake_choice
unit_tests += tests/unit/watchdog

tests_unit_forked_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create -Wl,--wrap=wsfj_stack_map
tests_unit_monitor_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create,--wrap=pthread_join,--wrap=wsfj_schedtrace \
    -Wl,--wrap=wsfj_symbols_forget
tests_unit_overflow_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=sigaltstack,--wrap=pthread_setspecific
tests_unit_watchdog_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_global_queue_length,--wrap=wsfj_root_length,--wrap=process_vm_readv
tests_unit_profile_refused_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=strdup
tests_unit_local_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc,--wrap=aligned_alloc,--wrap=free
tests_unit_edges_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free \
    -Wl,--wrap=mmap,--wrap=munmap
tests_unit_fold_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=aligned_alloc
tests_unit_pool_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=mmap,--wrap=munmap,--wrap=mprotect
tests_unit_root_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=aligned_alloc,--wrap=free
tests_unit_dump_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_global_queue_length,--wrap=wsfj_items \
    -Wl,--wrap=wsfj_idle_counts,--wrap=wsfj_root_length,--wrap=wsfj_watchdog_runs,--wrap=process_vm_readv \
    -Wl,--wrap=wsfj_frame_request_ask,--wrap=wsfj_frame_request_await,--wrap=wsfj_frames_suspended
tests_unit_slots_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_spare_take,--wrap=wsfj_spare_recall,--wrap=wsfj_spare_send \
    -Wl,--wrap=wsfj_wake_carry_over,--wrap=wsfj_preempt_polls
tests_unit_spare_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_join
tests_unit_threadless_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
tests_unit_preempt_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
tests_unit_burden_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_clock_read,--wrap=wsfj_clock_tick,--wrap=ws_worker_id
tests_unit_global_queue_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_cond_wait \
    -Wl,--wrap=pthread_cond_broadcast
tests_unit_dispatch_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_queued
tests_unit_resume_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_queued
tests_unit_dispatch_order_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_queued \
    -Wl,--wrap=wsfj_root_pop,--wrap=wsfj_root_finish
tests_unit_submitted_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_global_queue_put
tests_unit_cpu_limit_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_wake_recheck,--wrap=wsfj_wake_rouse
tests_unit_closing_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wsfj_items_busy,--wrap=wsfj_cpu_limit_follow,--wrap=wsfj_monitor_stop

if HWLOC
tests_unit_placement_SOURCES = tests/unit/placement.c tests/unit/machines.c
tests_unit_topology_SOURCES = tests/unit/topology.c tests/unit/machines.c
else
tests_unit_placement_SOURCES = tests/unit/without_hwloc.c
tests_unit_topology_SOURCES = tests/unit/without_hwloc.c
endif

noinst_HEADERS += tests/unit/books.h tests/unit/environment.h tests/unit/events.h tests/unit/fakeroot.h tests/unit/graph.h
noinst_HEADERS += tests/unit/guarded.h tests/unit/machines.h tests/unit/one_deque.h tests/unit/victims.h
