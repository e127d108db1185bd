# SPDX-License-Identifier: GPL-2.0-only
# The tool kvmeter, where there is jansson to read results with.

TOOL := $(OUT)/tools/kvmeter/kvmeter
TOOL_OBJECTS := $(patsubst %.c,$(OUT)/%.o,$(wildcard tools/kvmeter/*.c)) \
		$(OUT)/tools/kvmeter/suites.o

# Header and library of the machine that it is built for, both or nothing.
hash := \#
JANSSON_H := $(shell echo '$(hash)include <jansson.h>' | \
	       $(CC) $(CFLAGS) -E - >/dev/null 2>&1 && echo found)
JANSSON_LIB := $(filter /%,$(shell $(CC) \
		 -print-file-name=libjansson.$(if $(STATIC),a,so) 2>/dev/null))

$(OUT)/tools/kvmeter/suites.o: tools/kvmeter/suites.S $(OUT)/flags \
			       $(wildcard tools/kvmeter/suites/*.suite)
	$(call say,EMBED)
	@mkdir -p $(@D)
	$(Q)$(CC) -c -o $@ $<

$(TOOL): $(TOOL_OBJECTS) $(OUT)/libkvmeter.a $(OUT)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(objects) -ljansson -lm

# Part of "make" where it can be built; else that says what is missing.
ifeq ($(and $(JANSSON_H),$(JANSSON_LIB)),)
tools:
	@echo "  kvmeter is left out: no jansson (on Debian: libjansson-dev)"
else
TOOLS := $(TOOL)
tools: $(TOOL)
endif
all: tools

kvmeter:
	@+$(call make_with,$(COMPILER) kvmeter,$(TOOL))

.PHONY: tools kvmeter

# Parts of it that need no jansson have unit checks.
$(OUT)/check/unit/words_check: $(OUT)/tools/kvmeter/words.o
$(OUT)/check/unit/child_run_check: $(OUT)/tools/kvmeter/child.o \
				   $(OUT)/tools/kvmeter/oom.o \
				   $(OUT)/tools/kvmeter/words.o
