/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does kvmeter notice when a benchmark breaks, and say how? One whose guest or
 * host half does one thing wrong: that which --fault names.
 */
#include <guest/guest.h>
#include <fault_arch.h>

#define SYNCS 3
#define GATE_ARGUMENT 35
#define GATE_VALUE 42
#define BROKEN_VCPU 2

struct shared {
	u64 seconds; /* how long guest_slow() runs */
	u64 gate_value;
	u64 gate_privilege;
};
_Static_assert(sizeof(struct shared) == 24, "the same in both halves");

#ifdef KVMETER_GUEST

struct shared shared;

GUEST_FUNCTION(guest_work)
{
	cpu->writes = 1;
}

GUEST_FUNCTION(guest_assertion)
{
	u64 found = 0x2a + cpu->index;

	guest_assert_eq(found, 0x63);
}

GUEST_FUNCTION(guest_plain_assertion)
{
	guest_assert(cpu->nr_cpus == 0);
}

GUEST_FUNCTION(guest_prints)
{
	guest_print("d=%d u=%u x=%x s=%s", -5, 7, 0xbeef, "text");
	guest_print("lu=%lu llx=%#llx c=%c 100%%", 1234567890123UL,
		    0xfeedfacecafeULL, 'z');
	guest_print("[%5d] [%-5d] [%05x] %p", 42, 42, 0x2a, cpu);
	guest_print("nothing");
	cpu->writes = 1;
}

GUEST_FUNCTION(guest_prints_forever)
{
	for (;;)
		guest_print("vCPU %u again", cpu->index);
}

GUEST_FUNCTION(guest_wild_pointer)
{
	(void)cpu;
	*(volatile u64 *)UINT64_C(0x123456789000) = 1;
}

GUEST_FUNCTION(guest_null)
{
	(void)cpu;
	(void)*(volatile u64 *)0;
}

GUEST_FUNCTION(guest_null_call)
{
	((void (*)(u64))cpu->scratch)(0);
}

GUEST_FUNCTION(guest_no_memslot)
{
	*(volatile u64 *)cpu->private = 1;
}

GUEST_FUNCTION(guest_endless_loop)
{
	while (!READ_ONCE(cpu->scratch))
		;
}

GUEST_FUNCTION(guest_slow)
{
	u64 ticks = cpu->private * shared.seconds, start = arch_counter();

	while (arch_counter() - start < ticks)
		WRITE_ONCE(cpu->writes, cpu->writes + 1);
}

static u64 recurse(u64 depth)
{
	volatile u64 frame[16];

	frame[0] = depth;
	return depth ? recurse(depth - 1) + frame[0] : 0;
}

GUEST_FUNCTION(guest_stack_overflow)
{
	cpu->scratch = recurse(1000);
}

static u64 in_kernel(u64 arg)
{
	shared.gate_privilege = arch_privilege();
	return arg + GATE_VALUE - GATE_ARGUMENT;
}

GUEST_FUNCTION(guest_kernel_gate)
{
	guest_assert_eq(arch_privilege(), ARCH_WORKLOAD_PRIVILEGE);
	shared.gate_privilege = ~UINT64_C(0);
	shared.gate_value = guest_kernel_call(in_kernel, GATE_ARGUMENT);
	guest_assert_eq(arch_privilege(), ARCH_WORKLOAD_PRIVILEGE);
	cpu->writes = 1;
}

static u64 wild_read(u64 gva)
{
	return *(volatile u64 *)gva;
}

GUEST_FUNCTION(guest_kernel_fault)
{
	cpu->scratch = guest_kernel_call(wild_read, 0x123456789000);
}

#define WILD UINT64_C(0x123456789000)

/* Skips the load; its register is not written. */
static bool skip_load(struct guest_cpu *cpu, struct guest_trap *trap)
{
	if (trap->address != WILD)
		return false;
	trap->pc += ARCH_LOAD_BYTES;
	cpu->scratch++;
	return true;
}

