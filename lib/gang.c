/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "cpus.h"
#include "futex.h"
#include "gang.h"
#include "interrupt.h"
#include "kick.h"
#include "patience.h"
#include "pin.h"
#include "remedy.h"
#include "thread_start.h"
#include "util.h"
#include "vcpu.h"

#define TICK_NS NSEC_PER_SEC
/* How long a kicked vCPU may take to come out of KVM_RUN. */
#define KICK_NS (5 * NSEC_PER_SEC)
/* When it is kicked again. */
#define AGAIN_NS (NSEC_PER_SEC / 10)

/* Written by its own thread between release and arrival, else by the gang. */
struct member {
	struct gang *gang;
	struct vcpu *vcpu;
	pthread_t thread;
	int tid;
	int delay_fd;
	u32 kicks;     /* that it has received */
	u64 cpu;       /* to be pinned to */
	int pin_error; /* errno of that, or 0 */
	u64 arrival_ns;
	u64 in_run_ns; /* CPU time from release to arrival, of all rounds */
	u64 release_cpu_ns; /* of the sleeping thread, before the release */
	enum vcpu_stop stop;
	int error; /* errno of STOP_ERROR */
	bool arrived;
	/* of the main thread, while it waits */
	u64 seen_progress;
	u64 seen_ns; /* of the gang's patience */
	u32 seen_kicks;
} __attribute__((aligned(64)));

struct gang {
	struct vm *vm;
	struct gang_config cfg;
	struct member *member;
	unsigned int nr;
	u64 *vcpu_ns;
	bool quit;
	struct cpus main_cpus; /* of the main thread, before it was pinned */
	struct usage usage;    /* at the release */
	u64 in_run_ns;	       /* at the release */
	u64 delay_ns;	       /* at the release */
	u64 release_ns;
	u64 next_tick_ns; /* when cfg.tick is due, however often we look */
	struct patience patience;
	/* futexes, each on a line of its own */
	u32 round __attribute__((aligned(64)));
	u32 outstanding __attribute__((aligned(64)));
};

/* Runs until the next stop. The arrival is stamped first. */
static void run_once(struct member *m)
{
	m->stop = vcpu_run(m->vcpu);
	m->arrival_ns = now_ns();
	m->error = errno;
	m->in_run_ns += thread_cpu_ns() - m->release_cpu_ns;
}

/* The last to arrive wakes the main thread; so does a broken one, at once. */
static void arrive(struct member *m)
{
	struct gang *g = m->gang;
	bool broken = vcpu_stop_is_broken(m->stop);
	u32 left;

	__atomic_store_n(&m->arrived, true, __ATOMIC_RELEASE);
	left = __atomic_sub_fetch(&g->outstanding, 1, __ATOMIC_ACQ_REL);
	if (!left || broken)
		futex_wake(&g->outstanding, 1);
}

static void *member_main(void *arg)
{
	struct member *m = arg;
	struct gang *g = m->gang;
	u32 done = 0;

	m->tid = (int)syscall(SYS_gettid);
	kick_receive(&m->kicks);
	m->pin_error = pin_self(m->cpu);
	for (;;) {
		u32 round = __atomic_load_n(&g->round, __ATOMIC_ACQUIRE);

		if (round == done) {
			futex_wait(&g->round, round, FUTEX_FOREVER);
			continue;
		}
		done = round;
		if (g->quit)
			return NULL;
		run_once(m);
		arrive(m);
	}
}

static void start_thread(struct gang *g, struct member *m)
{
	int error = thread_start(&m->thread, member_main, m);

	if (error)
		die("thread for vCPU %u of %u: %s%s, or choose a smaller "
		    "--vcpus",
		    m->vcpu->index, g->nr, strerror(error),
		    process_remedy(error));
}

static u64 pin_of(const struct gang_config *cfg, unsigned int i)
{
	return cfg->pin && i < cfg->pin->nr ? cfg->pin->v[i] : NOT_PINNED;
}

