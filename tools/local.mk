# SPDX-License-Identifier: MIT
# Programs for users. They link libwsfjcore: what they show is what the library does, by the same code.
bin_PROGRAMS += wsfj-info
wsfj_info_LDADD = libwsfjcore.la
wsfj_info_SOURCES = tools/info.c tools/groups.c tools/groups.h

# For gdb, which loads it with the library if its name is that of the file (doc/debugging.md). In a directory of gdb's own.
EXTRA_DIST += tools/gdb.py tools/journey
gdbdir = $(datadir)/gdb/auto-load$(libdir)
gdb_script = $(gdbdir)/$$(sed -n "s/^library_names='\([^ ']*\).*/\1/p" libwsfj.la)-gdb.py
install-data-hook: libwsfj.la
	$(MKDIR_P) "$(DESTDIR)$(gdbdir)"
	$(INSTALL_DATA) $(srcdir)/tools/gdb.py "$(DESTDIR)$(gdb_script)"
uninstall-hook: libwsfj.la
	rm -f "$(DESTDIR)$(gdb_script)"
# wsfj-view shows files and needs nothing of the library but its names.
if JANSSON
bin_PROGRAMS += wsfj-view
wsfj_view_CPPFLAGS = -iquote $(srcdir)/tools/view $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
wsfj_view_LDADD = $(JANSSON_LIBS) -lm
wsfj_view_SOURCES = tools/view/main.c $(view_sources) lib/profile/verdict.c lib/profile/verdict.h
view_sources = lib/mpi/trace_marks.h \
    tools/view/advice.c tools/view/advice.h \
    tools/view/array.h \
    tools/view/bars.c tools/view/bars.h \
    tools/view/chart.c tools/view/chart.h \
    tools/view/check.c tools/view/check.h \
    tools/view/data.c tools/view/data.h \
    tools/view/event.c tools/view/event.h \
    tools/view/fill.c tools/view/fill.h \
    tools/view/grid.c \
    tools/view/html.c \
    tools/view/join.c tools/view/join.h \
    tools/view/log.c \
    tools/view/matrix.c tools/view/matrix.h \
    tools/view/message.c tools/view/message.h \
    tools/view/names.c tools/view/names.h \
    tools/view/page.h \
    tools/view/place.c tools/view/place.h \
    tools/view/profile.c tools/view/profile.h tools/view/profile_method.c tools/view/profile_show.c \
    tools/view/put.c tools/view/put.h \
    tools/view/sentence.c tools/view/sentence.h \
    tools/view/show.h \
    tools/view/source.c tools/view/source.h \
    tools/view/sums.c tools/view/sums.h \
    tools/view/svg.c \
    tools/view/sweep.c tools/view/sweep.h \
    tools/view/text.c \
    tools/view/trace.c tools/view/trace.h \
    tools/view/window.c tools/view/window.h \
    tools/view/woken.c tools/view/woken.h
nodist_wsfj_view_SOURCES = tools/view/page.c
endif

# What the page is made of, as strings of C.
view_page = tools/view/chart.css tools/view/page.css tools/view/page.html tools/view/page.js \
    tools/view/page_ranks.js tools/view/page_use.js tools/view/profile_page.html
EXTRA_DIST += $(view_page) tools/view/literal.awk tools/view/strings.awk tools/view/README.md
CLEANFILES += tools/view/page.c tools/view/literal.css
tools/view/literal.css: tools/view/chart.css tools/view/literal.awk
	$(AM_V_GEN)$(MKDIR_P) tools/view && \
	LC_ALL=C $(AWK) -f $(srcdir)/tools/view/literal.awk $(srcdir)/tools/view/chart.css >$@.new && mv -f $@.new $@
tools/view/page.c: $(view_page) tools/view/literal.css tools/view/strings.awk
	$(AM_V_GEN)here=$$(pwd) && (cd $(srcdir) && \
	LC_ALL=C $(AWK) -f tools/view/strings.awk $(view_page) "$$here/tools/view/literal.css") >$@.new && mv -f $@.new $@

include tools/sim/local.mk
include tools/race/local.mk
