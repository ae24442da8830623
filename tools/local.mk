# SPDX-License-Identifier: MIT
# Programs for users. They link libwsfjcore: what they show is what the library does, by the same code.
bin_PROGRAMS += wsfj-info
wsfj_info_LDADD = libwsfjcore.la
wsfj_info_SOURCES = tools/info.c

# For gdb, which loads it with the library if its name is that of the file (doc/debugging.md). In a directory of gdb's own.
EXTRA_DIST += tools/gdb.py
gdbdir = $(datadir)/gdb/auto-load$(libdir)
gdb_script = $(gdbdir)/$$(sed -n "s/^library_names='\([^ ']*\).*/\1/p" libwsfj.la)-gdb.py
install-data-hook: libwsfj.la
	$(MKDIR_P) "$(DESTDIR)$(gdbdir)"
	$(INSTALL_DATA) $(srcdir)/tools/gdb.py "$(DESTDIR)$(gdb_script)"
uninstall-hook: libwsfj.la
	rm -f "$(DESTDIR)$(gdb_script)"
