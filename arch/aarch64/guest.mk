# SPDX-License-Identifier: GPL-2.0-only
# The guest's FPU stays off.
GUEST_ARCH_FLAGS := -mgeneral-regs-only -mcmodel=small -mno-outline-atomics
