/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "interrupt.h"
#include "lock_wait.h"
#include "mode.h"
#include "pin.h"
#include "point.h"
#include "stops.h"
#include "util.h"

static const struct bench_config *common(const struct run *r)
{
	return r->config;
}

void run_create(struct run *r, u64 memory_bytes)
{
	const struct bench_config *c = common(r);

	struct cpus home = pin_visit(&c->pin, r->nr_vcpus);

	r->stops = stops_seen();
	r->vm = vm_create(&(struct vm_config){
		.mode = mode_find(c->mode),
		.nr_vcpus = r->nr_vcpus,
		.eager_split = c->eager_split,
		.disable_quirks = r->disable_quirks ? r->disable_quirks :
						      c->disable_quirks,
		.tracking = r->tracking,
		.async_pf = r->async_pf,
		.image = embedded_image,
		.image_bytes = embedded_image_end - embedded_image,
	});
	r->mem = testmem_create(r->vm, &(struct testmem_config){
					       .backing = c->backing,
					       .bytes = memory_bytes,
					       .gpa = c->gpa,
					       .unaligned = c->unaligned,
					       .guest_page = c->guest_page,
					       .nr_slots = c->slots,
					       .prefault = c->prefault,
				       });
	pin_return(home);
}

/*
 * KVM's statistics of the VM and the sum of its vCPUs', in one array: first
 * those of the VM, then those of a vCPU.
 */
static unsigned int nr_vm_stats(const struct vm *vm)
{
	return vm->stats ? kvm_stats_nr(vm->stats) : 0;
}

static unsigned int nr_vcpu_stats(const struct vm *vm)
{
	return vm->vcpus[0].stats ? kvm_stats_nr(vm->vcpus[0].stats) : 0;
}

static u64 *read_stats(const struct vm *vm)
{
	unsigned int nr_vm = nr_vm_stats(vm), nr_vcpu = nr_vcpu_stats(vm);
	u64 *all = xcalloc(nr_vm + nr_vcpu + 1, sizeof(*all));
	u64 *one = xcalloc(nr_vcpu + 1, sizeof(*one));

	if (nr_vm)
		kvm_stats_read(vm->stats, all);
	for (u32 i = 0; nr_vcpu && i < vm->nr_vcpus; i++) {
		kvm_stats_read(vm->vcpus[i].stats, one);
		for (unsigned int k = 0; k < nr_vcpu; k++)
			all[nr_vm + k] += one[k];
	}
	free(one);
	return all;
}

static const char *stat_name(const struct vm *vm, unsigned int i)
{
	unsigned int nr_vm = nr_vm_stats(vm);

	return i < nr_vm ? kvm_stats_name(vm->stats, i) :
			   kvm_stats_name(vm->vcpus[0].stats, i - nr_vm);
}

/* Gives @s what has changed since the last time, for the same run. */
static void take_stats(struct run *r, struct series *s)
{
	unsigned int nr = nr_vm_stats(r->vm) + nr_vcpu_stats(r->vm);
	struct stat_change *changes = xcalloc(nr + 1, sizeof(*changes));
	u64 *now = read_stats(r->vm);
	unsigned int changed = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (now[i] == r->stats_before[i])
			continue;
		changes[changed].name = xstrdup(stat_name(r->vm, i));
		changes[changed++].change = now[i] - r->stats_before[i];
	}
	free(r->stats_before);
	r->stats_before = now;
	series_take_stats(s, changes, changed);
}

/* What is recorded between phases that follow each other must not allocate. */
static void reserve_samples(struct run *r)
{
	for (unsigned int i = 0; r->bench->metrics[i].name; i++)
		series_reserve(&r->point->series[i], common(r)->rounds);
}

void run_add_host_thread(struct run *r, int tid)
{
	r->host_tids = xrealloc(r->host_tids, r->nr_host_tids + 1,
				sizeof(*r->host_tids));
	r->host_tids[r->nr_host_tids++] = tid;
}

bool run_may_trace(const struct run *r)
{
	return r->dropped || !common(r)->warmup;
}

