# SPDX-License-Identifier: MIT
# Systematic exploration: the library's own files, compiled with tools/prelude/prelude.h, and the explorer that runs them.
explore_tests =
explore_tests += tests/explore/any
explore_tests += tests/explore/awake_set
explore_tests += tests/explore/blocking
explore_tests += tests/explore/callers
explore_tests += tests/explore/cancel
explore_tests += tests/explore/deque
explore_tests += tests/explore/full
explore_tests += tests/explore/group
explore_tests += tests/explore/group_submit
explore_tests += tests/explore/join
explore_tests += tests/explore/lookout
explore_tests += tests/explore/lookout_guest
explore_tests += tests/explore/loop
explore_tests += tests/explore/mpi
explore_tests += tests/explore/mutex
explore_tests += tests/explore/objects
explore_tests += tests/explore/offer
explore_tests += tests/explore/park
explore_tests += tests/explore/pin
explore_tests += tests/explore/pool
explore_tests += tests/explore/preempt
explore_tests += tests/explore/recheck
explore_tests += tests/explore/run_queue
explore_tests += tests/explore/scope
explore_tests += tests/explore/source
explore_tests += tests/explore/source_busy
explore_tests += tests/explore/split
explore_tests += tests/explore/submit
explore_tests += tests/explore/suspended
explore_tests += tests/explore/transit
explore_tests += tests/explore/preempt_owner
explore_tests += tests/explore/timer
explore_tests += tests/explore/wait
explore_tests += tests/explore/wait_first
check_PROGRAMS += $(explore_tests)
TESTS += $(explore_tests)

# -fsanitize=thread makes the compiler report plain accesses to race.c. No sanitizer is linked.
EXPLORED_CPPFLAGS = -I$(srcdir)/include -iquote $(srcdir)/lib -iquote $(srcdir)/tools/prelude \
    -include $(srcdir)/tools/prelude/prelude.h -DWSFJ_NO_ASM -DWSFJ_RUN_QUEUE_SIZE=4 -DWSFJ_BUCKETS_LOG=1 -DWSFJ_INSPECTIONS_IN_VAIN=1
# The prelude redefines built-ins, and mutants leave out the fields they do not need.
EXPLORER_CFLAGS = $(WARNING_CFLAGS) -Wno-builtin-macro-redefined -Wno-missing-field-initializers
EXPLORED_CFLAGS = $(EXPLORER_CFLAGS) -fsanitize=thread

check_LIBRARIES += libexplored.a libexplorer.a
libexplored_a_CPPFLAGS = $(EXPLORED_CPPFLAGS)
libexplored_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_a_SOURCES = \
    lib/sched/brief.c \
    lib/sched/expose.c \
    lib/worker/awake.c \
    lib/idle/idle_counts.c \
    lib/task/deque.c \
    lib/sched/detached.c \
    lib/sched/dispatch.c \
    lib/base/fence.c \
    lib/queue/global_queue.c \
    lib/api/guest.c \
    lib/worker/mailbox.c \
    lib/task/join.c \
    lib/sched/short_wait.c \
    lib/sched/sync.c \
    lib/idle/recheck.c \
    lib/idle/park.c \
    lib/idle/allowed.c \
    lib/idle/wake.c \
    lib/idle/lookout.c \
    lib/idle/resume.c \
    lib/idle/retire.c \
    lib/queue/run_queue.c \
    lib/idle/wake_choice.c \
    lib/task/item.c \
    lib/task/stack.c \
    lib/sched/fiber.c \
    lib/sched/leave.c \
    lib/idle/cpu_limit.c \
    lib/task/scope.c \
    lib/sched/search.c \
    lib/task/suspended.c \
    lib/wait/sleep.c \
    lib/wait/table.c \
    lib/wait/timer.c \
    lib/worker/own.c \
    lib/worker/stopping.c \
    lib/worker/items.c \
    lib/idle/waiting.c \
    lib/sched/load.c \
    lib/sched/serve.c \
    lib/api/guest_root.c