struct gang *gang_create(struct vm *vm, const struct gang_config *cfg)
{
	struct gang *g = aligned_alloc(64, sizeof(*g));
	size_t members_bytes = vm->nr_vcpus * sizeof(*g->member);
	struct cpus home = pin_visit(cfg->pin, vm->nr_vcpus);

	vm_start(vm);
	pin_return(home);
	kick_init();
	if (!g)
		die("out of memory");
	*g = (struct gang){ .vm = vm, .cfg = *cfg, .nr = vm->nr_vcpus };
	g->vcpu_ns = xcalloc(g->nr, sizeof(*g->vcpu_ns));
	g->member = aligned_alloc(64, members_bytes);
	if (!g->member)
		die("out of memory");
	memset(g->member, 0, members_bytes);
	for (unsigned int i = 0; i < g->nr; i++) {
		struct member *m = &g->member[i];

		m->gang = g;
		m->vcpu = &vm->vcpus[i];
		m->cpu = pin_of(cfg, i);
		m->delay_fd = -1;
		start_thread(g, m);
	}
	cpus_read(&g->main_cpus);
	pin_require(pin_of(cfg, g->nr), pin_self(pin_of(cfg, g->nr)));
	gang_round(g, NULL);
	for (unsigned int i = 0; i < g->nr; i++)
		pin_require(g->member[i].cpu, g->member[i].pin_error);
	for (unsigned int i = 0; i < g->nr; i++)
		g->member[i].delay_fd = delay_open(g->member[i].tid);
	return g;
}

/* Lets every thread go on. */
static void release(struct gang *g)
{
	__atomic_add_fetch(&g->round, 1, __ATOMIC_RELEASE);
	futex_wake(&g->round, FUTEX_ALL);
}

void gang_free(struct gang *g)
{
	if (!g)
		return;
	g->quit = true;
	release(g);
	for (unsigned int i = 0; i < g->nr; i++)
		thread_join(g->member[i].thread, THREAD_END_S,
			    "the thread of vCPU %u, which is idle", i);
	for (unsigned int i = 0; i < g->nr; i++)
		if (g->member[i].delay_fd >= 0)
			close(g->member[i].delay_fd);
	pin_return(g->main_cpus);
	free(g->member);
	free(g->vcpu_ns);
	free(g);
}

static u64 in_run_ns(const struct gang *g)
{
	u64 ns = 0;

	for (unsigned int i = 0; i < g->nr; i++)
		ns += g->member[i].in_run_ns;
	return ns;
}

static u64 delay_ns(const struct gang *g)
{
	u64 ns = 0;

	for (unsigned int i = 0; i < g->nr; i++)
		ns += delay_read(g->member[i].delay_fd);
	return ns;
}

static u64 progress_of(const struct member *m)
{
	const struct guest_cpu *area = m->vcpu->area;

	return READ_ONCE(area->reads) + READ_ONCE(area->writes) +
	       READ_ONCE(area->passes);
}

static u64 wait_tick(const struct gang *g)
{
	return min_u64(TICK_NS, g->cfg.timeout_ns / 4 + 1);
}

/* The deadline for silence begins now. */
static void begin_wait(struct gang *g)
{
	patience_begin(&g->patience, wait_tick(g));
	for (unsigned int i = 0; i < g->nr; i++) {
		g->member[i].seen_progress = progress_of(&g->member[i]);
		g->member[i].seen_ns = 0;
	}
}