void run_is_traced(struct run *r)
{
	if (!r->dropped)
		note(r, "KVM's tracepoints were live in what was timed: with "
			"--warmup 1 they are in that run alone");
}

static void start_lock_wait(struct run *r)
{
	if (!common(r)->lock_wait)
		return;
	r->locks = lock_wait_create();
	for (u32 i = 0; i < r->nr_vcpus; i++)
		lock_wait_add(r->locks, gang_tid(r->gang, i), LOCK_SIDE_VCPUS);
	lock_wait_add(r->locks, (int)syscall(SYS_gettid), LOCK_SIDE_HOST);
	for (unsigned int i = 0; i < r->nr_host_tids; i++)
		lock_wait_add(r->locks, r->host_tids[i], LOCK_SIDE_HOST);
	if (r->index == 0)
		note(r, "recording a wait for a lock takes about %.0f ns of it",
		     lock_wait_cost_ns());
}

void run_start(struct run *r)
{
	reserve_samples(r);
	r->faults = fault_counter_create(r->vm, run_may_trace(r));
	if (r->faults && fault_counter_is_exact(r->faults))
		run_is_traced(r);
	r->gang = gang_create(r->vm, &r->gang_config);
	start_lock_wait(r);
	vm_vcpu_stats(r->vm);
	r->stats_before = read_stats(r->vm);
	if (r->faults)
		r->faults_before = fault_counter_read(r->faults);
	if (!mappings_missing(r->vm))
		r->baseline = mappings_read(r->vm);
}

void run_end(struct run *r)
{
	lock_wait_free(r->locks);
	free(r->host_tids);
	r->locks = NULL;
	r->host_tids = NULL;
	r->nr_host_tids = 0;
	gang_free(r->gang);
	fault_counter_free(r->faults);
	vm_free(r->vm);
	testmem_free(r->mem);
	free(r->stats_before);
	r->gang = NULL;
	r->faults = NULL;
	r->mem = NULL;
	r->vm = NULL;
	r->stats_before = NULL;
}

/* Waits that ended since the last time; @metric: -1 for none. */
static void take_locks(struct run *r, int metric)
{
	bool counts = metric >= 0 && !r->dropped;

	if (r->locks)
		lock_wait_read(r->locks,
			       counts ? &r->point->series[metric].locks : NULL);
}

static void take_faults(struct run *r)
{
	struct faults now;

	if (!r->faults)
		return;
	now = fault_counter_read(r->faults);
	r->phase_faults.all = now.all - r->faults_before.all;
	r->phase_faults.at_pages = now.at_pages - r->faults_before.at_pages;
	r->faults_before = now;
}

void stats_begin(struct run *r)
{
	take_locks(r, -1);
	take_faults(r);
	free(r->stats_before);
	r->stats_before = read_stats(r->vm);
}

void stats_end(struct run *r, int metric)
{
	take_locks(r, metric);
	take_faults(r);
	take_stats(r, &r->point->series[metric]);
}

/* Its samples stay, for whoever reads them to know better. */
static void note_stop(struct run *r, int metric)
{
	u64 seen = stops_seen();

	if (seen == r->stops)
		return;
	r->stops = seen;
	if (r->dropped)
		return;
	r->point->stopped_runs += !r->stopped;
	r->stopped = true;
	note(r,
	     "run %llu: the process was stopped (SIGSTOP or the like) "
	     "before %s was sampled, whose time may contain that",
	     (unsigned long long)(r->index - common(r)->warmup + 1),
	     r->bench->metrics[metric].name);
}

void sample_time(struct run *r, int metric, struct timing t)
{
	struct series *s = &r->point->series[metric];

	note_stop(r, metric);
	/* the host alone has all of it to do */
	s->thread_pages = t.vcpu_ns ? r->vcpu_pages : s->pages;
	interrupt_check();
	take_locks(r, metric);
	r->sampled |= BIT(metric);
	if (!r->dropped)
		series_add(s, &t);
}

void sample(struct run *r, int metric, struct timing t)
{
	stats_end(r, metric);
	sample_time(r, metric, t);
}