# For explore/blocking and pin. The other programs have the stand-ins in rest.c.
check_LIBRARIES += libexplored_blocking.a
libexplored_blocking_a_CPPFLAGS = $(EXPLORED_CPPFLAGS) -Dcalloc=explore_calloc
libexplored_blocking_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_blocking_a_SOURCES = lib/blocking/blocking.c lib/blocking/pin.c lib/blocking/spare.c
# For explore/full.
check_LIBRARIES += libexplored_full.a
libexplored_full_a_CPPFLAGS = $(EXPLORED_CPPFLAGS) -DWSFJ_FULL_AT=0
libexplored_full_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_full_a_SOURCES = lib/task/stack.c
# For explore/pool. The other programs have stand-ins.
check_LIBRARIES += libexplored_pool.a
libexplored_pool_a_CPPFLAGS = $(EXPLORED_CPPFLAGS)
libexplored_pool_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_pool_a_SOURCES = lib/task/pool.c
# For explore/preempt, which needs the real functions instead of stand-ins.
check_LIBRARIES += libexplored_preempt.a
libexplored_preempt_a_CPPFLAGS = $(EXPLORED_CPPFLAGS)
libexplored_preempt_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_preempt_a_SOURCES = lib/idle/preempt.c lib/idle/queued.c lib/sched/fresh.c lib/sched/give_way.c lib/sched/steal.c lib/worker/victim.c

# For the programs that submit tasks and wait for groups.
check_LIBRARIES += libexplored_submit.a
libexplored_submit_a_CPPFLAGS = $(EXPLORED_CPPFLAGS)
libexplored_submit_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_submit_a_SOURCES = lib/api/group_wait.c lib/api/submit.c lib/api/wait.c lib/worker/use.c lib/queue/group.c lib/queue/root.c

# For the programs about the lookout.
check_LIBRARIES += libexplored_outside.a
libexplored_outside_a_CPPFLAGS = $(EXPLORED_CPPFLAGS)
libexplored_outside_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_outside_a_SOURCES = lib/idle/outside.c

# For explore/source.
check_LIBRARIES += libexplored_source.a
libexplored_source_a_CPPFLAGS = $(EXPLORED_CPPFLAGS) -Dcalloc=explore_calloc
libexplored_source_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_source_a_SOURCES = lib/idle/source.c

# For the programs about the objects of wsfj/wait.h.
check_LIBRARIES += libexplored_sync.a
libexplored_sync_a_CPPFLAGS = $(EXPLORED_CPPFLAGS)
libexplored_sync_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_sync_a_SOURCES = lib/sync/any.c lib/sync/channel.c lib/sync/event.c lib/sync/future.c lib/sync/mutex.c \
    lib/sync/semaphore.c lib/sync/taker.c lib/sync/waiting.c lib/sync/word.c

# For explore/callers.
check_LIBRARIES += libexplored_callers.a
libexplored_callers_a_CPPFLAGS = $(EXPLORED_CPPFLAGS)
libexplored_callers_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_callers_a_SOURCES = lib/runtime/callers.c

# For explore/mpi, with a stand-in for MPI.
check_LIBRARIES += libexplored_mpi.a
libexplored_mpi_a_CPPFLAGS = $(EXPLORED_CPPFLAGS) -I$(srcdir)/tests/explore/without_mpi
libexplored_mpi_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_mpi_a_SOURCES = lib/mpi/ask.c lib/mpi/progress.c lib/mpi/run.c lib/mpi/table.c

# For explore/split.
check_LIBRARIES += libexplored_split.a
libexplored_split_a_CPPFLAGS = $(EXPLORED_CPPFLAGS)
libexplored_split_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_split_a_SOURCES = lib/loop/loop.c lib/idle/loop_clock.c lib/loop/slices.c

# For explore/transit, which varies the policy.
check_LIBRARIES += libexplored_transit.a
libexplored_transit_a_CPPFLAGS = $(EXPLORED_CPPFLAGS) -DWSFJ_POLICY_VARIABLE
libexplored_transit_a_CFLAGS = $(EXPLORED_CFLAGS)
libexplored_transit_a_SOURCES = lib/queue/run_queue.c

libexplorer_a_CPPFLAGS = -I$(srcdir)/include -iquote $(srcdir)/lib -iquote $(srcdir)/tools/prelude
libexplorer_a_CFLAGS = $(EXPLORER_CFLAGS)
libexplorer_a_SOURCES = \
    tests/explore/context.c \
    tests/explore/engine.h \
    tests/explore/explore.h \
    tests/explore/kernel.c \
    tests/explore/location.c tests/explore/location.h \
    tests/explore/main.c \
    tests/explore/memory.c \
    tests/explore/orders.c \
    tests/explore/race.c \
    tests/explore/rest.c \
    tests/explore/search.c \
    tests/explore/thread.c \
    tools/prelude/calls.h \
    tools/prelude/explored.h \
    tools/prelude/prelude.h
if SWITCH_X86_64
libexplorer_a_SOURCES += lib/arch/x86_64/context.c lib/arch/x86_64/switch.S
endif
if SWITCH_AARCH64
libexplorer_a_SOURCES += lib/arch/aarch64/context.c lib/arch/aarch64/switch.S
endif
if SWITCH_GENERIC
libexplorer_a_SOURCES += lib/arch/generic/switch.c
endif

