# SPDX-License-Identifier: MIT
# What comes from outside, as any bytes. `make check` replays the saved inputs, `make check-fuzz` looks for new ones.
fuzz_tests = tests/fuzz/cgroup tests/fuzz/config tests/fuzz/machine tests/fuzz/places tests/fuzz/profile \
    tests/fuzz/settings
fuzz_shared = tests/fuzz/fuzz.c tests/fuzz/fuzz.h tests/fuzz/replay.c
fuzz_wraps = $(AM_LDFLAGS) -Wl,--wrap=write
tests_fuzz_cgroup_SOURCES = tests/fuzz/cgroup.c $(fuzz_shared)
tests_fuzz_cgroup_LDFLAGS = $(fuzz_wraps),--wrap=read
tests_fuzz_config_SOURCES = tests/fuzz/config.c $(fuzz_shared)
tests_fuzz_config_LDFLAGS = $(fuzz_wraps)
tests_fuzz_machine_SOURCES = tests/fuzz/machine.c $(fuzz_shared)
tests_fuzz_machine_LDFLAGS = $(fuzz_wraps)
tests_fuzz_places_SOURCES = tests/fuzz/places.c $(fuzz_shared)
tests_fuzz_places_LDFLAGS = $(fuzz_wraps)
tests_fuzz_profile_SOURCES = tests/fuzz/profile.c $(fuzz_shared)
tests_fuzz_profile_LDFLAGS = $(fuzz_wraps)
tests_fuzz_settings_SOURCES = tests/fuzz/settings.c $(fuzz_shared)
tests_fuzz_settings_LDFLAGS = $(fuzz_wraps)
tests/fuzz/%$(EXEEXT): TESTED_LIBRARY = libwsfjcore.la
if JANSSON
fuzz_tests += tests/fuzz/view
tests_fuzz_view_SOURCES = tests/fuzz/view.c $(fuzz_shared) $(view_sources)
nodist_tests_fuzz_view_SOURCES = tools/view/page.c
# Its profile.h, not that of lib.
tests_fuzz_view_CPPFLAGS = -iquote $(srcdir)/tools/view $(AM_CPPFLAGS) $(TEST_CPPFLAGS) $(JANSSON_CFLAGS)
tests_fuzz_view_LDADD = $(LDADD) $(JANSSON_LIBS) -lm
tests_fuzz_view_LDFLAGS = $(fuzz_wraps)
fuzz_view = $(filter %.c,$(view_sources)) tools/view/page.c
endif
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/run

# The part of the library that the harnesses reach; clang compiles it anew. SECONDS: for all harnesses together.
SECONDS = 60
fuzz_library = lib/affinity.c lib/debug.c lib/layout.c lib/output.c lib/parse.c lib/places.c lib/procfile.c \
    lib/profile_clock.c lib/profile_html.c lib/profile_out.c lib/profile_report.c lib/quota.c lib/report.c lib/scan.c \
    lib/secure.c lib/settings.c lib/signame.c lib/symbols.c lib/ticks.c lib/topology.c lib/trace_file.c lib/trace_json.c \
    lib/trace_names.c lib/trace_proto.c lib/trace_walk.c lib/victim.c
if HWLOC
fuzz_library += lib/topology_hwloc.c
else
fuzz_library += lib/topology_sys.c
endif
if CHAOS
fuzz_library += lib/chaos.c lib/mishap.c
endif
check-fuzz: $(nodist_tests_fuzz_view_SOURCES)
	@srcdir='$(abs_srcdir)' FUZZ_SOURCES='$(fuzz_library)' VIEW_SOURCES='$(fuzz_view)' VIEW_LIBS='$(JANSSON_CFLAGS) $(JANSSON_LIBS) -lm' \
	    $(SHELL) $(srcdir)/tests/fuzz/run $(SECONDS) \
	    $(DEFS) $(FEATURE_CPPFLAGS) $(HWLOC_CFLAGS) $(HWLOC_LIBS)
.PHONY: check-fuzz
