# SPDX-License-Identifier: MIT
# The laboratory: experiments on the runtime and its queues (doc/lab/README.md). Plain make does not build it.
check_PROGRAMS += wsfj-lab
wsfj_lab_LDADD = libwsfjcore.la -lm
wsfj_lab_SOURCES = \
    bench/harness/machine.c bench/harness/machine.h \
    bench/harness/sample.c bench/harness/sample.h \
    bench/lab/crew.c bench/lab/crew.h \
    bench/lab/flood.c bench/lab/flood.h \
    bench/lab/grain.c \
    bench/lab/lab.h \
    bench/lab/latency.c \
    bench/lab/main.c \
    bench/lab/next.c \
    bench/lab/options.c bench/lab/options.h \
    bench/lab/overflow.c \
    bench/lab/queues.c \
    bench/lab/report.c \
    bench/lab/rounds.c bench/lab/rounds.h \
    bench/lab/run_queue.c \
    bench/lab/share.c \
    bench/lab/source.c \
    bench/lab/spread.c \
    bench/lab/steal.c \
    bench/lab/trace.c bench/lab/trace.h \
    bench/lab/work.c bench/lab/work.h

# Twelve classic mistakes and their remedies, each a program of its own (doc/lab/mistakes.md). mistakes/run compiles queue.c,
# with ThreadSanitizer, and early.c and total.c, with wsfj-race.
check_LIBRARIES += liblabmistake.a
liblabmistake_a_SOURCES = \
    bench/harness/sample.c bench/harness/sample.h \
    bench/lab/mistakes/mistake.c bench/lab/mistakes/mistake.h \
    bench/lab/work.c bench/lab/work.h
mistake_libraries = liblabmistake.a libwsfjcore.la
lab_mistakes =
lab_mistakes += bench/lab/mistakes/alone
bench_lab_mistakes_alone_LDADD = $(mistake_libraries)
lab_mistakes += bench/lab/mistakes/blocking
bench_lab_mistakes_blocking_LDADD = $(mistake_libraries)
lab_mistakes += bench/lab/mistakes/loop
bench_lab_mistakes_loop_LDADD = $(mistake_libraries)
lab_mistakes += bench/lab/mistakes/pinned
bench_lab_mistakes_pinned_LDADD = $(mistake_libraries)
lab_mistakes += bench/lab/mistakes/poll
bench_lab_mistakes_poll_LDADD = $(mistake_libraries)
lab_mistakes += bench/lab/mistakes/producer
bench_lab_mistakes_producer_LDADD = $(mistake_libraries)
lab_mistakes += bench/lab/mistakes/quota
bench_lab_mistakes_quota_LDADD = $(mistake_libraries)
lab_mistakes += bench/lab/mistakes/spin
bench_lab_mistakes_spin_LDADD = $(mistake_libraries)
lab_mistakes += bench/lab/mistakes/tail
bench_lab_mistakes_tail_LDADD = $(mistake_libraries)
check_PROGRAMS += $(lab_mistakes)

# Makes tables and findings, draws figures, and copies tables, findings and shown figures into the pages of doc/lab.
LAB =
LAB_OUT = bench/lab/results
.PHONY: lab lab-plots lab-pages
lab: wsfj-lab$(EXEEXT) $(lab_mistakes)
	@srcdir='$(srcdir)' CC='$(CC)' $(SHELL) $(srcdir)/bench/lab/run '$(LAB_OUT)' '$(LAB)'
lab-plots:
	@srcdir='$(srcdir)' $(SHELL) $(srcdir)/bench/lab/plot '$(LAB_OUT)' '$(LAB_OUT)'
lab-pages:
	@$(SHELL) $(srcdir)/bench/lab/fill '$(LAB_OUT)' $(srcdir)/doc/lab
	@srcdir='$(srcdir)' $(SHELL) $(srcdir)/bench/lab/plot '$(LAB_OUT)' $(srcdir)/doc/lab $(srcdir)/doc/lab
clean-local: clean-lab
.PHONY: clean-lab
clean-lab:
	rm -rf bench/lab/results
EXTRA_DIST += bench/lab/fill bench/lab/plot bench/lab/plots bench/lab/run
EXTRA_DIST += bench/lab/mistakes/early.c bench/lab/mistakes/queue.c bench/lab/mistakes/run bench/lab/mistakes/total.c
