# SPDX-License-Identifier: MIT
# Builds the programs of bench/peers/small, each of the driver and one contender; Go's program is one file.
#
# For bench/peers/build, which sets the compilers and names the programs. All get -O3 and nothing else.

out := bench/peers/small
here := $(srcdir)/bench/peers/small
flags := -O3 -I$(srcdir)/include -iquote $(srcdir)/bench
driver := $(patsubst %,$(out)/objects/driver/%.o,main tasks starts loops sample)
say = $(if $(filter 1,$(V)),,@echo '  SMALL    $@';)

# $(call program,NAME,COMPILER,SOURCE,LINKER,LIBRARIES)
define program
$(out)/wsfj-small-$(1): $(out)/objects/$(1).o $(driver) $$(filter %.la,$(5)) $(6)
	$$(say) $(4) -o $$@ $$(filter %.o,$$^) $(5) -lm
$(out)/objects/$(1).o: $(here)/$(3)
	$$(say) mkdir -p $$(@D) && $(2) $(flags) -MMD -MP -c -o $$@ $$<
endef

ours := $(LIBTOOL) --silent --tag=CC --mode=link $(GCC) -O3 $(PEER_LDFLAGS)
cxx := $(GXX) -std=c++20
$(eval $(call program,wsfj,$(GCC) $(PEER_CPPFLAGS),wsfj.c,$(ours),libwsfjcore.la))
$(eval $(call program,serial,$(GCC),serial.c,$(GCC),))
$(eval $(call program,futex,$(GCC),futex.c,$(GCC) -pthread,))
$(eval $(call program,libgomp,$(GOMP) -fopenmp,openmp.c,$(GOMP) -fopenmp,))
$(eval $(call program,libomp,$(CLANG) -fopenmp=libomp,openmp.c,$(CLANG) -fopenmp=libomp,))
$(eval $(call program,tbb,$(cxx),tbb.cc,$(GXX),$(TBB_FLAGS)))
$(eval $(call program,tbb-enqueue,$(cxx),enqueue.cc,$(GXX),$(TBB_FLAGS)))
$(eval $(call program,taskflow,$(FLOW) -std=c++20 $(TASKFLOW_FLAGS),taskflow.cc,$(FLOW) -pthread,))
$(eval $(call program,glib,$(GCC) $(GLIB_CFLAGS),glib.c,$(GCC),$(GLIB_LIBS)))
$(eval $(call program,lace,$(GCC) $(LACE_FLAGS),lace.c,$(GCC) -pthread,,$(out)/objects/lace-library.o))

$(out)/objects/driver/%.o: $(here)/%.c
	$(say) mkdir -p $(@D) && $(GCC) $(flags) -MMD -MP -c -o $@ $<
$(out)/objects/driver/sample.o: $(srcdir)/bench/harness/sample.c
	$(say) mkdir -p $(@D) && $(GCC) $(flags) -MMD -MP -c -o $@ $<

# Lace's configuration is a file of its build; `find` writes one that counts nothing.
$(out)/objects/lace-library.o: $(LACE)/src/lace.c
	$(say) $(GCC) $(LACE_FLAGS) -O3 -DNDEBUG -c -o $@ $<

# go needs a folder to cache in, and must not ask the network for another version of itself.
$(out)/wsfj-small-go: $(here)/go.go
	$(say) GOCACHE=$(CURDIR)/$(out)/objects/go GO111MODULE=off GOTOOLCHAIN=local $(GO) build -o $@ $<

-include $(wildcard $(out)/objects/*.d $(out)/objects/driver/*.d)
