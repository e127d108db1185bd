/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What guest code may use, and the memory that it shares with the host.
 *
 * Every vCPU owns one area of GUEST_AREA_BYTES, aligned to its size, that
 * begins with its struct guest_cpu; all stacks of the vCPU lie in the same
 * area, which is how guest_cpu() finds it on any architecture.
 *
 * A vCPU starts in guest_main(), stops at a sync that says "idle", and from
 * then on runs the function that the host names, back to idle, and so on.
 */
#ifndef KVMETER_GUEST_GUEST_H
#define KVMETER_GUEST_GUEST_H

#include <guest/async_pf.h>
#include <guest/types.h>

#define GUEST_AREA_BYTES 16384
#define GUEST_AREA_PAGE 4096
#define GUEST_TRAP_STACK_TOP (2 * GUEST_AREA_PAGE) /* offset in the area */
#define GUEST_GUARD_OFFSET (2 * GUEST_AREA_PAGE)   /* unmapped in 4K modes */
#define GUEST_UCALL_ARGS 8
#define GUEST_TRAP_REGS 32

/* Why a vCPU left the guest on its own accord. */
enum guest_ucall {
	UCALL_NONE = 0,
	UCALL_IDLE,   /* guest_main() waits for a function */
	UCALL_SYNC,   /* args[]: the values */
	UCALL_DONE,   /* the vCPU must not run again */
	UCALL_PRINT,  /* args[0]: format, args[1..]: values */
	UCALL_ASSERT, /* args[0]: file, [1]: line, [2]: format, [3..]: values */
	UCALL_TRAP,   /* struct guest_trap holds what happened */
};

/* An exception that the guest did not expect; arch_trap_describe() decodes. */
struct guest_trap {
	u64 cause;    /* x86_64: vector; aarch64: index of the vector entry */
	u64 syndrome; /* x86_64: error code; aarch64: ESR_EL1 */
	u64 address;  /* x86_64: CR2; aarch64: FAR_EL1 */
	u64 pc;
	u64 sp;
	u64 flags;
	u64 regs[GUEST_TRAP_REGS]; /* in the order of arch_trap_regs[] */
};

/*
 * The order in which a vCPU accesses pages, precomputed by the host so that
 * the guest spends two loads and a compare on each access. Access i goes to
 * page order[i]; it is a write if (choice[i] + turn) % GUEST_CHOICES is below
 * write_below. Each pass turns the choice further, so that passes write
 * different pages although the order stays.
 */
#define GUEST_CHOICES 100

struct guest_plan {
	u64 base;	 /* GVA of page 0 */
	u64 page_bytes;	 /* distance of pages; 0 times the bare loop */
	u64 order;	 /* GVA of u32[nr] */
	u64 choice;	 /* GVA of u8[nr], each below GUEST_CHOICES */
	u32 nr;		 /* accesses of a pass */
	u32 first;	 /* a pass begins with access first and wraps around */
	u32 write_below; /* 0: all reads, GUEST_CHOICES: all writes */
	u32 turn;	 /* below GUEST_CHOICES */
	u32 turn_step;	 /* added after each pass, modulo GUEST_CHOICES */
	u32 reserved;
};

/*
 * How long accesses take as the guest sees it: one in @every is timed, in ticks
 * of arch_counter(), into the struct guest_histogram at GVA @histogram.
 */
struct guest_stalls {
	u64 histogram;
	u32 every; /* at least 1 */
	u32 left;  /* accesses up to and with the next that is timed */
};

/*
 * Written by one side, read by the other. While the vCPU is stopped the host
 * may write anything. While it runs the host writes only stop, and reads only
 * reads, writes and passes.
 */
struct guest_cpu {
	/* host to guest */
	u64 function; /* GVA to call at the next entry from idle */
	u32 index;    /* of the vCPU, from 0 */
	u32 nr_cpus;
	u64 private; /* argument of the function */
	u64 scratch; /* a word that may be written at will */
	u64 touch;   /* GVA range that guest_main() reads through first */
	u64 touch_bytes;
	u64 trap_handler; /* guest only: a guest_trap_handler, or 0 */
	struct guest_plan plan;
	struct guest_stalls stalls;
	u64 scheduler; /* GVA of a struct guest_scheduler; 0: one thread */

	u32 stop __attribute__((aligned(64)));

	/* guest to host: progress, which also tells a slow guest from a stuck
	 * one; each counts up from 0 at the start of a function */
	u64 reads __attribute__((aligned(64)));
	u64 writes;
	u64 passes;