# What several programs share.
explore_awake = tests/explore/awake.c tests/explore/awake.h
explore_busy = tests/explore/busy.c tests/explore/busy.h
explore_crew = tests/explore/crew.c tests/explore/crew.h
explore_groups = tests/explore/groups.c tests/explore/groups.h $(explore_awake) $(explore_pools) $(explore_stacks)
explore_made = tests/explore/made.c tests/explore/made.h
explore_outside = tests/explore/outside.c tests/explore/outside.h
explore_owner = tests/explore/owner.c tests/explore/owner.h
explore_pools = tests/explore/pools.c tests/explore/pools.h
explore_stacks = tests/explore/stacks.c tests/explore/stacks.h
explore_things = tests/explore/things.c tests/explore/things.h
explore_waiting = tests/explore/waiting.c tests/explore/waiting.h $(explore_stacks)

EXPLORE_LDADD = libexplored.a libexplorer.a libsupport.a
tests_explore_any_SOURCES = tests/explore/any.c $(explore_awake) $(explore_pools) $(explore_stacks) $(explore_things)
tests_explore_any_LDADD = libexplored_sync.a libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_awake_set_SOURCES = tests/explore/awake_set.c $(explore_crew) $(explore_stacks)
tests_explore_awake_set_LDADD = $(EXPLORE_LDADD)
tests_explore_blocking_SOURCES = tests/explore/blocking.c tests/explore/thieves.c \
    $(explore_crew) $(explore_made) $(explore_pools) $(explore_stacks)