void gang_start(struct gang *g, const char *function)
{
	u64 gva = function ? vm_function(g->vm, function) : 0;

	interrupt_check();
	for (unsigned int i = 0; i < g->nr; i++) {
		struct member *m = &g->member[i];
		struct guest_cpu *area = m->vcpu->area;

		if (m->stop == STOP_DONE)
			die("vCPU %u is done: it must not run again", i);
		if (function && m->stop != STOP_IDLE)
			die("vCPU %u is not idle: it cannot run %s", i,
			    function);
		if (function) {
			area->function = gva;
			area->reads = 0;
			area->writes = 0;
			area->passes = 0;
		}
		WRITE_ONCE(area->stop, 0);
		m->arrived = false;
		/* here, so that what is timed holds no system call for it */
		m->release_cpu_ns = cpu_ns_of(m->thread);
	}
	__atomic_store_n(&g->outstanding, g->nr, __ATOMIC_RELAXED);
	g->in_run_ns = in_run_ns(g);
	g->delay_ns = delay_ns(g);
	begin_wait(g);
	g->usage = usage_now();
	g->next_tick_ns = now_ns() + TICK_NS;
	g->release_ns = now_ns();
	release(g);
}

/* The vCPUs that are still out when one is stuck or broken. */
static void kick_all(struct gang *g)
{
	struct patience patience;
	u32 left;

	patience_begin(&patience, AGAIN_NS);
	for (unsigned int i = 0; i < g->nr; i++)
		vcpu_kick(g->member[i].vcpu);
	while ((left = __atomic_load_n(&g->outstanding, __ATOMIC_ACQUIRE)) &&
	       patience_look(&patience) < KICK_NS) {
		for (unsigned int i = 0; i < g->nr; i++)
			kick_send(g->member[i].thread);
		futex_wait(&g->outstanding, left, AGAIN_NS);
	}
}

static bool has_arrived(const struct member *m)
{
	return __atomic_load_n(&m->arrived, __ATOMIC_ACQUIRE);
}

static void __noreturn die_broken(struct gang *g, const struct member *m)
{
	char *report = vcpu_report(m->vcpu, m->stop, m->error);

	kick_all(g);
	die("%s", report);
}

static void __noreturn die_stuck(struct gang *g, const struct member *m)
{
	unsigned long long seconds = g->cfg.timeout_ns / NSEC_PER_SEC;
	char *report;

	kick_all(g);
	if (!has_arrived(m))
		die("vCPU %u has made no progress for %llu s and does not come "
		    "out of KVM_RUN: see dmesg",
		    m->vcpu->index, seconds);
	report = vcpu_report(m->vcpu, m->stop, m->error);
	die("no progress for %llu s (--timeout allows more)\n%s", seconds,
	    report);
}

static void look_for_broken(struct gang *g)
{
	for (unsigned int i = 0; i < g->nr; i++) {
		const struct member *m = &g->member[i];

		if (has_arrived(m) && vcpu_stop_is_broken(m->stop))
			die_broken(g, m);
	}
}

static void look_for_stuck(struct gang *g)
{
	u64 now = patience_look(&g->patience);

	for (unsigned int i = 0; i < g->nr; i++) {
		struct member *m = &g->member[i];
		u64 progress = progress_of(m);

		if (has_arrived(m) || progress != m->seen_progress) {
			m->seen_progress = progress;
			m->seen_ns = now;
		} else if (now - m->seen_ns >= g->cfg.timeout_ns) {
			die_stuck(g, m);
		}
	}
}

static void look_for_trouble(struct gang *g)
{
	const char *trouble =
		__atomic_load_n(&g->vm->trouble, __ATOMIC_ACQUIRE);

	if (!trouble)
		return;
	kick_all(g);
	die("%s", trouble);
}

/* What a waiting main thread does between its sleeps. */
static void look_around(struct gang *g)
{
	interrupt_check();
	look_for_broken(g);
	look_for_trouble(g);
	look_for_stuck(g);
	if (!g->cfg.tick || now_ns() < g->next_tick_ns)
		return;
	g->next_tick_ns = now_ns() + TICK_NS;
	g->cfg.tick(g->cfg.tick_arg, now_ns() - g->release_ns);
}

