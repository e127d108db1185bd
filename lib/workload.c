/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "stalls.h"
#include "util.h"
#include "workload.h"

/* Enough accesses for the loop's cost to stand out of that of an exit. */
#define LOOP_ACCESSES 1000000
#define LOOP_TRIALS 3
#define LOOP_NS (50 * NSEC_PER_MSEC) /* of one trial, about */

static u64 share_from(const struct workload *w, enum sharing sharing, u32 i)
{
	return sharing == SHARE_ALL ?
		       0 :
		       testmem_pages(w->run->mem) * i / w->run->nr_vcpus;
}

static u64 share_to(const struct workload *w, enum sharing sharing, u32 i)
{
	return sharing == SHARE_ALL ? testmem_pages(w->run->mem) :
				      share_from(w, sharing, i + 1);
}

static struct guest_plan *plan_of(const struct workload *w, u32 i)
{
	return &w->run->vm->vcpus[i].area->plan;
}

static void set_vcpu_pages(const struct workload *w)
{
	w->run->vcpu_pages = 0;
	for (u32 i = 0; i < w->run->nr_vcpus; i++)
		w->run->vcpu_pages =
			max_u64(w->run->vcpu_pages, plan_of(w, i)->nr);
}

void workload_validate_split(const struct bench_config *c)
{
	u64 vcpus = u64_list_max(&c->vcpus);
	u64 pages = u64_list_min(&c->bytes) / sysconf(_SC_PAGESIZE);

	if (pages < vcpus)
		usage_error("--bytes: %llu pages for %llu vCPUs: each needs "
			    "one or more",
			    (unsigned long long)pages,
			    (unsigned long long)vcpus);
}

void workload_init(struct workload *w, struct run *r,
		   const struct workload_config *cfg)
{
	const struct testmem *mem = r->mem;
	u64 pages = testmem_pages(mem);

	*w = (struct workload){ .run = r, .sharing = cfg->sharing };
	if (cfg->sharing == SHARE_SPLIT)
		pages = DIV_ROUND_UP(pages, r->nr_vcpus);
	plan_init(&w->plan, r->vm,
		  &(struct plan_config){
			  .pages = pages,
			  .page_bytes = mem->page_bytes,
			  .random = cfg->random,
			  .seed = cfg->seed,
		  });
	for (u32 i = 0; i < r->nr_vcpus; i++) {
		u64 from = share_from(w, cfg->sharing, i);

		plan_assign(
			&w->plan, &r->vm->vcpus[i],
			&(struct plan_share){
				.base_gva = mem->gva + from * mem->page_bytes,
				.page_bytes = mem->page_bytes,
				.pages = share_to(w, cfg->sharing, i) - from,
				.write_percent = cfg->write_percent,
			});
	}
	w->before = xcalloc(r->nr_vcpus, sizeof(*w->before));
	w->full = xcalloc(r->nr_vcpus, sizeof(*w->full));
	for (u32 i = 0; i < r->nr_vcpus; i++)
		w->full[i] = *plan_of(w, i);
	set_vcpu_pages(w);
}

void workload_init_options(struct workload *w, struct run *r,
			   const struct workload_options *options)
{
	workload_init(w, r,
		      &(struct workload_config){
			      .sharing = options->overlap ? SHARE_ALL :
							    SHARE_SPLIT,
			      .random = options->random,
			      .seed = options->seed + r->index,
			      .write_percent = options->write_percent,
		      });
}

void workload_fini(struct workload *w)
{
	free(w->before);
	free(w->full);
}

void workload_touch_sparsely(struct workload *w, u64 bytes)
{
	for (u32 i = 0; i < w->run->nr_vcpus; i++) {
		u64 share = w->full[i].nr * w->full[i].page_bytes;

		plan_of(w, i)->page_bytes = bytes;
		plan_of(w, i)->nr = DIV_ROUND_UP(share, bytes);
	}
	set_vcpu_pages(w);
}

void workload_touch_all(struct workload *w)
{
	for (u32 i = 0; i < w->run->nr_vcpus; i++) {
		plan_of(w, i)->page_bytes = w->full[i].page_bytes;
		plan_of(w, i)->nr = w->full[i].nr;
	}
	set_vcpu_pages(w);
}

u64 workload_pages(const struct workload *w)
{
	u64 pages = 0;

	if (w->sharing == SHARE_ALL)
		return plan_of(w, 0)->nr;
	for (u32 i = 0; i < w->run->nr_vcpus; i++)
		pages += plan_of(w, i)->nr;
	return pages;
}

