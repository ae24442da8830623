# SPDX-License-Identifier: MIT
# What tests load at run time. user/unload and user/copies load plugin.c, linked with the shared library (shared.la) and
# with a copy of its own (own.la). user/setuid and user/libraries must not load untrusted.c.
test_modules =
test_modules += tests/plugin/shared.la
tests_plugin_shared_la_SOURCES = tests/plugin/plugin.c tests/plugin/plugin.h
tests_plugin_shared_la_LIBADD = libwsfj.la
tests_plugin_shared_la_LDFLAGS = $(MODULE_LDFLAGS) -Wl,-rpath,$(abs_top_builddir)/.libs
test_modules += tests/plugin/own.la
tests_plugin_own_la_SOURCES = tests/plugin/plugin.c tests/plugin/plugin.h
tests_plugin_own_la_LIBADD = libwsfjcore.la
tests_plugin_own_la_LDFLAGS = $(MODULE_LDFLAGS)
test_modules += tests/plugin/untrusted.la
tests_plugin_untrusted_la_SOURCES = tests/plugin/untrusted.c tests/plugin/untrusted.h
tests_plugin_untrusted_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
MODULE_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere -export-symbols-regex '^plugin$$'
DLOPEN_LIBS = -ldl
noinst_HEADERS += tests/plugin/bottomless.h tests/plugin/load.h