static void wait_all(struct gang *g)
{
	u64 tick = wait_tick(g);
	u32 left;

	begin_wait(g);
	while ((left = __atomic_load_n(&g->outstanding, __ATOMIC_ACQUIRE))) {
		futex_wait(&g->outstanding, left, tick);
		look_around(g);
	}
	look_for_broken(g);
}

/* Waits for all and says how long it took since the release. */
static struct timing finish(struct gang *g)
{
	struct timing t = { .vcpu_ns = g->vcpu_ns, .nr_vcpus = g->nr };

	wait_all(g);
	t.usage = usage_since(&g->usage);
	t.usage.in_run_ns = in_run_ns(g) - g->in_run_ns;
	/* less than before if it could not be read */
	t.usage.vcpus.delay_ns = delay_ns(g);
	t.usage.vcpus.delay_ns -= min_u64(t.usage.vcpus.delay_ns, g->delay_ns);
	for (unsigned int i = 0; i < g->nr; i++) {
		g->vcpu_ns[i] = g->member[i].arrival_ns - g->release_ns;
		t.ns = max_u64(t.ns, g->vcpu_ns[i]);
	}
	return t;
}

struct timing gang_round(struct gang *g, const char *function)
{
	gang_start(g, function);
	return finish(g);
}

struct timing gang_stop(struct gang *g)
{
	for (unsigned int i = 0; i < g->nr; i++)
		WRITE_ONCE(g->member[i].vcpu->area->stop, 1);
	return finish(g);
}

struct timing gang_wait(struct gang *g)
{
	return finish(g);
}

void gang_discount(struct gang *g, struct timing *t, u32 vcpu, u64 ns)
{
	g->vcpu_ns[vcpu] -= min_u64(ns, g->vcpu_ns[vcpu]);
	t->ns = 0;
	for (unsigned int i = 0; i < g->nr; i++)
		t->ns = max_u64(t->ns, g->vcpu_ns[i]);
}

bool gang_sleep_until(struct gang *g, u64 deadline_ns)
{
	u64 tick = wait_tick(g);
	u64 now;
	u32 left;

	for (;;) {
		left = __atomic_load_n(&g->outstanding, __ATOMIC_ACQUIRE);
		look_around(g);
		now = now_ns();
		if (!left || now >= deadline_ns)
			return left;
		futex_wait(&g->outstanding, left,
			   min_u64(tick, deadline_ns - now));
	}
}

void gang_wait_accesses(struct gang *g, u64 accesses)
{
	struct progress from = gang_progress(g);
	u64 step;

	begin_wait(g);
	/* also for 0: a caller's loop is to notice signals, and broken vCPUs */
	for (;;) {
		look_around(g);
		step = progress_wait_ns(progress_sub(gang_progress(g), from),
					accesses);
		if (!step)
			break;
		sleep_until_ns(now_ns() + step);
	}
}

static u32 kicks_of(const struct member *m)
{
	return __atomic_load_n(&m->kicks, __ATOMIC_ACQUIRE);
}

void gang_force_exits(struct gang *g)
{
	u64 tick = wait_tick(g);

	begin_wait(g);
	for (unsigned int i = 0; i < g->nr; i++) {
		g->member[i].seen_kicks = kicks_of(&g->member[i]);
		kick_must(g->member[i].thread, i);
	}
	for (unsigned int i = 0; i < g->nr; i++) {
		struct member *m = &g->member[i];

		while (kicks_of(m) == m->seen_kicks) {
			futex_wait(&m->kicks, m->seen_kicks, tick);
			look_around(g);
		}
	}
}

int gang_tid(const struct gang *g, unsigned int vcpu)
{
	return g->member[vcpu].tid;
}

struct progress gang_progress(const struct gang *g)
{
	struct progress p = { 0 };

	for (unsigned int i = 0; i < g->nr; i++) {
		const struct guest_cpu *area = g->member[i].vcpu->area;

		p.reads += READ_ONCE(area->reads);
		p.writes += READ_ONCE(area->writes);
	}
	p.ns = now_ns();
	return p;
}
