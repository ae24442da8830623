# SPDX-License-Identifier: MIT
# The library: what is installed of it, and libwsfjcore, the same objects without a map, for those who look inside.
include_HEADERS = include/wsfj.h include/wsfj.hpp
wsfjincludedir = $(includedir)/wsfj
wsfjinclude_HEADERS = \
    include/wsfj/blocking.h \
    include/wsfj/fold.h \
    include/wsfj/invoke.h \
    include/wsfj/local.h \
    include/wsfj/loop.h \
    include/wsfj/outside.h \
    include/wsfj/pin.h \
    include/wsfj/race.h \
    include/wsfj/reduce.h \
    include/wsfj/rng.h \
    include/wsfj/scope.h \
    include/wsfj/submit.h \
    include/wsfj/trace.h \
    include/wsfj/try.h \
    include/wsfj/wait.h \
    include/wsfj/wait.hpp
wsfjinlinedir = $(includedir)/wsfj/inline
wsfjinline_HEADERS = \
    include/wsfj/inline/abi.h \
    include/wsfj/inline/args.h \
    include/wsfj/inline/check.h \
    include/wsfj/inline/clock_serial.h \
    include/wsfj/inline/compiler.h \
    include/wsfj/inline/cxx_base.hpp \
    include/wsfj/inline/cxx_cold.hpp \
    include/wsfj/inline/cxx_each.hpp \
    include/wsfj/inline/cxx_frame.hpp \
    include/wsfj/inline/cxx_loop.hpp \
    include/wsfj/inline/cxx_loop_serial.hpp \
    include/wsfj/inline/cxx_channel.hpp \
    include/wsfj/inline/cxx_run.hpp \
    include/wsfj/inline/cxx_serial.hpp \
    include/wsfj/inline/cxx_task.hpp \
    include/wsfj/inline/cxx_tree.hpp \
    include/wsfj/inline/descriptor.h \
    include/wsfj/inline/fastpath.h \
    include/wsfj/inline/forms.h \
    include/wsfj/inline/items.h \
    include/wsfj/inline/loop2_task.h \
    include/wsfj/inline/loop_args.h \
    include/wsfj/inline/loop_drive.h \
    include/wsfj/inline/loop_profile.h \
    include/wsfj/inline/loop_serial.h \
    include/wsfj/inline/loop_task.h \
    include/wsfj/inline/outside_serial.h \
    include/wsfj/inline/profile.h \
    include/wsfj/inline/race_hooks.h \
    include/wsfj/inline/race_loop.h \
    include/wsfj/inline/race_reduce.h \
    include/wsfj/inline/race_submit.h \
    include/wsfj/inline/race_task.h \
    include/wsfj/inline/reduce_fold.h \
    include/wsfj/inline/reduce_profile.h \
    include/wsfj/inline/reduce_serial.h \
    include/wsfj/inline/reduce_task.h \
    include/wsfj/inline/renamed.h \
    include/wsfj/inline/scope_chain.h \
    include/wsfj/inline/scope_data.h \
    include/wsfj/inline/scoped.h \
    include/wsfj/inline/scopes.h \
    include/wsfj/inline/serial.h \
    include/wsfj/inline/serial_calls.h \
    include/wsfj/inline/serial_channel.h \
    include/wsfj/inline/serial_wait.h \
    include/wsfj/inline/spawn.h \
    include/wsfj/inline/static_task.h \
    include/wsfj/inline/strands.h \
    include/wsfj/inline/task.h
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = libwsfj.pc

lib_LTLIBRARIES += libwsfj.la
libwsfj_la_SOURCES =
libwsfj_la_LIBADD = libwsfjcore.la
libwsfj_la_LDFLAGS = -version-info 0:0:0 $(AM_LDFLAGS) $(LIBRARY_LDFLAGS)
EXTRA_DIST += lib/libwsfj.map lib/README.md \
    lib/base/README.md lib/arch/README.md lib/config/README.md lib/machine/README.md lib/task/README.md \
    lib/wait/README.md lib/queue/README.md \
    lib/worker/README.md lib/idle/README.md lib/blocking/README.md lib/sched/README.md lib/loop/README.md lib/api/README.md \
    lib/sync/README.md \
    lib/signals/README.md lib/observe/README.md lib/profile/README.md lib/runtime/README.md
