# SPDX-License-Identifier: GPL-2.0-only
#
# make                      the benchmarks, for this machine
# make bench                run them: two tables, within a minute
# make kvmeter              the tool that compares results
# make check                prove that kvmeter itself is right
# make check-unit           a part of it: self source unit doc harness native build
# make check-long           the same at full length: hours, on a machine of its own
# make check-limit          what the harness adds to the times, against 3 %
# make check-vm             the benchmarks in emulated machines: tools/vm/README.md
# make install              PREFIX=/usr/local DESTDIR=
# make install INSTALL_PATH=DIR, gen_tar, run_tests    as a selftest: kselftest.mk
# make clean help
#
# ARCH=aarch64 CROSS_COMPILE=aarch64-linux-gnu-   for another machine
# LLVM=1 with clang    STATIC=1 static binaries    O=DIR elsewhere than build/
# SANITIZE=address,undefined    WERROR=1    V=1 shows commands
# UAPI=DIR kernel headers DIR/linux and DIR/asm instead of the system's

all:

include kselftest.mk
OUT := $(O)/$(ARCH)
PREFIX ?= /usr/local
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:

ifeq ($(wildcard arch/$(ARCH)/include/guest_arch.h),)
$(error ARCH=$(ARCH): no such port: $(patsubst arch/%/include/guest_arch.h,%,$(wildcard arch/*/include/guest_arch.h)))
endif

COMPILER := $(if $(LLVM),clang,gcc)
ifdef LLVM
TRIPLE := $(or $(notdir $(CROSS_COMPILE:-=)),\
	       $(addsuffix -linux-gnu,$(filter-out $(shell uname -m),$(ARCH))))
CC := $(filter %/,$(LLVM))clang$(filter -%,$(LLVM)) $(TRIPLE:%=--target=%)
AR := $(or $(CROSS_COMPILE),$(TRIPLE:%=%-))ar
else
# Under make -R they are not even defined.
ifneq ($(filter default undefined,$(origin CC)),)
CC := $(CROSS_COMPILE)gcc
endif
ifneq ($(filter default undefined,$(origin AR)),)
AR := $(CROSS_COMPILE)ar
endif
endif

Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-7s %s\n' $(1) $(patsubst $(O)/%,%,$@))

WARNINGS := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wvla \
	    $(if $(LLVM),-Wno-gnu) $(if $(WERROR),-Werror)
INCLUDES := -Iinclude -Iarch/$(ARCH) -Iarch/$(ARCH)/include
CFLAGS ?= -O2 -g
HOST_FLAGS := -std=gnu11 -D_GNU_SOURCE -pthread $(WARNINGS) $(INCLUDES) \
	      $(if $(UAPI),-isystem $(UAPI)) $(KHDR_INCLUDES) $(USERCFLAGS) \
	      $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer \
		-fno-sanitize-recover=all)
HOST_LINK := -pthread $(if $(STATIC),-static) \
	     $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(USERLDFLAGS)

# Guest flags are exact: nothing of CFLAGS reaches a guest.
include arch/$(ARCH)/guest.mk
GUEST_FLAGS := -std=gnu11 -O2 -g -DKVMETER_GUEST -ffreestanding -fno-builtin \
	       -fno-stack-protector -fno-pic -fno-pie -fno-common \
	       -fno-asynchronous-unwind-tables -fno-unwind-tables \
	       $(GUEST_ARCH_FLAGS) $(WARNINGS) $(INCLUDES)
GUEST_LINK := -nostdlib -static -Wl,--build-id=none \
	      -Wl,-z,max-page-size=4096 -Wl,-T,lib/guest/image.lds

LIB := $(patsubst %.c,$(OUT)/%.o,$(wildcard lib/*.c arch/$(ARCH)/*.c))
GUEST_LIB := $(patsubst %.c,$(OUT)/%.guest.o,\
		$(wildcard lib/guest/*.c arch/$(ARCH)/guest/*.c)) \
	     $(patsubst %.S,$(OUT)/%.guest.o,$(wildcard arch/$(ARCH)/guest/*.S))
TESTS := $(patsubst tests/%.c,%,$(wildcard tests/*_test.c))
BINARIES := $(TESTS:%=$(OUT)/tests/%)
MAN := $(wildcard doc/*.1)
UNIT := $(patsubst %.c,$(OUT)/%,$(wildcard check/unit/*_check.c))

include check/harness/harness.mk check/limit/limit.mk check/stats/stats.mk \
	check/resource/resource.mk check/scale/scale.mk check/fault/fault.mk
include tools/kvmeter/kvmeter.mk check/fuzz/fuzz.mk

all: programs
programs: $(BINARIES)

# Whatever is made with other flags than last time is made anew; STATIC=1 is one
# of those that only link it.
FLAGS := $(CC) $(HOST_FLAGS) $(CFLAGS) / $(GUEST_FLAGS) / $(GUEST_LINK)
LINK := $(CC) $(HOST_LINK) $(CFLAGS) $(LDFLAGS)
quote = '$(subst ','\'',$(1))'
keep = @mkdir -p $(@D); printf '%s\n' $(call quote,$(1)) | cmp -s - $@ || \
	printf '%s\n' $(call quote,$(1)) >$@
$(OUT)/flags: FORCE
	$(call keep,$(FLAGS))
$(OUT)/link-flags: FORCE
	$(call keep,$(LINK))
objects = $(filter %.o,$^) $(filter %.a,$^)

$(OUT)/libkvmeter.a: $(LIB)
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(OUT)/%.o: %.c $(OUT)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(HOST_FLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/%.guest.o: %.c $(OUT)/flags
	$(call say,GUEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_FLAGS) -MMD -MP -c -o $@ $<

$(OUT)/%.guest.o: %.S $(OUT)/flags
	$(call say,GUEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_ARCH_FLAGS) $(INCLUDES) -MMD -MP -c -o $@ $<

$(OUT)/%.guest: $(OUT)/%.guest.o $(GUEST_LIB) lib/guest/image.lds $(OUT)/flags
	$(call say,LINK)
	$(Q)$(CC) $(GUEST_LINK) -o $@ $(objects)

$(OUT)/%.image.o: $(OUT)/%.guest lib/embed.S
	$(call say,EMBED)
	$(Q)$(CC) -DGUEST_IMAGE='"$<"' -c -o $@ lib/embed.S

$(OUT)/%_test: $(OUT)/%_test.o $(OUT)/%_test.image.o $(OUT)/libkvmeter.a \
	       $(OUT)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(objects) -lm

# Unit checks need no KVM, but some look at a real guest image.
$(OUT)/check/unit/%_check: $(OUT)/check/unit/%_check.o \
			   $(OUT)/tests/page_table_test.image.o \
			   $(OUT)/libkvmeter.a $(OUT)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(objects) -lcmocka -lm

unit: $(UNIT)
check-programs: all unit harness limit stats resource fault scale
	@:

# Packages first, since what follows may not even build without them.
jobs = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
make_with = tools/need $(1) && $(MAKE) --no-print-directory $(jobs) $(2)

# Large enough to tell one kernel from another, small enough for a minute on a
# machine half as fast as a small one of today.
THP = $(filter-out [never],\
	$(filter [%],$(shell cat /sys/kernel/mm/transparent_hugepage/enabled 2>&1)))
bench:
	@+$(call make_with,$(COMPILER),all)
	@status=0; \
	$(OUT)/tests/page_table_test -b 64M \
		$(if $(THP),-s anonymous_thp) || status=$$?; \
	$(OUT)/tests/dirty_log_perf_test -b 32M || status=$$?; \
	exit $$status

# Parts of make check in the order of their patience, then those that this list
# does not know; the seconds that one program of a part may take. Those that try
# many things try more of them, and longer, where KVMETER_LONG is set.
CHECKS := self source unit stats doc harness kvmeter native limit build vm
CHECKS += $(filter-out $(CHECKS),\
	    $(patsubst check/%/,%,$(sort $(dir $(wildcard check/*/*.t)))))
