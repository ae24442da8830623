# SPDX-License-Identifier: MIT
# Long runs of random programs. make check runs both programs for a moment; README.md says how to run them for hours.
stress_tests += tests/campaigns/soak/soak
tests_campaigns_soak_soak_SOURCES = tests/campaigns/soak/soak.c $(soak_sources)
stress_tests += tests/campaigns/soak/storms
quiet_tests += tests/campaigns/soak/storms # has failed on a loaded machine
tests_campaigns_soak_storms_SOURCES = tests/campaigns/soak/storms.c $(soak_sources) \
    tests/campaigns/soak/weather.c tests/campaigns/soak/weather.h
tests_campaigns_soak_storms_LDADD = libwsfjcore.la $(TEST_LIBS) # it shortens the period of the CPU limit
soak_sources = $(random_sources) \
    tests/campaigns/soak/batch.c tests/campaigns/soak/batch.h \
    tests/campaigns/soak/guard.c tests/campaigns/soak/guard.h tests/campaigns/soak/page.h \
    tests/campaigns/soak/setup.c tests/campaigns/soak/setup.h
EXTRA_DIST += tests/campaigns/soak/README.md

# For MINUTES, with the library as it is configured.
MINUTES = 1
soak: tests/campaigns/soak/soak$(EXEEXT)
	tests/campaigns/soak/soak $(MINUTES)
# STORMS times the storms of make check. The guard limits their time.
STORMS = 20
storms: tests/campaigns/soak/storms$(EXEEXT)
	WSFJ_TEST_LIMIT=999999 WSFJ_TEST_TIMES=$(STORMS) tests/campaigns/soak/storms
.PHONY: soak storms
