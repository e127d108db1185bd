/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "escape.h"
#include "mmio.h"
#include "remedy.h"
#include "util.h"
#include "vcpu.h"

#define SYMBOL_BYTES 128

void vcpu_kick(struct vcpu *vcpu)
{
	__atomic_store_n(&vcpu->run->immediate_exit, 1, __ATOMIC_SEQ_CST);
}

static void print(const struct vcpu *vcpu)
{
	const struct guest_cpu *area = vcpu->area;
	char *text = vm_format(vcpu->vm, area->args[0], area->args + 1,
			       GUEST_UCALL_ARGS - 1);

	flockfile(stderr);
	fprintf(stderr, "guest vCPU %u: ", vcpu->index);
	escape_lines(text, stderr);
	fputc('\n', stderr);
	funlockfile(stderr);
	free(text);
}

static enum vcpu_stop classify(const struct vcpu *vcpu)
{
	if (!arch_is_ucall(vcpu->run))
		return STOP_EXIT;
	switch (vcpu->area->ucall) {
	case UCALL_IDLE:
		return STOP_IDLE;
	case UCALL_SYNC:
		return STOP_SYNC;
	case UCALL_DONE:
		return STOP_DONE;
	case UCALL_ASSERT:
		return STOP_ASSERT;
	case UCALL_TRAP:
		return STOP_TRAP;
	default:
		return STOP_EXIT;
	}
}

static bool ring_full_answer(struct vcpu *vcpu)
{
	struct vm *vm = vcpu->vm;

	return vcpu->run->exit_reason == KVM_EXIT_DIRTY_RING_FULL &&
	       vm->ring_full && vm->ring_full(vcpu, vm->ring_full_arg);
}

enum vcpu_stop vcpu_run(struct vcpu *vcpu)
{
	for (;;) {
		if (ioctl(vcpu->fd, KVM_RUN, NULL) < 0) {
			if (errno != EINTR && errno != EAGAIN)
				return STOP_ERROR;
			if (__atomic_load_n(&vcpu->run->immediate_exit,
					    __ATOMIC_SEQ_CST))
				return STOP_KICKED;
			continue;
		}
		if (arch_is_ucall(vcpu->run) &&
		    vcpu->area->ucall == UCALL_PRINT) {
			print(vcpu);
			continue;
		}
		if (ring_full_answer(vcpu))
			continue;
		if (!arch_is_ucall(vcpu->run) && mmio_answer(vcpu))
			continue;
		return classify(vcpu);
	}
}

static void print_pc(const struct vcpu *vcpu, u64 pc, FILE *out)
{
	char symbol[SYMBOL_BYTES];

	fprintf(out, "\n  at %s",
		image_symbolize(&vcpu->vm->image, pc, symbol, sizeof(symbol)));
}

static void report_assert(const struct vcpu *vcpu, FILE *out)
{
	const struct guest_cpu *area = vcpu->area;
	char *text = vm_format(vcpu->vm, area->args[2], area->args + 3,
			       GUEST_UCALL_ARGS - 3);

	fprintf(out, "guest assertion failed: %s\n  at %s:%llu", text,
		vm_string(vcpu->vm, area->args[0]),
		(unsigned long long)area->args[1]);
	free(text);
}

static void report_trap(const struct vcpu *vcpu, FILE *out)
{
	const struct guest_trap *trap = &vcpu->area->trap;

	fprintf(out, "unexpected exception: ");
	arch_trap_describe(trap, out);
	print_pc(vcpu, trap->pc, out);
	if (arch_trap_has_address(trap))
		fprintf(out, ", faulting address %#llx",
			(unsigned long long)trap->address);
	fprintf(out, "\n  sp %016llx  flags %llx", (unsigned long long)trap->sp,
		(unsigned long long)trap->flags);
	for (unsigned int i = 0; arch_trap_regs[i]; i++)
		fprintf(out, "%s%-3s %016llx", i % 4 ? "  " : "\n  ",
			arch_trap_regs[i], (unsigned long long)trap->regs[i]);
}