static u64 first_page(const struct workload *w, const struct guest_plan *p)
{
	return (p->base - w->run->mem->gva) / w->run->mem->page_bytes;
}

void workload_mark_pass(const struct workload *w, enum workload_writes writes,
			u64 *bitmap)
{
	for (u32 i = 0; i < w->run->nr_vcpus; i++) {
		struct guest_plan p = *plan_of(w, i);

		if (writes == WORKLOAD_ALL_WRITES)
			p.write_below = GUEST_CHOICES;
		plan_mark(&w->plan, &p, p.nr, first_page(w, &p), bitmap);
	}
}

void workload_remember(struct workload *w)
{
	for (u32 i = 0; i < w->run->nr_vcpus; i++)
		w->before[i] = *plan_of(w, i);
}

static void mark_vcpu(const struct workload *w, u32 i, u64 *bitmap)
{
	const struct guest_cpu *area = w->run->vm->vcpus[i].area;
	struct guest_plan p = w->before[i];
	u64 first = first_page(w, &p);
	u64 accesses = area->reads + area->writes;
	/* turns repeat: more passes than this write nothing new */
	u64 passes = min_u64(area->passes, GUEST_CHOICES);

	for (u64 pass = 0; pass < passes; pass++) {
		plan_mark(&w->plan, &p, p.nr, first, bitmap);
		plan_turn(&p);
	}
	if (area->passes == passes)
		plan_mark(&w->plan, &p, accesses - passes * p.nr, first,
			  bitmap);
}

void workload_mark_since(const struct workload *w, u64 *bitmap)
{
	for (u32 i = 0; i < w->run->nr_vcpus; i++)
		mark_vcpu(w, i, bitmap);
}

/* The best of a few, since the other vCPUs' threads disturb. */
static u64 loop_ns(struct workload *w, const char *function, u64 passes)
{
	u64 best = ~UINT64_C(0);

	for (u32 i = 0; i < w->run->nr_vcpus; i++)
		w->run->vm->vcpus[i].area->private = i ? 0 : passes;
	for (int i = 0; i < LOOP_TRIALS; i++) {
		struct timing t = gang_round(w->run->gang, function);

		best = min_u64(best, t.vcpu_ns[0]);
	}
	return best;
}

/* As many passes as tell it from an exit, but not for long. */
static u64 loop_passes(u64 pass_ns, u32 nr)
{
	u64 passes = DIV_ROUND_UP(LOOP_ACCESSES, nr);

	return max_u64(1, min_u64(passes, LOOP_NS / max_u64(pass_ns, 1)));
}

static double measure_loop(struct workload *w, const char *function)
{
	struct vcpu *vcpu = &w->run->vm->vcpus[0];
	struct guest_plan saved = vcpu->area->plan;
	u64 with, without, passes;

	vcpu->area->plan.base =
		vcpu->area_gva + offsetof(struct guest_cpu, scratch);
	vcpu->area->plan.page_bytes = 0;
	without = loop_ns(w, function, 0);
	with = loop_ns(w, function, 1);
	passes = loop_passes(with - min_u64(with, without), saved.nr);
	if (passes > 1)
		with = loop_ns(w, function, passes);
	vcpu->area->plan = saved;
	return ((double)with - without) / ((double)passes * saved.nr);
}

double workload_loop_ns(struct workload *w)
{
	return measure_loop(w, "guest_measure_loop");
}

double workload_timed_loop_ns(struct workload *w)
{
	return measure_loop(w, "guest_measure_timed_loop");
}

/* Where others disturb the measurement of it, nothing is said. */
void note_loop_cost(struct run *r, struct workload *w)
{
	const struct bench_config *c = r->config;
	double ns, timed_ns;
	u32 every;

	if (r->index != 0 || c->quiet)
		return;
	ns = workload_loop_ns(w);
	if (ns <= 0)
		return;
	note(r,
	     "the guest's loop takes %.2f ns per access of its own, "
	     "order and choice of writes included",
	     ns);
	every = r->vm->vcpus[0].area->stalls.every;
	if (!every)
		return;
	timed_ns = workload_timed_loop_ns(w);
	stalls_clear(r);
	if (timed_ns >= ns)
		note(r, "timing one access in %u adds %.2f ns to each", every,
		     timed_ns - ns);
	else
		note(r,
		     "what timing one access in %u adds is lost in the noise "
		     "of this host",
		     every);
}