void sample_value(struct run *r, int metric, u64 value)
{
	note_stop(r, metric);
	r->sampled |= BIT(metric);
	if (!r->dropped)
		series_add_value(&r->point->series[metric], value);
}

void metrics_not_applicable(struct run *r, u64 metrics)
{
	r->left_out |= metrics;
}

void metrics_may_lack(struct run *r, u64 metrics)
{
	r->left_out |= metrics & ~r->sampled;
}

/* A metric that is not there is easily taken for one that nobody wanted. */
void run_check_metrics(const struct run *r)
{
	for (unsigned int i = 0; r->bench->metrics[i].name; i++) {
		bool sampled = r->sampled & BIT(i);
		bool left_out = r->left_out & BIT(i);

		if (sampled == left_out)
			die("metric '%s': %s", r->bench->metrics[i].name,
			    sampled ? "sampled, although not applicable" :
				      "run() has not sampled it, nor called it "
				      "not applicable");
	}
}

void sample_usage(struct run *r, int metric, struct usage usage)
{
	if (!r->dropped)
		series_add_usage(&r->point->series[metric], usage);
}

void sample_reserve(struct run *r, int metric, u64 nr)
{
	series_reserve(&r->point->series[metric], nr);
}

double run_tick_ns(const struct run *r)
{
	return (double)NSEC_PER_SEC / arch_counter_hz(r->vm);
}

void sample_guest(struct run *r, int metric, u32 vcpu,
		  const struct guest_histogram *counted)
{
	note_stop(r, metric);
	r->sampled |= BIT(metric);
	if (!r->dropped)
		series_add_guest(&r->point->series[metric], vcpu, r->nr_vcpus,
				 counted, run_tick_ns(r));
}

void sample_pages(struct run *r, int metric, u64 pages)
{
	r->point->series[metric].pages = pages;
}

static char *format(const char *fmt, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, args) < 0)
		die("out of memory");
	return text;
}

static void merge(struct run *r, int check, enum check_result result,
		  const char *fmt, va_list args)
{
	char *detail = format(fmt, args);

	check_merge(&r->point->checks[check], result, detail);
	free(detail);
}

void check(struct run *r, int check, bool ok, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	merge(r, check, ok ? CHECK_OK : CHECK_FAILED, fmt, args);
	va_end(args);
}

bool check_is_proven(const struct run *r, int check)
{
	return r->point->checks[check].result == CHECK_OK;
}

void check_unverified(struct run *r, int check, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	merge(r, check, CHECK_UNVERIFIED, fmt, args);
	va_end(args);
}

void check_not_applicable(struct run *r, int check, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	merge(r, check, CHECK_NOT_APPLICABLE, fmt, args);
	va_end(args);
}

void note(struct run *r, const char *fmt, ...)
{
	struct point *p = r->point;
	va_list args;
	char *text;

	va_start(args, fmt);
	text = format(fmt, args);
	va_end(args);
	for (unsigned int i = 0; i < p->nr_notes; i++) {
		if (strcmp(p->notes[i], text) == 0) {
			free(text);
			return;
		}
	}
	p->notes = xrealloc(p->notes, p->nr_notes + 1, sizeof(*p->notes));
	p->notes[p->nr_notes++] = text;
}

void remark_mean(struct run *r, int metric)
{
	const struct series *s = &r->point->series[metric];
	double sum = 0;
	char mean[UNIT_LEN];

	for (unsigned int i = 0; i < s->nr; i++)
		sum += s->samples[i];
	if (!s->nr)
		return;
	if (r->bench->metrics[metric].unit == UNIT_NS)
		format_ns(mean, sum / s->nr);
	else
		format_count(mean, sum / s->nr);
	remark(r, metric, "mean %s of %u", mean, s->nr);
}

void remark(struct run *r, int metric, const char *fmt, ...)
{
	struct series *s = &r->point->series[metric];
	va_list args;

	free(s->remark);
	va_start(args, fmt);
	s->remark = format(fmt, args);
	va_end(args);
}
