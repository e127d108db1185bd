# SPDX-License-Identifier: GPL-2.0-only
# Programs of check/fault: what has system calls fail, and what takes it badly.

FAULT := $(addprefix $(OUT)/check/fault/,inject careless)
FAULT_INJECT := $(addprefix $(OUT)/check/fault/,inject.o calls.o record.o site.o supervise.o)

$(FAULT_INJECT): private HOST_FLAGS += -Icheck/fault/arch/$(ARCH)

$(OUT)/check/fault/inject: $(FAULT_INJECT) $(OUT)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(objects)

$(OUT)/check/fault/careless: $(OUT)/check/fault/careless.o $(OUT)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(objects)

fault: $(FAULT)
.PHONY: fault
