# SPDX-License-Identifier: GPL-2.0-only
# What takes system calls away from a command. It is no benchmark and links alone.

WITHOUT := $(OUT)/check/resource/without

$(WITHOUT): $(OUT)/check/resource/without.o $(OUT)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(objects)

resource: $(WITHOUT)
.PHONY: resource