static const char *exit_name(const struct kvm_run *run)
{
	const char *name = arch_exit_name(run);

	if (name)
		return name;
	switch (run->exit_reason) {
	case KVM_EXIT_MMIO:
		return "access to a guest physical address without a memslot "
		       "(KVM_EXIT_MMIO)";
	case KVM_EXIT_INTERNAL_ERROR:
		return "an instruction that KVM could not emulate "
		       "(KVM_EXIT_INTERNAL_ERROR)";
	case KVM_EXIT_DIRTY_RING_FULL:
		return "the dirty ring is full (KVM_EXIT_DIRTY_RING_FULL)";
	case KVM_EXIT_FAIL_ENTRY:
		return "the hardware refused the guest's state "
		       "(KVM_EXIT_FAIL_ENTRY)";
	case KVM_EXIT_HLT:
		return "halt (KVM_EXIT_HLT)";
	default:
		return "see KVM_EXIT_* in linux/kvm.h";
	}
}

static void report_exit(const struct vcpu *vcpu, FILE *out)
{
	const struct kvm_run *run = vcpu->run;

	if (arch_is_ucall(run)) {
		fprintf(out, "unknown ucall %llu",
			(unsigned long long)vcpu->area->ucall);
		return;
	}
	fprintf(out, "unexpected exit %u: %s", run->exit_reason,
		exit_name(run));
	if (run->exit_reason == KVM_EXIT_DIRTY_RING_FULL)
		fprintf(out, ", %s",
			vcpu->vm->ring_failed ?
				vcpu->vm->ring_failed :
				"and could not be harvested and reset");
	if (run->exit_reason == KVM_EXIT_MMIO)
		fprintf(out, ", %s %#llx, %u bytes",
			run->mmio.is_write ? "write to" : "read of",
			(unsigned long long)run->mmio.phys_addr, run->mmio.len);
	if (run->exit_reason == KVM_EXIT_INTERNAL_ERROR)
		fprintf(out, ", suberror %u", run->internal.suberror);
	if (run->exit_reason == KVM_EXIT_FAIL_ENTRY)
		fprintf(out, ", hardware reason %#llx",
			(unsigned long long)
				run->fail_entry.hardware_entry_failure_reason);
}

/* The registers as KVM knows them, each line indented. */
static void report_registers(struct vcpu *vcpu, FILE *out)
{
	char *text = NULL, *line, *rest;
	size_t bytes;
	int error;
	FILE *dump = open_memstream(&text, &bytes);

	if (!dump)
		return;
	error = arch_vcpu_dump(vcpu, dump);
	fclose(dump);
	if (error)
		fprintf(out, "\n  no registers: %s", errno_text(-error));
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		fprintf(out, "\n  %s", line);
	free(text);
}

char *vcpu_report(struct vcpu *vcpu, enum vcpu_stop stop, int error)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	u64 pc;

	if (!out)
		return xasprintf("vCPU %u has stopped", vcpu->index);
	fprintf(out, "vCPU %u: ", vcpu->index);
	switch (stop) {
	case STOP_ASSERT:
		report_assert(vcpu, out);
		break;
	case STOP_TRAP:
		report_trap(vcpu, out);
		break;
	case STOP_ERROR:
		fprintf(out, "KVM_RUN: %s: %s", strerror(error),
			error == EFAULT ? "the host has no memory for a page "
					  "of the guest: is the backing full?" :
					  errno_remedy(error));
		break;
	case STOP_EXIT:
		report_exit(vcpu, out);
		break;
	default:
		fprintf(out, "stopped in the guest");
		break;
	}
	if (stop != STOP_ASSERT && stop != STOP_TRAP) {
		if (!arch_vcpu_pc(vcpu, &pc))
			print_pc(vcpu, pc, out);
		report_registers(vcpu, out);
	}
	fclose(out);
	return text;
}