	/* guest to host: valid when the vCPU is stopped by a ucall */
	u64 ucall __attribute__((aligned(64)));
	u64 args[GUEST_UCALL_ARGS];
	struct guest_trap trap;

	/* within the guest; entry code in assembly knows where it is */
	struct guest_async_pf async_pf __attribute__((aligned(1024)));
};

_Static_assert(sizeof(struct guest_cpu) <= GUEST_AREA_PAGE,
	       "struct guest_cpu must leave the rest of the area to stacks");

#ifdef KVMETER_GUEST

#include <guest_arch.h>

static inline struct guest_cpu *guest_cpu(void)
{
	return (struct guest_cpu *)ALIGN_DOWN(arch_stack_pointer(),
					      GUEST_AREA_BYTES);
}

/* Defines a function that gang_round() and gang_start() can name. */
#define GUEST_FUNCTION(name)              \
	void name(struct guest_cpu *cpu); \
	void name(struct guest_cpu *cpu)

/* Stops this vCPU until the host lets it run again. */
void guest_ucall(enum guest_ucall ucall);

void guest_sync(u64 a, u64 b, u64 c);
void __attribute__((noreturn)) guest_done(void);

/*
 * Formats are expanded by the host, which knows %d %i %u %x %c %s %p with
 * flags, width and any length modifier; all values travel as u64. At most
 * seven values, five with an assertion.
 */
#define guest_print(...) guest_print_args(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define guest_print_args(fmt, a, b, c, d, e, f, g, ...) \
	do {                                            \
		u64 *args_ = guest_cpu()->args;         \
		args_[0] = (u64)(fmt);                  \
		args_[1] = (u64)(a);                    \
		args_[2] = (u64)(b);                    \
		args_[3] = (u64)(c);                    \
		args_[4] = (u64)(d);                    \
		args_[5] = (u64)(e);                    \
		args_[6] = (u64)(f);                    \
		args_[7] = (u64)(g);                    \
		guest_ucall(UCALL_PRINT);               \
	} while (0)

#define guest_assert(cond)                                           \
	do {                                                         \
		if (!(cond))                                         \
			guest_fail(__FILE__, __LINE__, #cond, 0, 0); \
	} while (0)
#define guest_assert_eq(a, b)                                             \
	do {                                                              \
		u64 a_ = (u64)(a), b_ = (u64)(b);                         \
		if (a_ != b_)                                             \
			guest_fail(__FILE__, __LINE__,                    \
				   #a " == " #b " (%#lx, %#lx)", a_, b_); \
	} while (0)
/* With at most five values; @cond is not in the text. */
#define guest_assert_that(cond, ...)                                           \
	do {                                                                   \
		if (!(cond))                                                   \
			guest_fail_with(__FILE__, __LINE__, __VA_ARGS__, 0, 0, \
					0, 0, 0);                              \
	} while (0)
#define guest_fail_with(file, line, fmt, a, b, c, d, e, ...) \
	do {                                                 \
		u64 *args_ = guest_cpu()->args;              \
		args_[5] = (u64)(c);                         \
		args_[6] = (u64)(d);                         \
		args_[7] = (u64)(e);                         \
		guest_fail(file, line, fmt, a, b);           \
	} while (0)
void __attribute__((noreturn))
guest_fail(const char *file, int line, const char *fmt, u64 a, u64 b);

/*
 * Runs fn(arg) in the guest's kernel mode (where the workload is not there
 * already) and returns its value.
 */
u64 guest_kernel_call(u64 (*fn)(u64 arg), u64 arg);

/*
 * What a guest function may put into cpu->trap_handler to meet exceptions that
 * it expects: runs in the guest's kernel mode on the trap stack, with cause,
 * syndrome, address and pc in @trap. True: the interrupted code goes on at
 * trap->pc, with all its registers. False: the exception is reported as if
 * there were no handler, and so is one that the handler itself causes.
 */
typedef bool guest_trap_handler(struct guest_cpu *cpu, struct guest_trap *trap);

/* For guest_trap() of the port: asks the handler, if there is one. */
bool guest_trap_is_handled(struct guest_cpu *cpu);

/* True once the host has asked for an end by gang_stop(). */
static inline bool guest_stopped(const struct guest_cpu *cpu)
{
	return READ_ONCE(cpu->stop) != 0;
}

#endif /* KVMETER_GUEST */
#endif