if HAVE_VERSION_SCRIPT
libwsfj_la_LDFLAGS += -Wl,--version-script=$(srcdir)/lib/libwsfj.map
EXTRA_libwsfj_la_DEPENDENCIES = $(srcdir)/lib/libwsfj.map
endif

noinst_LTLIBRARIES += libwsfjcore.la
libwsfjcore_la_CFLAGS = $(AM_CFLAGS) $(LIBRARY_CFLAGS)
libwsfjcore_la_LIBADD = $(HWLOC_LIBS)
# By room, in the order of lib/README.md.
libwsfjcore_la_SOURCES = \
    lib/base/alloc.h \
    lib/base/atomic.h \
    lib/base/base.h \
    lib/base/bits.h \
    lib/base/chaos.h \
    lib/base/debug.c lib/base/debug.h \
    lib/base/error.c \
    lib/base/failpoint.h \
    lib/base/fence.c lib/base/fence.h \
    lib/base/futex.h \
    lib/base/hooks.c lib/base/hooks.h \
    lib/base/leaks.h \
    lib/base/lexer.c lib/base/lexer.h \
    lib/base/mapping.h \
    lib/base/output.c lib/base/output.h \
    lib/base/policy.h \
    lib/base/procfile.c lib/base/procfile.h \
    lib/base/thread.c lib/base/thread.h \
    lib/base/tsan.h \
    lib/base/utf8.h \
    lib/arch/arch.h \
    lib/arch/asan.c \
    lib/arch/context.c lib/arch/context.h \
    lib/arch/exceptions.h \
    lib/arch/fpenv.h \
    lib/arch/frames.c lib/arch/frames.h \
    lib/arch/spin.h \
    lib/arch/ticks.c lib/arch/ticks.h \
    lib/config/parse.c lib/config/parse.h \
    lib/config/places.c lib/config/places.h \
    lib/config/settings.c lib/config/settings.h \
    lib/config/signame.c lib/config/signame.h \
    lib/machine/affinity.c lib/machine/affinity.h \
    lib/machine/cgroup.c lib/machine/cgroup.h \
    lib/machine/delay.c lib/machine/delay.h \
    lib/machine/judge.c lib/machine/judge.h \
    lib/machine/placement.c lib/machine/placement.h \
    lib/machine/report.c lib/machine/report.h \
    lib/machine/tier.h \
    lib/machine/topology.c lib/machine/topology.h \
    lib/machine/topology_sys.c \
    lib/task/border.h \
    lib/task/deque.c lib/task/deque.h \
    lib/task/event.c lib/task/event.h \
    lib/task/event_rows.h \
    lib/task/item.c lib/task/item.h \
    lib/task/join.c lib/task/join.h \
    lib/task/mode.h \
    lib/task/pool.c lib/task/pool.h \
    lib/task/region.h \
    lib/task/scope.c lib/task/scope.h \
    lib/task/stack.c lib/task/stack.h \
    lib/task/suspended.c lib/task/suspended.h \
    lib/wait/descriptor.c lib/wait/descriptor.h \
    lib/wait/sleep.c lib/wait/sleep.h \
    lib/wait/table.c lib/wait/table.h \
    lib/wait/timer.c lib/wait/timer.h \
    lib/wait/waiter.h \
    lib/queue/global_queue.c lib/queue/global_queue.h \
    lib/queue/group.c lib/queue/group.h \
    lib/queue/root.c lib/queue/root.h \
    lib/queue/run_queue.c lib/queue/run_queue.h \
    lib/worker/after_switch.h \
    lib/worker/awake.c lib/worker/awake.h \
    lib/worker/between_tasks.h \
    lib/worker/items.c lib/worker/items.h \
    lib/worker/items_count.h \
    lib/worker/mailbox.c lib/worker/mailbox.h \
    lib/worker/own.c lib/worker/own.h \
    lib/worker/own_inline.h \
    lib/worker/park_word.h \
    lib/worker/reach.c lib/worker/reach.h \
    lib/worker/stopping.c lib/worker/stopping.h \
    lib/worker/team_cpus.c lib/worker/team_cpus.h \
    lib/worker/use.c lib/worker/use.h \
    lib/worker/victim.c lib/worker/victim.h \
    lib/worker/worker.h \
    lib/worker/workers.c lib/worker/workers.h \
    lib/idle/allowed.c lib/idle/allowed.h \
    lib/idle/cpu_limit.c lib/idle/cpu_limit.h \
    lib/idle/idle_counts.c lib/idle/idle_counts.h \
    lib/idle/lookout.c lib/idle/lookout.h \
    lib/idle/loop_clock.c lib/idle/loop_clock.h \
    lib/idle/outside.c lib/idle/outside.h \
    lib/idle/park.c lib/idle/park.h \
    lib/idle/phase.c lib/idle/phase.h \
    lib/idle/preempt.c lib/idle/preempt.h \
    lib/idle/queued.c lib/idle/queued.h \
    lib/idle/recheck.c lib/idle/recheck.h \
    lib/idle/resume.c lib/idle/resume.h \
    lib/idle/retire.c lib/idle/retire.h \
    lib/idle/source.c lib/idle/source.h \
    lib/idle/waiting.c lib/idle/waiting.h \
    lib/idle/wake.c lib/idle/wake.h \
    lib/idle/wake_choice.c lib/idle/wake_choice.h \
    lib/blocking/blocking.c lib/blocking/blocking.h \
    lib/blocking/pin.c lib/blocking/pin.h \
    lib/blocking/spare.c lib/blocking/spare.h \
    lib/sched/brief.c lib/sched/brief.h \
    lib/sched/detached.c lib/sched/detached.h \
    lib/sched/dispatch.c lib/sched/dispatch.h \
    lib/sched/expose.c \
    lib/sched/fiber.c lib/sched/fiber.h \
    lib/sched/fiber_run.h \
    lib/sched/fiber_task.h \
    lib/sched/fork_child.c lib/sched/fork_child.h \
    lib/sched/fresh.c lib/sched/fresh.h \
    lib/sched/give_way.c lib/sched/give_way.h \
    lib/sched/leave.c lib/sched/leave.h \
    lib/sched/load.c lib/sched/load.h \
    lib/sched/search.c lib/sched/search.h \
    lib/sched/serve.c lib/sched/serve.h \
    lib/sched/steal.c lib/sched/steal.h \
    lib/sched/shortage.c lib/sched/shortage.h \
    lib/sched/short_wait.c lib/sched/short_wait.h \
    lib/sched/sync.c lib/sched/sync.h \
    lib/sched/team.c lib/sched/team.h \
    lib/sched/unwind_link.c lib/sched/unwind_link.h \
    lib/loop/count.c lib/loop/count.h \
    lib/loop/fold.c \
    lib/loop/loop.c lib/loop/loop.h \
    lib/loop/slices.c \
    lib/api/guest.c lib/api/guest.h \
    lib/api/guest_root.c lib/api/guest_root.h \
    lib/api/left.c lib/api/left.h \
    lib/api/local.c lib/api/local.h \
    lib/api/number.c \
    lib/api/outside.c \
    lib/api/phase.c \
    lib/api/run.c \
    lib/api/serial.c lib/api/serial.h \
    lib/api/short_loop.c \
    lib/api/submit.c \
    lib/api/group_wait.c \
    lib/api/wait.c lib/api/wait.h \
    lib/sync/any.c \
    lib/sync/channel.c lib/sync/channel.h \
    lib/sync/event.c lib/sync/event.h \
    lib/sync/future.c \
    lib/sync/mutex.c lib/sync/mutex.h \
    lib/sync/semaphore.c lib/sync/semaphore.h \
    lib/sync/taker.c lib/sync/taker.h \
    lib/sync/waiting.c lib/sync/waiting.h \
    lib/sync/word.c \
    lib/signals/frame_request.c lib/signals/frame_request.h \
    lib/signals/sigchain.c lib/signals/sigchain.h \
    lib/signals/stack_overflow.c lib/signals/stack_overflow.h \
    lib/signals/symbols.c lib/signals/symbols.h \
    lib/signals/task_name.h \
    lib/signals/trace_on_crash.c lib/signals/trace_on_crash.h \
    lib/observe/busy.c lib/observe/busy.h \
    lib/observe/debugger.c lib/observe/debugger.h \
    lib/observe/dump.c lib/observe/dump.h \
    lib/observe/locked.c lib/observe/locked.h \
    lib/observe/monitor.c lib/observe/monitor.h \
    lib/observe/notes.c lib/observe/notes.h \
    lib/observe/schedtrace.c lib/observe/schedtrace.h \
    lib/observe/snapshot.c lib/observe/snapshot.h \
    lib/observe/stats.c lib/observe/stats.h \
    lib/observe/textbuf.c lib/observe/textbuf.h \
    lib/observe/trace.c lib/observe/trace.h \
    lib/observe/trace_cpu.c lib/observe/trace_cpu.h \
    lib/observe/trace_drawn.h \
    lib/observe/trace_file.c lib/observe/trace_file.h \
    lib/observe/trace_format.h \
    lib/observe/trace_json.c \
    lib/observe/trace_names.c lib/observe/trace_names.h \
    lib/observe/trace_record.c \
    lib/observe/trace_ring.h \
    lib/observe/trace_walk.c lib/observe/trace_walk.h \
    lib/observe/waits.c lib/observe/waits.h \
    lib/observe/watchdog.c lib/observe/watchdog.h \
    lib/profile/account.c \
    lib/profile/burden.c \
    lib/profile/clock.c \
    lib/profile/detached.c \
    lib/profile/edge.c \
    lib/profile/group.c \
    lib/profile/out.c \
    lib/profile/profile.c lib/profile/profile.h \
    lib/profile/record.h \
    lib/profile/record_build.c lib/profile/record_build.h \
    lib/profile/record_cost.c \
    lib/profile/record_file.c lib/profile/record_file.h \
    lib/profile/record_list.c \
    lib/profile/record_loop.c \
    lib/profile/record_site.c \
    lib/profile/record_strand.c \
    lib/profile/record_table.c \
    lib/profile/report.c \
    lib/profile/sample.c \
    lib/profile/site.c \
    lib/profile/strand.c \
    lib/profile/verdict.c lib/profile/verdict.h \
    lib/runtime/callers.c lib/runtime/callers.h \
    lib/runtime/hooks.c \
    lib/runtime/init_lock.c lib/runtime/init_lock.h \
    lib/runtime/runtime.c lib/runtime/runtime.h \
    lib/runtime/start.c lib/runtime/start.h

