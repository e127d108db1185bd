# SPDX-License-Identifier: GPL-2.0-only
#
# make check-vm                          all emulated machines
# make check-vm VM=aarch64 KERNEL=7      one of them, with a kernel of 7.x
# make vm-fetch [VM=] [KERNEL=]          only fill the cache
#
# As a part of "make check" it is the list of checks check/vm/*.t.

VMS := $(notdir $(wildcard tools/vm/machines/*))
VM_ARCHS := $(sort $(shell sed -n 's/^MACHINE_ARCH=//p' tools/vm/machines/*))
VM_NEEDS := vm $(VM_ARCHS:%=vm-%)
programs_vm := $(if $(VM),check/vm/$(VM).t)

check-vm:
	@+$(call make_with,check $(VM_NEEDS),tools vm-fetch)
	@KERNEL=$(KERNEL) VM= $(call run_checks,vm)

vm-fetch:
	@set -e; for vm in $(or $(VM),$(VMS)); do \
		tools/vm/fetch $$vm $(KERNEL) >/dev/null; \
	done

.PHONY: check-vm vm-fetch
