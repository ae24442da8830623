# SPDX-License-Identifier: MIT
# Programs for users. They link libwsfjcore: what they show is what the library does, by the same code.
bin_PROGRAMS += wsfj-info
wsfj_info_LDADD = libwsfjcore.la
wsfj_info_SOURCES = tools/info.c