# The brief exits and what they call (sched/brief.h).
lib/sched/libwsfjcore_la-brief.lo lib/task/libwsfjcore_la-deque.lo lib/idle/libwsfjcore_la-idle_counts.lo: \
    libwsfjcore_la_CFLAGS += $(BRIEF_CFLAGS)

# Who knows described machines.
if HWLOC
libwsfjcore_la_SOURCES += lib/machine/topology_hwloc.c
else
libwsfjcore_la_SOURCES += lib/machine/topology_bare.c
endif

# What belongs to an architecture, and the stack switch that configure has chosen.
if CPU_X86_64
libwsfjcore_la_SOURCES += lib/arch/x86_64/slow_path.c lib/arch/x86_64/slow_path.h lib/arch/x86_64/thunk.S
endif
if SWITCH_X86_64
libwsfjcore_la_SOURCES += lib/arch/x86_64/context.c lib/arch/x86_64/switch.S
endif
if SWITCH_AARCH64
libwsfjcore_la_SOURCES += lib/arch/aarch64/context.c lib/arch/aarch64/switch.S
endif
if SWITCH_GENERIC
libwsfjcore_la_SOURCES += lib/arch/generic/switch.c
endif

# Bad luck on purpose.
if CHAOS
libwsfjcore_la_SOURCES += lib/base/chaos.c lib/base/failpoint.c
endif