static bool fault_again(struct guest_cpu *cpu, struct guest_trap *trap)
{
	(void)trap;
	return wild_read(WILD + cpu->index + 8);
}

GUEST_FUNCTION(guest_trap_handled)
{
	cpu->scratch = 0;
	cpu->trap_handler = (u64)skip_load;
	for (u64 i = 0; i < 3; i++)
		guest_assert_eq(arch_load_among_registers(WILD),
				ARCH_REGISTERS_SUM);
	guest_assert_eq(cpu->scratch, 3);
	guest_assert_eq(arch_privilege(), ARCH_WORKLOAD_PRIVILEGE);
	guest_kernel_call(arch_load_among_registers, WILD);
	guest_assert_eq(cpu->scratch, 4);
	cpu->trap_handler = 0;
	cpu->writes = 1;
}

GUEST_FUNCTION(guest_trap_refused)
{
	cpu->trap_handler = (u64)skip_load;
	*(volatile u64 *)(WILD + 8) = 1;
}

GUEST_FUNCTION(guest_trap_in_handler)
{
	cpu->trap_handler = (u64)fault_again;
	*(volatile u64 *)WILD = 1;
}

GUEST_FUNCTION(guest_says_done)
{
	cpu->writes = 1;
	guest_done();
}

GUEST_FUNCTION(guest_syncs)
{
	for (u64 i = 0; i < SYNCS; i++)
		guest_sync(i, cpu->index, i * 1000 + cpu->index);
	cpu->writes = 1;
}

GUEST_FUNCTION(guest_one_broken)
{
	cpu->writes = 1;
	if (cpu->index == BROKEN_VCPU)
		*(volatile u64 *)UINT64_C(0x123456789000) = 1;
}

/* The others wait for a vCPU that will never come. */
GUEST_FUNCTION(guest_one_broken_others_spin)
{
	guest_one_broken(cpu);
	guest_endless_loop(cpu);
}

#else

#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"
#include "kvm_ioctl.h"
#include "util.h"
#include "vcpu.h"

enum metric { WORK };
enum check_id { WORKED };

static const struct metric_row metrics[] = {
	[WORK] = { "work", UNIT_NS, LOWER_IS_BETTER, "whatever --fault does" },
	{ .name = NULL }
};

static const struct check_row checks[] = { [WORKED] = { "work: done", WORK },
					   { NULL, 0 } };

static void check_worked(struct run *r)
{
	u64 worked = 0;

	for (u32 i = 0; i < r->nr_vcpus; i++)
		worked += r->vm->vcpus[i].area->writes != 0;
	check(r, WORKED, worked == r->nr_vcpus, "%llu of %llu vCPUs",
	      (unsigned long long)worked, (unsigned long long)r->nr_vcpus);
}

static void run_round(struct run *r, const char *function)
{
	sample(r, WORK, gang_round(r->gang, function));
	check_worked(r);
}

static void run_twice(struct run *r, const char *function)
{
	run_round(r, function);
	run_round(r, function);
}

/* Goes on, as after a sync, although the guest is done. */
static void run_resumed(struct run *r, const char *function)
{
	run_round(r, function);
	run_round(r, NULL);
}

static void run_stop(struct run *r, const char *function)
{
	gang_start(r->gang, function);
	sample(r, WORK, gang_stop(r->gang));
	check_worked(r);
}

static void run_syncs(struct run *r, const char *function)
{
	gang_round(r->gang, function);
	for (u64 k = 0; k < SYNCS; k++) {
		for (u32 i = 0; i < r->nr_vcpus; i++) {
			const u64 *v = r->vm->vcpus[i].area->args;

			if (v[0] != k || v[1] != i || v[2] != k * 1000 + i)
				die("sync %llu of vCPU %u: %llu %llu %llu",
				    (unsigned long long)k, i,
				    (unsigned long long)v[0],
				    (unsigned long long)v[1],
				    (unsigned long long)v[2]);
		}
		sample(r, WORK, gang_round(r->gang, NULL));
	}
	check_worked(r);
}