tests_explore_blocking_LDADD = libexplored_blocking.a $(EXPLORE_LDADD)
tests_explore_callers_SOURCES = tests/explore/callers.c tests/explore/thieves.c $(explore_crew) $(explore_pools) $(explore_stacks)
tests_explore_callers_LDADD = libexplored_callers.a libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_cancel_SOURCES = tests/explore/cancel.c $(explore_awake) $(explore_pools) $(explore_stacks) $(explore_things)
tests_explore_cancel_LDADD = libexplored_sync.a libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_deque_SOURCES = tests/explore/deque.c $(explore_owner) $(explore_stacks)
tests_explore_deque_LDADD = $(EXPLORE_LDADD)
tests_explore_full_SOURCES = tests/explore/full.c $(explore_awake) $(explore_pools) $(explore_stacks)
tests_explore_full_LDADD = libexplored_full.a $(EXPLORE_LDADD)
tests_explore_group_SOURCES = tests/explore/group.c $(explore_groups)
tests_explore_group_LDADD = libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_group_submit_SOURCES = tests/explore/group_submit.c $(explore_groups)
tests_explore_group_submit_LDADD = libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_join_SOURCES = tests/explore/join.c $(explore_awake) $(explore_pools) $(explore_stacks)
tests_explore_join_LDADD = $(EXPLORE_LDADD)
tests_explore_lookout_SOURCES = tests/explore/lookout.c $(explore_crew) $(explore_outside) $(explore_stacks)
tests_explore_lookout_LDADD = libexplored_outside.a $(EXPLORE_LDADD)
tests_explore_lookout_guest_SOURCES = tests/explore/lookout_guest.c $(explore_busy) $(explore_outside) $(explore_stacks)
tests_explore_lookout_guest_LDADD = libexplored_outside.a libexplored_preempt.a $(EXPLORE_LDADD)
tests_explore_loop_SOURCES = tests/explore/loop.c $(explore_crew) $(explore_stacks)
tests_explore_loop_LDADD = $(EXPLORE_LDADD)
tests_explore_mpi_SOURCES = tests/explore/mpi.c tests/explore/without_mpi/mpi.h $(explore_stacks) $(explore_things)
tests_explore_mpi_CPPFLAGS = $(EXPLORED_CPPFLAGS) -I$(srcdir)/tests/explore/without_mpi
tests_explore_mpi_LDADD = libexplored_mpi.a $(EXPLORE_LDADD)
tests_explore_mutex_SOURCES = tests/explore/mutex.c $(explore_stacks) $(explore_things)
tests_explore_mutex_LDADD = libexplored_sync.a libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_objects_SOURCES = tests/explore/objects.c $(explore_things)
tests_explore_objects_LDADD = libexplored_sync.a libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_offer_SOURCES = tests/explore/offer.c $(explore_crew) $(explore_stacks)
tests_explore_offer_LDADD = $(EXPLORE_LDADD)
tests_explore_park_SOURCES = tests/explore/park.c $(explore_crew) $(explore_stacks)
tests_explore_park_LDADD = $(EXPLORE_LDADD)
tests_explore_pin_SOURCES = tests/explore/pin.c $(explore_awake) $(explore_pools) $(explore_made) $(explore_stacks)
tests_explore_pin_LDADD = libexplored_blocking.a libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_pool_LDADD = libexplored_pool.a $(EXPLORE_LDADD)
tests_explore_preempt_SOURCES = tests/explore/preempt.c $(explore_busy) $(explore_stacks)
tests_explore_preempt_LDADD = libexplored_preempt.a $(EXPLORE_LDADD)
tests_explore_recheck_SOURCES = tests/explore/recheck.c $(explore_crew) $(explore_stacks)
tests_explore_recheck_LDADD = libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_run_queue_LDADD = $(EXPLORE_LDADD)
tests_explore_scope_SOURCES = tests/explore/scope.c $(explore_owner) $(explore_stacks)
tests_explore_scope_LDADD = $(EXPLORE_LDADD)
tests_explore_source_SOURCES = tests/explore/source.c $(explore_crew) $(explore_outside) $(explore_stacks)
tests_explore_source_LDADD = libexplored_source.a libexplored_outside.a libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_source_busy_SOURCES = tests/explore/source_busy.c $(explore_busy) $(explore_outside) $(explore_stacks)
tests_explore_source_busy_LDADD = libexplored_source.a libexplored_outside.a libexplored_preempt.a $(EXPLORE_LDADD)
tests_explore_split_SOURCES = tests/explore/split.c $(explore_owner) $(explore_stacks)
tests_explore_split_LDADD = libexplored_split.a $(EXPLORE_LDADD)
tests_explore_submit_SOURCES = tests/explore/submit.c tests/explore/thieves.c $(explore_crew) $(explore_pools) $(explore_stacks)
tests_explore_submit_LDADD = libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_suspended_SOURCES = tests/explore/suspended.c tests/explore/thieves.c $(explore_crew) $(explore_pools) $(explore_stacks)
tests_explore_suspended_LDADD = libexplored_submit.a $(EXPLORE_LDADD)
tests_explore_transit_SOURCES = tests/explore/transit.c $(explore_crew) $(explore_stacks)
tests_explore_transit_LDADD = libexplored_transit.a $(EXPLORE_LDADD)
tests_explore_preempt_owner_SOURCES = tests/explore/preempt_owner.c $(explore_owner) $(explore_stacks)
tests_explore_preempt_owner_LDADD = $(EXPLORE_LDADD)
tests_explore_timer_SOURCES = tests/explore/timer.c $(explore_waiting)
tests_explore_timer_LDADD = $(EXPLORE_LDADD)
tests_explore_wait_SOURCES = tests/explore/wait.c $(explore_waiting)
tests_explore_wait_LDADD = $(EXPLORE_LDADD)
tests_explore_wait_first_SOURCES = tests/explore/wait_first.c $(explore_waiting)
tests_explore_wait_first_LDADD = $(EXPLORE_LDADD)
tests/explore/%$(EXEEXT): AM_CFLAGS = $(WARNING_CFLAGS)
tests/explore/%$(EXEEXT): AM_LDFLAGS =
tests/explore/%.$(OBJEXT): AM_CPPFLAGS = $(EXPLORED_CPPFLAGS)
tests/explore/%.$(OBJEXT): AM_CFLAGS = $(EXPLORED_CFLAGS)

# Even if CFLAGS says -flto: code generated at link time would not be instrumented.
$(libexplored_a_OBJECTS) $(libexplored_blocking_a_OBJECTS) $(libexplored_full_a_OBJECTS) $(libexplored_mpi_a_OBJECTS) $(libexplored_outside_a_OBJECTS) $(libexplored_pool_a_OBJECTS) \
    $(libexplored_preempt_a_OBJECTS) $(libexplored_source_a_OBJECTS) $(libexplored_split_a_OBJECTS) $(libexplored_submit_a_OBJECTS) $(libexplored_sync_a_OBJECTS): override CFLAGS += -fno-lto
tests/explore/%.$(OBJEXT): override CFLAGS += -fno-lto

EXTRA_DIST += tests/explore/README.md

# With wide bounds. make check uses narrow ones.
check-explore: $(explore_tests)
	@status=0; for test in $(explore_tests); do echo "$$test"; EXPLORE=full $$test || status=1; done; exit $$status
.PHONY: check-explore
