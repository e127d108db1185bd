# SPDX-License-Identifier: GPL-2.0-only
# Programs of check/stats: what lib/ makes of sets of samples, and simulations.

STATS := $(OUT)/check/stats/values $(OUT)/check/stats/simulate

$(STATS): %: %.o $(OUT)/libkvmeter.a $(OUT)/flags
	$(call say,LINK)
	$(Q)$(CC) $(HOST_LINK) $(CFLAGS) $(LDFLAGS) -o $@ $(objects) -lm

stats: $(STATS)
.PHONY: stats
