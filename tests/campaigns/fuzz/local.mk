# SPDX-License-Identifier: MIT
# What comes from outside, as any bytes. `make check` replays the saved inputs, `make check-fuzz` looks for new ones.
fuzz_tests = tests/campaigns/fuzz/cgroup tests/campaigns/fuzz/config tests/campaigns/fuzz/machine tests/campaigns/fuzz/places tests/campaigns/fuzz/profile \
    tests/campaigns/fuzz/settings
fuzz_shared = tests/campaigns/fuzz/fuzz.c tests/campaigns/fuzz/fuzz.h tests/campaigns/fuzz/replay.c
fuzz_wraps = $(AM_LDFLAGS) -Wl,--wrap=write
tests_campaigns_fuzz_cgroup_SOURCES = tests/campaigns/fuzz/cgroup.c $(fuzz_shared)
tests_campaigns_fuzz_cgroup_LDFLAGS = $(fuzz_wraps),--wrap=read
tests_campaigns_fuzz_config_SOURCES = tests/campaigns/fuzz/config.c $(fuzz_shared)
tests_campaigns_fuzz_config_LDFLAGS = $(fuzz_wraps)
tests_campaigns_fuzz_machine_SOURCES = tests/campaigns/fuzz/machine.c $(fuzz_shared)
tests_campaigns_fuzz_machine_LDFLAGS = $(fuzz_wraps)
tests_campaigns_fuzz_places_SOURCES = tests/campaigns/fuzz/places.c $(fuzz_shared)
tests_campaigns_fuzz_places_LDFLAGS = $(fuzz_wraps)
tests_campaigns_fuzz_profile_SOURCES = tests/campaigns/fuzz/profile.c $(fuzz_shared)
tests_campaigns_fuzz_profile_LDFLAGS = $(fuzz_wraps)
tests_campaigns_fuzz_settings_SOURCES = tests/campaigns/fuzz/settings.c $(fuzz_shared)
tests_campaigns_fuzz_settings_LDFLAGS = $(fuzz_wraps)
tests/campaigns/fuzz/%$(EXEEXT): TESTED_LIBRARY = libwsfjcore.la
if JANSSON
fuzz_tests += tests/campaigns/fuzz/view
tests_campaigns_fuzz_view_SOURCES = tests/campaigns/fuzz/view.c $(fuzz_shared) $(view_sources)
nodist_tests_campaigns_fuzz_view_SOURCES = tools/view/page.c
# Its profile.h, not that of lib.
tests_campaigns_fuzz_view_CPPFLAGS = -iquote $(srcdir)/tools/view $(AM_CPPFLAGS) $(TEST_CPPFLAGS) $(JANSSON_CFLAGS)
tests_campaigns_fuzz_view_LDADD = $(LDADD) $(JANSSON_LIBS) -lm
tests_campaigns_fuzz_view_LDFLAGS = $(fuzz_wraps)
fuzz_view = $(filter %.c,$(view_sources)) tools/view/page.c
endif
# Two harnesses also have long inputs.
long_inputs = tests/campaigns/fuzz/long/made
EXTRA_tests_campaigns_fuzz_cgroup_DEPENDENCIES = $(long_inputs)
EXTRA_tests_campaigns_fuzz_places_DEPENDENCIES = $(long_inputs)
$(long_inputs): tests/campaigns/fuzz/long_inputs
	$(AM_V_GEN)$(SHELL) $(srcdir)/tests/campaigns/fuzz/long_inputs tests/campaigns/fuzz/long && touch $@
clean-local: clean-long-inputs
clean-long-inputs:
	rm -rf tests/campaigns/fuzz/long
EXTRA_DIST += tests/campaigns/fuzz/long_inputs
EXTRA_DIST += tests/campaigns/fuzz/corpus tests/campaigns/fuzz/run tests/campaigns/fuzz/README.md

# clang compiles the library anew; a harness gets what it reaches of it. SECONDS: for all harnesses together.
SECONDS = 60
fuzz_library = $(filter %.c %.S,$(libwsfjcore_la_SOURCES))
check-fuzz: $(nodist_tests_campaigns_fuzz_view_SOURCES)
	@srcdir='$(abs_srcdir)' FUZZ_SOURCES='$(fuzz_library)' VIEW_SOURCES='$(fuzz_view)' VIEW_LIBS='$(JANSSON_CFLAGS) $(JANSSON_LIBS) -lm' \
	    $(SHELL) $(srcdir)/tests/campaigns/fuzz/run $(SECONDS) \
	    $(DEFS) $(FEATURE_CPPFLAGS) $(HWLOC_CFLAGS) $(HWLOC_LIBS)
.PHONY: check-fuzz
