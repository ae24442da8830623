# SPDX-License-Identifier: MIT
# What build systems and distributions need to know of the library: README.md here.
cmakedir = $(libdir)/cmake/wsfj
cmake_DATA = packaging/cmake/wsfj-config.cmake packaging/cmake/wsfj-config-version.cmake
CLEANFILES += $(cmake_DATA)
EXTRA_DIST += packaging/cmake/wsfj-config.cmake.in packaging/cmake/wsfj-config-version.cmake.in
# What the archive needs; as in libwsfj.pc, but for how Meson reads the names of files.
private_libs = $(if $(PC_REQUIRES_PRIVATE),$(STATIC_LIBS),$(HWLOC_LIBS) $(LIBS))
# configure would replace @libdir@ here.
packaging/cmake/%.cmake: packaging/cmake/%.cmake.in Makefile
	$(AM_V_GEN)$(MKDIR_P) packaging/cmake && \
	sed -e 's|[@]VERSION@|$(VERSION)|; s|[@]cmakedir@|$(cmakedir)|; s|[@]libdir@|$(libdir)|' \
	    -e 's|[@]includedir@|$(includedir)|' -e "s|[@]private_libs@|$$(echo $(private_libs) | tr ' ' ';')|" $< >$@.new && mv -f $@.new $@
EXTRA_DIST += packaging/README.md packaging/debian packaging/rpm packaging/nix packaging/spack packaging/guix

# Two tarballs of one source are equal, byte for byte: their files are sorted and belong to root, with the modes that a umask of
# 022 gives and one time: SOURCE_DATE_EPOCH, else that of the last commit, or of the tarball that this tree comes from.
dist_time = $${SOURCE_DATE_EPOCH:-$$(if test -e $(srcdir)/.git; then git -C $(srcdir) log -1 --format=%ct; \
    else stat -c %Y $(srcdir)/include/wsfj.h; fi)}
am__tar = $${TAR-tar} --format=ustar --sort=name --mtime="@$(dist_time)" --owner=0 --group=0 --numeric-owner \
    --mode=u+rw,go=rX -chf - "$$tardir"
GZIP_ENV = --best --no-name

# The interface that programs of this version are linked with: at a release, and never between two (tests/build/abi.sh).
EXTRA_DIST += packaging/abi
abi-dump: libwsfj.la
	srcdir='$(srcdir)' NM='$(NM)' VERSION='$(VERSION)' $(SHELL) $(srcdir)/packaging/abi/dump \
	    $(srcdir)/packaging/abi/libwsfj.so.0-x86_64.abi $(srcdir)/packaging/debian/libwsfj0.symbols
.PHONY: abi-dump

# Packages and tarballs: too long for make check.
check-deb check-rpm check-dist:
	@srcdir='$(srcdir)' $(SHELL) $(srcdir)/tests/build/$(subst check-,,$@).sh || test $$? -eq 77
.PHONY: check-deb check-rpm check-dist

# Not make's own rule, which would write tests/build/messages anew from messages.sh, if that is newer.
%: %.sh
