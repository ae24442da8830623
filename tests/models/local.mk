# SPDX-License-Identifier: MIT
# Models of the protocols. make check-full has Spin search a few of them, make check-models all.
model_tests = tests/models/check.sh
EXTRA_DIST += $(model_tests) tests/models/README.md tests/models/exceptions tests/models/runs
EXTRA_DIST += tests/models/compare.awk tests/models/where.awk
EXTRA_DIST += tests/models/awake.pml tests/models/bag.pml tests/models/block.pml tests/models/callers.pml tests/models/deque.pml tests/models/group.pml
EXTRA_DIST += tests/models/cancel.pml tests/models/join.pml tests/models/lookout.pml
EXTRA_DIST += tests/models/memory.pml tests/models/mpi.pml tests/models/park.pml tests/models/park_steps.pml tests/models/pin.pml
EXTRA_DIST += tests/models/pin_two.pml tests/models/preempt.pml tests/models/run_queue.pml
EXTRA_DIST += tests/models/run_queue_steps.pml tests/models/scope.pml tests/models/suspended.pml tests/models/suspended_steps.pml
EXTRA_DIST += tests/models/transit.pml tests/models/wait.pml
check-models:
	@MODELS=all srcdir=$(srcdir) $(SHELL) $(srcdir)/tests/models/check.sh
.PHONY: check-models
