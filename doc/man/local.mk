# SPDX-License-Identifier: MIT
# The manual. Its sources are for scdoc; the pages are built beside them. A tarball has the pages, so only a build from
# git needs scdoc.
manual = \
    doc/man/wsfj-bench.1 \
    doc/man/wsfj-info.1 \
    doc/man/wsfj-blocking.3 \
    doc/man/wsfj-dump.3 \
    doc/man/wsfj-init.3 \
    doc/man/wsfj-local.3 \
    doc/man/wsfj-loops.3 \
    doc/man/wsfj-outside.3 \
    doc/man/wsfj-pins.3 \
    doc/man/wsfj-random.3 \
    doc/man/wsfj-reductions.3 \
    doc/man/wsfj-run.3 \
    doc/man/wsfj-scopes.3 \
    doc/man/wsfj-stats.3 \
    doc/man/wsfj-submit.3 \
    doc/man/wsfj-tasks.3 \
    doc/man/wsfj-trace.3 \
    doc/man/wsfj-wait.3 \
    doc/man/wsfj.7 \
    doc/man/wsfj-env.7
manual_view = doc/man/wsfj-view.1
manual_sim = doc/man/wsfj-sim.1 doc/man/wsfj-sim.3
manual_race = doc/man/wsfj-race.1 doc/man/wsfj-race.3
manual_all = $(manual) $(manual_view) $(manual_sim) $(manual_race)

# What is installed: pages of what is built.
man_MANS =
if MANUAL
man_MANS += $(manual)
if JANSSON
man_MANS += $(manual_view)
endif
if SIMULATOR
man_MANS += $(manual_sim)
endif
if RACE
man_MANS += $(manual_race)
endif
endif
EXTRA_DIST += $(manual_all)
MAINTAINERCLEANFILES = $(manual_all)
manual_links = $(SHELL) $(srcdir)/doc/man/links

# A page has the date of its last commit. What the fields of a structure are comes from the header.
$(manual_all): %: %.scd doc/man/fields.awk doc/man/tidy.awk
	$(AM_V_GEN)$(MKDIR_P) doc/man && \
	LC_ALL=C $(AWK) -f $(srcdir)/doc/man/fields.awk $(srcdir)/include/wsfj.h $< >$@.fields && \
	SOURCE_DATE_EPOCH=$$(cd $(srcdir) && { git log -1 --format=%ct -- $@.scd 2>/dev/null | grep . || date -r $@.scd +%s; }) \
	    $(SCDOC) <$@.fields >$@.scdoc && \
	LC_ALL=C $(AWK) -f $(srcdir)/doc/man/tidy.awk $@.scdoc >$@.new && mv -f $@.new $@; \
	status=$$?; rm -f $@.fields $@.scdoc; exit $$status
doc/man/wsfj-stats.3: include/wsfj.h

# The same as HTML, and the reference of the interface.
html-local: $(man_MANS)
	$(SHELL) $(srcdir)/doc/man/html $(srcdir) $(man_MANS)
clean-local: clean-html
clean-html:
	rm -rf html
.PHONY: clean-html
