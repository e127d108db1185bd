# SPDX-License-Identifier: GPL-2.0-only
# A world that is not as it should be, to be preloaded; see its head.

WRONG_WORLD := $(OUT)/check/signal/wrong_world.so

$(WRONG_WORLD): check/signal/wrong_world.c $(OUT)/flags
	$(call say,LINK)
	@mkdir -p $(@D)
	$(Q)$(CC) $(HOST_FLAGS) $(CFLAGS) -fPIC -shared -o $@ $<

signal: $(if $(or $(STATIC),$(SANITIZE)),,$(WRONG_WORLD))
# They sleep most of the time.
IN_PAIRS += check/signal/stops.t check/signal/deadlines.t

check-programs: signal
.PHONY: signal
