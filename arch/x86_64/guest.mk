# SPDX-License-Identifier: GPL-2.0-only
# KVM may emulate guest code that runs at CPL 0 and knows no SSE there; the
# trap stack begins where user code may have a red zone.
GUEST_ARCH_FLAGS := -m64 -mgeneral-regs-only -mno-red-zone -fcf-protection=none \
		    -mcmodel=small
