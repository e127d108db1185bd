# SPDX-License-Identifier: GPL-2.0-only
# Programs of check/stats: what lib/ makes of sets of samples, and simulations.

STATS := $(addprefix $(OUT)/check/stats/,values simulate bisect boots)

$(STATS): %: %.o $(OUT)/libkvmeter.a $(OUT)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(objects) -lm

stats: $(STATS)
.PHONY: stats
