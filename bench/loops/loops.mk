# SPDX-License-Identifier: MIT
# Builds the programs of bench/loops: the same loops on libwsfj, as its elision, on OpenMP and on oneTBB.
#
# For bench/peers/build, which sets the compilers and names the programs. All are of gcc's family: a ratio compares
# runtimes, not compilers. All get -O3 and nothing else.

out := bench/loops
here := $(srcdir)/bench/loops
flags := -O3 -I$(srcdir)/include
say = $(if $(filter 1,$(V)),,@echo '  LOOPS    $@';)

# $(call program,NAME,COMPILER,SOURCE,LINKER,LIBRARIES)
define program
$(out)/wsfj-loops-$(1): $(out)/objects/$(1)/loops.o $(out)/objects/main.o $$(filter %.la,$(5))
	$$(say) $(4) -o $$@ $$(filter %.o,$$^) $(5) -lm
$(out)/objects/$(1)/loops.o: $(here)/$(3)
	$$(say) mkdir -p $$(@D) && $(2) $(flags) -MMD -MP -c -o $$@ $$<
endef

ours := $(LIBTOOL) --silent --tag=CC --mode=link $(GCC) -O3 $(PEER_LDFLAGS)
$(eval $(call program,wsfj,$(GCC) $(PEER_CPPFLAGS),wsfj.c,$(ours),libwsfjcore.la))
$(eval $(call program,serial,$(GCC) $(PEER_CPPFLAGS) -DWSFJ_SERIAL,wsfj.c,$(GCC),))
$(eval $(call program,libgomp,$(GOMP) -fopenmp,openmp.c,$(GOMP) -fopenmp,))
$(eval $(call program,tbb,$(GXX) -std=c++17,tbb.cc,$(GXX),$(TBB_FLAGS)))

$(out)/objects/main.o: $(here)/main.c
	$(say) mkdir -p $(@D) && $(GCC) $(flags) -MMD -MP -c -o $@ $<

-include $(wildcard $(out)/objects/*.d $(out)/objects/*/*.d)
