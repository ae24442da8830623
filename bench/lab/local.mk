# SPDX-License-Identifier: MIT
# The laboratory: experiments on the runtime and its queues (doc/lab/README.md). Not installed.
noinst_PROGRAMS += wsfj-lab
wsfj_lab_LDADD = libwsfjcore.la -lm
wsfj_lab_SOURCES = \
    bench/machine.c bench/machine.h \
    bench/sample.c bench/sample.h \
    bench/lab/crew.c bench/lab/crew.h \
    bench/lab/few.c \
    bench/lab/flood.c bench/lab/flood.h \
    bench/lab/fraction.c \
    bench/lab/grain.c \
    bench/lab/joins.c \
    bench/lab/lab.h \
    bench/lab/latency.c \
    bench/lab/livelock.c \
    bench/lab/main.c \
    bench/lab/next.c \
    bench/lab/order.c \
    bench/lab/overflow.c \
    bench/lab/queues.c \
    bench/lab/report.c \
    bench/lab/ring.c \
    bench/lab/share.c \
    bench/lab/source.c \
    bench/lab/spread.c \
    bench/lab/steal.c \
    bench/lab/victims.c \
    bench/lab/work.c bench/lab/work.h
