# SPDX-License-Identifier: GPL-2.0-only
# Programs of check/scale: many VMs in one process, and each benchmark with
# figures taken after each run. Libraries come last.

SCALE := $(OUT)/check/scale/many_vms_test \
	 $(TESTS:%=$(OUT)/check/scale/sampled_%)

$(OUT)/check/scale/many_vms_test: $(OUT)/check/scale/many_vms_test.o \
				  $(OUT)/check/scale/many_vms_test.image.o \
				  $(OUT)/check/scale/sampler.o \
				  $(OUT)/libkvmeter.a $(OUT)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(objects) -lm

$(OUT)/check/scale/sampled_%: $(OUT)/tests/%.o $(OUT)/tests/%.image.o \
			      $(OUT)/check/scale/run_sampler.o \
			      $(OUT)/check/scale/sampler.o \
			      $(OUT)/libkvmeter.a $(OUT)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -Wl,--wrap=run_end -o $@ $(objects) -lm

scale: $(SCALE)
.PHONY: scale
