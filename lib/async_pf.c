/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <unistd.h>

#include "async_pf.h"
#include "clock.h"
#include "tracepoint.h"
#include "util.h"

const char *async_pf_missing(void)
{
	int kvm_fd = kvm_open();
	const char *missing = arch_async_pf_missing(kvm_fd);

	close(kvm_fd);
	return missing;
}

/* A quarter of the timeout, two of which a stop may already have used. */
struct guest_scheduler async_pf_scheduler(const struct run *r, u64 quantum_us)
{
	double tick_ns = run_tick_ns(r);

	return (struct guest_scheduler){
		.quantum = quantum_us * NSEC_PER_USEC / tick_ns,
		.longest = (double)r->gang_config.timeout_ns / 4 / tick_ns,
	};
}

void async_pf_add(struct async_pf_counts *c, const struct guest_scheduler *s,
		  double tick_ns)
{
	u64 shortest_ns = s->in_flight.nr ? s->shortest * tick_ns : 0;

	c->not_present += s->not_present;
	c->ready += s->ready;
	c->repeated += s->repeated;
	c->wake_all += s->wake_all;
	c->waiting += s->waiting.nr;
	c->unmatched += s->unmatched.nr;
	if (s->waiting.nr)
		c->waiting_token = s->waiting.token[s->waiting.nr - 1];
	if (s->unmatched.nr)
		c->unmatched_token = s->unmatched.token[s->unmatched.nr - 1];
	c->empty += s->empty;
	c->overflow += s->overflow;
	c->in_flight_ns += s->in_flight.sum * tick_ns;
	if (shortest_ns && (!c->shortest_ns || shortest_ns < c->shortest_ns))
		c->shortest_ns = shortest_ns;
}

void async_pf_check_paired(struct run *r, int id,
			   const struct async_pf_counts *c)
{
	if (!c->not_present && !c->ready) {
		check_unverified(r, id,
				 "KVM has told of no page: none took long");
		return;
	}
	check(r, id,
	      c->ready == c->not_present && !c->waiting && !c->unmatched &&
		      !c->overflow,
	      "%llu not-present, %llu ready; %llu of the former (token 0x%x) "
	      "and %llu of the latter (0x%x) without the other",
	      (unsigned long long)c->not_present, (unsigned long long)c->ready,
	      (unsigned long long)c->waiting, c->waiting_token,
	      (unsigned long long)c->unmatched, c->unmatched_token);
}

/* include/trace/events/kvm.h of the kernel; a token is never 0. */
enum event { NOT_PRESENT, READY, EVENTS };
static const char *const names[] = { "kvm/kvm_async_pf_not_present",
				     "kvm/kvm_async_pf_ready" };

struct async_pf_watch {
	int fd[EVENTS];	    /* or -errno */
	u64 before[EVENTS]; /* what does not count */
};

struct async_pf_watch *async_pf_watch_create(struct run *r)
{
	struct async_pf_watch *w;
	bool any = false;

	if (!run_may_trace(r))
		return NULL;
	w = xcalloc(1, sizeof(*w));
	for (int i = 0; i < EVENTS; i++) {
		w->fd[i] = tracepoint_open(names[i], "token != 0");
		any = any || w->fd[i] >= 0;
	}
	if (any)
		run_is_traced(r);
	return w;
}

void async_pf_watch_free(struct async_pf_watch *w)
{
	for (int i = 0; w && i < EVENTS; i++)
		if (w->fd[i] >= 0)
			close(w->fd[i]);
	free(w);
}

void async_pf_watch_begin(struct async_pf_watch *w)
{
	for (int i = 0; w && i < EVENTS; i++)
		if (w->fd[i] >= 0)
			w->before[i] = tracepoint_read(w->fd[i]);
}

void async_pf_check_told(struct run *r, int id, const struct async_pf_counts *c,
			 const struct async_pf_watch *w)
{
	u64 now[EVENTS];

	if (!w)
		return;
	for (int i = 0; i < EVENTS; i++) {
		if (w->fd[i] < 0) {
			check_unverified(
				r, id,
				"the tracepoint %s cannot be used: run "
				"as root, with tracefs mounted",
				names[i]);
			return;
		}
		now[i] = tracepoint_read(w->fd[i]) - w->before[i];
	}
	check(r, id,
	      now[NOT_PRESENT] == c->not_present &&
		      now[READY] == c->ready + c->wake_all,
	      "KVM counts %llu and %llu, the guest %llu and %llu",
	      (unsigned long long)now[NOT_PRESENT],
	      (unsigned long long)now[READY],
	      (unsigned long long)c->not_present,
	      (unsigned long long)c->ready + c->wake_all);
}

void async_pf_sample(struct run *r, const struct async_pf_metrics *m,
		     const struct async_pf_counts *c, u64 ns)
{
	sample_value(r, m->shortest, c->shortest_ns);
	sample_value(r, m->waited, c->in_flight_ns);
	remark(r, m->waited, "%.1f %% of the time",
	       100.0 * c->in_flight_ns / r->nr_vcpus / ns);
	sample_value(r, m->not_present, c->not_present);
	sample_value(r, m->ready, c->ready);
	if (c->empty)
		remark(r, m->ready, "%llu interrupts told of no page",
		       (unsigned long long)c->empty);
	sample_value(r, m->repeated, c->repeated);
	sample_value(r, m->wake_all, c->wake_all);
}
