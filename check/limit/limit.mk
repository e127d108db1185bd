# SPDX-License-Identifier: GPL-2.0-only
# The bare program, where the port has one. It takes nothing of the library, so
# it gets no include path.

BARE_C := check/limit/bare.c $(wildcard check/limit/arch/$(ARCH)/bare_arch.c)
BARE := $(if $(filter %/bare_arch.c,$(BARE_C)),$(OUT)/check/limit/bare)

$(OUT)/check/limit/bare: $(BARE_C) check/limit/bare.h $(OUT)/flags $(OUT)/link-flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out $(INCLUDES),$(HOST_FLAGS)) $(HOST_LINK) \
		$(CFLAGS) $(LDFLAGS) -o $@ $(BARE_C)

limit: $(BARE)
.PHONY: limit