static void run_gate(struct run *r, const char *function)
{
	const struct shared *s = vm_symbol(r->vm, "shared", sizeof(*s));

	sample(r, WORK, gang_round(r->gang, function));
	check(r, WORKED, s->gate_value == GATE_VALUE && !s->gate_privilege,
	      "value %llu, privilege %llu", (unsigned long long)s->gate_value,
	      (unsigned long long)s->gate_privilege);
}

static void run_missing_symbol(struct run *r, const char *name)
{
	vm_symbol(r->vm, name, sizeof(u64));
}

static void run_wrong_check(struct run *r, const char *function)
{
	sample(r, WORK, gang_round(r->gang, function));
	check(r, WORKED, false, "41 found, expected 42");
}

static void run_unverified(struct run *r, const char *function)
{
	sample(r, WORK, gang_round(r->gang, function));
	check_unverified(r, WORKED, "this host does not tell");
}

static void run_not_applicable(struct run *r, const char *function)
{
	sample(r, WORK, gang_round(r->gang, function));
	check_not_applicable(r, WORKED, "not asked for");
}

/* What would mislead a parser of TAP, were it not escaped. */
static void run_odd_detail(struct run *r, const char *function)
{
	sample(r, WORK, gang_round(r->gang, function));
	check(r, WORKED, true, "TODO: page fault (#PF) # SKIP C:\\\nok 2 - x");
}

static void run_unsampled(struct run *r, const char *function)
{
	gang_round(r->gang, function);
	check_worked(r);
}

static void run_sampled_left_out(struct run *r, const char *function)
{
	run_round(r, function);
	metrics_not_applicable(r, BIT(WORK));
}

static void run_unchecked(struct run *r, const char *function)
{
	sample(r, WORK, gang_round(r->gang, function));
}

/* Dies in the second measured run of the point with two vCPUs. */
static void run_second_point(struct run *r, const char *function)
{
	bool now = r->nr_vcpus == 2 && r->index == 2;

	run_round(r, now ? function : "guest_work");
}

static void run_host_die(struct run *r, const char *function)
{
	run_round(r, function);
	die("the host half gives up\nfor a reason\nof three lines");
}

static void run_host_crash(struct run *r, const char *function)
{
	run_round(r, function);
	raise(SIGSEGV);
}

static void run_host_hang(struct run *r, const char *function)
{
	run_round(r, function);
	for (;;)
		pause();
}

static void run_ioctl_error(struct run *r, const char *function)
{
	run_round(r, function);
	kvm_ioctl(r->vm->fd, KVM_CREATE_VCPU, 0);
}

/* clang-format off */
#define FAULTS(row)                                                           \
	row("none", run_round, "guest_work")                                  \
	row("assertion", run_round, "guest_assertion")                        \
	row("plain-assertion", run_round, "guest_plain_assertion")            \
	row("print", run_round, "guest_prints")                               \
	row("print-forever", run_round, "guest_prints_forever")               \
	row("wild-pointer", run_round, "guest_wild_pointer")                  \
	row("null", run_round, "guest_null")                                  \
	row("null-call", run_round, "guest_null_call")                        \
	row("no-memslot", run_round, "guest_no_memslot")                      \
	row("endless-loop", run_round, "guest_endless_loop")                  \
	row("endless-run", run_stop, "guest_endless_loop")                    \
	row("slow", run_round, "guest_slow")                                  \
	row("stack-overflow", run_round, "guest_stack_overflow")              \
	row("kernel-gate", run_gate, "guest_kernel_gate")                     \
	row("kernel-fault", run_round, "guest_kernel_fault")                  \
	row("trap-handled", run_twice, "guest_trap_handled")                  \
	row("trap-refused", run_round, "guest_trap_refused")                  \
	row("trap-in-handler", run_round, "guest_trap_in_handler")            \
	row("done", run_round, "guest_says_done")                             \
	row("done-again", run_twice, "guest_says_done")                       \
	row("done-resumed", run_resumed, "guest_says_done")                   \
	row("sync", run_syncs, "guest_syncs")                                 \
	row("sync-again", run_twice, "guest_syncs")                           \
	row("missing-function", run_round, "guest_that_is_not_there")         \
	row("missing-symbol", run_missing_symbol, "symbol_that_is_not_there") \
	row("wrong-size", run_missing_symbol, "shared")                       \
	row("wrong-check", run_wrong_check, "guest_work")                     \
	row("unverified", run_unverified, "guest_work")                       \
	row("not-applicable", run_not_applicable, "guest_work")               \
	row("unchecked", run_unchecked, "guest_work")                         \
	row("odd-detail", run_odd_detail, "guest_work")                       \
	row("unsampled", run_unsampled, "guest_work")                         \
	row("sampled-left-out", run_sampled_left_out, "guest_work")           \
	row("one-broken", run_round, "guest_one_broken")                      \
	row("one-broken-others-spin", run_round, "guest_one_broken_others_spin") \
	row("second-point", run_second_point, "guest_assertion")              \
	row("host-die", run_host_die, "guest_work")                           \
	row("host-crash", run_host_crash, "guest_work")                       \
	row("host-hang", run_host_hang, "guest_work")                         \
	row("ioctl-error", run_ioctl_error, "guest_work")                     \
	ARCH_FAULTS(row)
