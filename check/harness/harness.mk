# SPDX-License-Identifier: GPL-2.0-only
# Programs of check/harness, built by the Makefile's rule for tests.

HARNESS := $(patsubst %.c,$(OUT)/%,$(wildcard check/harness/*_test.c))

# Faults that only one architecture has.
$(OUT)/check/harness/%.o: private HOST_FLAGS += -Icheck/harness/arch/$(ARCH)
$(OUT)/check/harness/%.o: private GUEST_FLAGS += -Icheck/harness/arch/$(ARCH)

harness: $(HARNESS)
.PHONY: harness
