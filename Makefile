# SPDX-License-Identifier: GPL-2.0-only
#
# make                      the benchmarks, for this machine
# make bench                run them: two tables
# make check                prove that kvmeter itself is right
# make install              PREFIX=/usr/local DESTDIR=
#
# ARCH=aarch64 CROSS_COMPILE=aarch64-linux-gnu-   for another one
# LLVM=1 with clang    STATIC=1 static binaries    O=DIR elsewhere than build/
# SANITIZE=address,undefined    WERROR=1    V=1 shows commands

ARCH ?= $(shell uname -m)
O ?= build
OUT := $(O)/$(ARCH)
PREFIX ?= /usr/local
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:

ifeq ($(wildcard arch/$(ARCH)/include/guest_arch.h),)
$(error ARCH=$(ARCH): no such port: $(patsubst arch/%/include/guest_arch.h,%,$(wildcard arch/*/include/guest_arch.h)))
endif

ifdef LLVM
CC := clang $(if $(CROSS_COMPILE),--target=$(CROSS_COMPILE:-=))
AR := ar
else
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin AR),default)
AR := $(CROSS_COMPILE)ar
endif
endif

Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-7s %s\n' $(1) $(patsubst $(O)/%,%,$@))

WARNINGS := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wvla \
	    $(if $(WERROR),-Werror)
INCLUDES := -Iinclude -Iarch/$(ARCH) -Iarch/$(ARCH)/include
CFLAGS ?= -O2 -g
HOST_FLAGS := -std=gnu11 -D_GNU_SOURCE -pthread $(WARNINGS) $(INCLUDES) \
	      $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer \
		-fno-sanitize-recover=all)
HOST_LINK := -pthread $(if $(STATIC),-static) \
	     $(if $(SANITIZE),-fsanitize=$(SANITIZE))

# Guest flags are exact: nothing of CFLAGS reaches a guest.
include arch/$(ARCH)/guest.mk
GUEST_FLAGS := -std=gnu11 -O2 -g -DKVMETER_GUEST -ffreestanding -fno-builtin \
	       -fno-stack-protector -fno-pic -fno-pie -fno-common \
	       -fno-asynchronous-unwind-tables -fno-unwind-tables \
	       $(GUEST_ARCH_FLAGS) $(WARNINGS) $(INCLUDES)
GUEST_LINK := -nostdlib -static -no-pie -Wl,--build-id=none \
	      -Wl,-z,max-page-size=4096 -Wl,-T,lib/guest/image.lds

LIB := $(patsubst %.c,$(OUT)/%.o,$(wildcard lib/*.c arch/$(ARCH)/*.c))
GUEST_LIB := $(patsubst %.c,$(OUT)/%.guest.o,\
		$(wildcard lib/guest/*.c arch/$(ARCH)/guest/*.c)) \
	     $(patsubst %.S,$(OUT)/%.guest.o,$(wildcard arch/$(ARCH)/guest/*.S))
TESTS := $(patsubst tests/%.c,%,$(wildcard tests/*_test.c))
BINARIES := $(TESTS:%=$(OUT)/tests/%)

all: $(BINARIES)

$(OUT)/libkvmeter.a: $(LIB)
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(OUT)/%.o: %.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(HOST_FLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/%.guest.o: %.c
	$(call say,GUEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_FLAGS) -MMD -MP -c -o $@ $<

$(OUT)/%.guest.o: %.S
	$(call say,GUEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_ARCH_FLAGS) -MMD -MP -c -o $@ $<

$(OUT)/%.guest: $(OUT)/%.guest.o $(GUEST_LIB) lib/guest/image.lds
	$(call say,LINK)
	$(Q)$(CC) $(GUEST_LINK) -o $@ $(filter %.o,$^)

$(OUT)/%.image.o: $(OUT)/%.guest lib/embed.S
	$(call say,EMBED)
	$(Q)$(CC) -DGUEST_IMAGE='"$<"' -c -o $@ lib/embed.S

$(OUT)/%_test: $(OUT)/%_test.o $(OUT)/%_test.image.o $(OUT)/libkvmeter.a
	$(call say,LINK)
	$(Q)$(CC) $(HOST_LINK) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

clean:
	rm -rf $(OUT)

.PHONY: all clean
.SECONDARY:
-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