/* clang-format on */

struct fault {
	void (*run)(struct run *r, const char *argument);
	const char *argument;
};

#define FAULT(name, run, argument) { run, argument },
static const struct fault faults[] = { FAULTS(FAULT) };

#define NAME(name, run, argument) name,
static const char *const fault_names[] = { FAULTS(NAME) NULL };

struct config {
	struct bench_config common;
	int fault;
	u64 seconds;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const struct config defaults = {
	.common = { BENCH_CONFIG_DEFAULTS, .bytes = { 1, { KIB(64) } },
		    .runs = 1, .warmup = 0 },
	.seconds = 3,
};
#pragma GCC diagnostic pop

#define OFFSET(member) offsetof(struct config, member)

static const struct option_row options[] = {
	{ OPT_CHOICE, 0, "fault", "NAME", OFFSET(fault), "what goes wrong",
	  .choices = fault_names },
	{ OPT_U64, 0, "seconds", "N", OFFSET(seconds),
	  "how long --fault slow takes", .min = 1, .max = 3600 },
	{ .type = OPT_END }
};

/* Where guest_no_memslot() goes: mapped by the guest, unknown to KVM. */
static u64 map_hole(struct run *r)
{
	u64 gva = r->mem->gva + GIB(2);

	vm_map(r->vm, gva, r->mem->gpa + GIB(2), r->vm->mode->page_bytes,
	       r->vm->mode->page_bytes);
	return gva;
}

static void run(struct run *r)
{
	const struct config *cfg = r->config;
	const struct fault *fault = &faults[cfg->fault];
	struct shared *shared;
	u64 private;

	/* with an interrupt controller in KVM a halt is KVM's affair */
	r->async_pf = strcmp(fault_names[cfg->fault], "kernel-sleep") == 0;
	run_create(r, r->bytes);
	private = map_hole(r);
	shared = vm_symbol(r->vm, "shared", sizeof(*shared));
	shared->seconds = cfg->seconds;
	if (strcmp(fault_names[cfg->fault], "slow") == 0)
	private = arch_counter_hz(r->vm);
	for (u32 i = 0; i < r->nr_vcpus; i++)
		r->vm->vcpus[i].area->private = private;
	run_start(r);
	fault->run(r, fault->argument);
}

static const struct bench bench = {
	.name = "fault_test",
	.question = "does kvmeter notice when a benchmark breaks?",
	.options = options,
	.metrics = metrics,
	.checks = checks,
	.defaults = &defaults,
	.config_bytes = sizeof(defaults),
	.run = run,
};

int main(int argc, char **argv)
{
	return bench_main(&bench, argc, argv);
}

#endif
