# SPDX-License-Identifier: MIT
# Builds the peers' programs: the kernels once for each runtime, with the header that maps the task macros to it.
#
# For `build`, which sets the compilers and names the programs. A GNU makefile of its own, because Automake knows
# neither two C compilers nor a C++ compiler for .c files. All get -O3 and nothing else.
#
# A runtime and the program of libwsfj that it is compared with are built by one family of compilers:
#   gcc     wsfj         libgomp, tbb (g++)
#   clang   wsfj-clang   libomp

out := bench/peers
here := $(srcdir)/bench/peers
kernels := $(notdir $(basename $(wildcard $(srcdir)/bench/kernels/*.c)))
flags := -O3 -I$(srcdir)/include -iquote $(srcdir)/bench
say = $(if $(filter 1,$(V)),,@echo '  PEER     $@';)
ours := $(PEER_CPPFLAGS)
links = $(LIBTOOL) --silent --tag=CC --mode=link $(1) -O3 $(PEER_LDFLAGS)

# $(call program,NAME,COMPILER,HEADER'S FOLDER,START,LINKER,LIBRARIES)
define program
$(out)/wsfj-peer-$(1): $$(patsubst %,$(out)/objects/$(1)/%.o,$$(kernels) start peer) $$(filter %.la,$(6))
	$$(say) $(5) -o $$@ $$(filter %.o,$$^) $(6) -lm
$(out)/objects/$(1)/%.o: $(srcdir)/bench/kernels/%.c
	$$(say) mkdir -p $$(@D) && $(2) $(3) $(flags) -MMD -MP -c -o $$@ $$<
$(out)/objects/$(1)/peer.o: $(here)/peer.c
	$$(say) mkdir -p $$(@D) && $(2) $(3) $(flags) -MMD -MP -c -o $$@ $$<
$(out)/objects/$(1)/start.o: $(here)/$(4)
	$$(say) mkdir -p $$(@D) && $(2) $(3) $(flags) -MMD -MP -c -o $$@ $$<
endef

$(eval $(call program,wsfj,$(GCC),$(ours),wsfj/start.c,$(call links,$(GCC)),libwsfjcore.la))
$(eval $(call program,wsfj-clang,$(CLANG),$(ours),wsfj/start.c,$(call links,$(CLANG)),libwsfjcore.la))
$(eval $(call program,libgomp,$(GOMP),-fopenmp -I$(here)/openmp,openmp/start.c,$(GOMP) -fopenmp,))
$(eval $(call program,libomp,$(CLANG),-fopenmp=libomp -I$(here)/openmp,openmp/start.c,$(CLANG) -fopenmp=libomp,))
$(eval $(call program,tbb,$(GXX) -std=c++17 -x c++,-I$(here)/tbb,tbb/start.cc,$(GXX),$(TBB_FLAGS)))

-include $(wildcard $(out)/objects/*/*.d)