SECONDS := 300
SECONDS_unit := 60
SECONDS_limit := 600
programs_unit := $(UNIT)
SECONDS_LONG := 7200
seconds = $(if $(KVMETER_LONG),$(SECONDS_LONG),$(or $(SECONDS_$(1)),$(SECONDS)))
programs = $(or $(programs_$(1)),$(sort $(wildcard check/$(1)/*.t)))

# Checks that judge no time, or such as no neighbour makes long enough, and change
# nothing of the host that others would notice: after all others, two at a time.
IN_PAIRS := $(patsubst %,check/%.t,self/% source/% stats/% doc/% build/% vm/% \
	      kselftest/% report/% analyze/% fuzz/% resource/% \
	      harness/bad_input harness/harness scale/results scale/runs scale/vms)
IN_PAIRS += $(filter-out %/real.t %/ab_real.t %/ab.t %/doctor.t,$(wildcard check/kvmeter/*.t))
alone = $(filter-out $(IN_PAIRS),$(call programs,$(1)))
in_pairs = $(filter $(IN_PAIRS),$(call programs,$(1)))
# What others do on the machine can fail these: they get a second try.
UNSTEADY := harness kvmeter native limit vm kselftest resource scale signal fault \
	    self doc build security report
tries = $(if $(filter $(UNSTEADY),$(1)),2,1)
limited = $(foreach c,$(2),$(addprefix --limit $(call seconds,$c) \
				  --tries $(call tries,$c) ,$(call $(1),$c)))
# A dozen checks compile the same: what comes from another directory is alike but
# for that directory in the debug information.
share_objects = PATH=/usr/lib/ccache:$$PATH CCACHE_DIR=$(abspath $(OUT))/ccache \
		CCACHE_NOHASHDIR=1
run_checks = KVMETER_OUT=$(abspath $(OUT)) OUT=$(abspath $(OUT)) ARCH=$(ARCH) \
	     $(share_objects) \
	     check/run --logs $(OUT)/check/logs $(call limited,alone,$(1)) \
	     --jobs 2 $(call limited,in_pairs,$(1))

include tools/vm/vm.mk check/signal/signal.mk

# The machines' kernels are fetched before anything is timed. Where that fails, the
# checks of the machines do, and all others still count.
check-long: export KVMETER_LONG := 1
check check-long:
	@+$(call make_with,$(COMPILER) check $(VM_NEEDS),check-programs)
	@+$(MAKE) --no-print-directory vm-fetch || true
	@$(call run_checks,$(CHECKS))

PARTS := $(patsubst %,check-%,$(filter-out vm,$(CHECKS)))
$(PARTS): check-%:
	@+$(call make_with,$(COMPILER) check,check-programs)
	@$(call run_checks,$*)

install: install-$(if $(INSTALL_PATH),kselftest,prefix)

# Where bash-completion looks for those of commands in the same PREFIX.
completions := $(PREFIX)/share/bash-completion/completions

install-prefix: all
	install -d $(DESTDIR)$(PREFIX)/bin
	install $(BINARIES) $(TOOLS) $(DESTDIR)$(PREFIX)/bin
	install -d $(DESTDIR)$(completions)
	install -m 644 tools/completion.bash $(DESTDIR)$(completions)/kvmeter
	for t in $(TESTS); do \
		ln -sf kvmeter $(DESTDIR)$(completions)/$$t || exit; \
	done
	$(if $(MAN),install -d $(DESTDIR)$(PREFIX)/share/man/man1)
	$(if $(MAN),install -m 644 $(MAN) $(DESTDIR)$(PREFIX)/share/man/man1)

clean: clean-output
	rm -rf $(OUT)

help:
	@sed -n '3,/^$$/s/^# \{0,1\}//p' Makefile

FORCE:
.PHONY: all bench check check-long $(PARTS) check-programs clean help install \
	install-prefix programs unit FORCE
.SECONDARY:
-include $(shell find $(OUT) -name scratch -prune -o -name '*.d' -print 2>&-)
