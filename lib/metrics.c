/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "better.h"
#include "metrics.h"
#include "stats.h"
#include "units.h"
#include "util.h"

/*
 * Appends to @v, which has @nr values and room for the next power of two: of a
 * million none is copied more than twice.
 */
static u64 *append(u64 *v, unsigned int nr, u64 value)
{
	if (!(nr & (nr - 1)))
		v = xrealloc(v, nr ? (size_t)nr * 2 : 1, sizeof(*v));
	v[nr] = value;
	return v;
}

void series_reserve(struct series *s, unsigned int nr)
{
	if (s->room - s->nr >= nr)
		return;
	s->room = s->nr + nr > 2 * s->room ? s->nr + nr : 2 * s->room;
	s->samples = xrealloc(s->samples, s->room, sizeof(*s->samples));
}

static void make_room(struct series *s, unsigned int nr_vcpus)
{
	if (s->nr && s->nr_vcpus != nr_vcpus)
		die("samples of %u and of %u vCPUs in one metric", s->nr_vcpus,
		    nr_vcpus);
	s->nr_vcpus = nr_vcpus;
	if (s->nr == s->room)
		series_reserve(s, s->nr ? s->nr : 16);
	if (!nr_vcpus || s->nr < s->vcpu_room)
		return;
	s->vcpu_room = s->room;
	s->vcpu_samples = xrealloc(s->vcpu_samples,
				   (size_t)s->vcpu_room * nr_vcpus,
				   sizeof(*s->vcpu_samples));
}

void series_add(struct series *s, const struct timing *t)
{
	unsigned int nr_vcpus = t->vcpu_ns ? t->nr_vcpus : 0;

	make_room(s, nr_vcpus);
	s->samples[s->nr] = t->ns;
	if (nr_vcpus)
		memcpy(s->vcpu_samples + (size_t)s->nr * nr_vcpus, t->vcpu_ns,
		       nr_vcpus * sizeof(*t->vcpu_ns));
	s->nr++;
	if (s->tail)
		histogram_add(&s->tail->run, t->ns);
	series_add_usage(s, t->usage);
}

void series_add_usage(struct series *s, struct usage usage)
{
	s->timed = true;
	s->usage = usage_add(s->usage, usage);
}

void series_add_value(struct series *s, u64 value)
{
	make_room(s, 0);
	s->samples[s->nr++] = value;
	if (s->tail && !s->tail->vcpu)
		histogram_add(&s->tail->run, value);
}

void series_keep_tail(struct series *s)
{
	s->tail = xcalloc(1, sizeof(*s->tail));
	histogram_reserve(&s->tail->run);
}

void series_add_guest(struct series *s, unsigned int vcpu,
		      unsigned int nr_vcpus, const struct guest_histogram *g,
		      double tick_ns)
{
	struct tail *t = s->tail;

	if (!t->vcpu) {
		t->vcpu = xcalloc(nr_vcpus, sizeof(*t->vcpu));
		t->nr_vcpus = nr_vcpus;
	}
	histogram_add_guest(&t->vcpu[vcpu], g, tick_ns);
	histogram_add_guest(&t->run, g, tick_ns);
}

static void end_tail(struct series *s)
{
	struct tail *t = s->tail;

	if (!t->run.nr)
		return;
	for (unsigned int i = 0; i < HISTOGRAM_QUANTILES; i++) {
		double ns = histogram_quantile(&t->run,
					       histogram_quantiles[i].quantile);

		t->of_runs[i] = append(t->of_runs[i], t->nr_runs, llround(ns));
	}
	if (t->vcpu)
		series_add_value(s, t->of_runs[0][t->nr_runs]);
	t->nr_runs++;
	histogram_merge(&t->all, &t->run);
	histogram_clear(&t->run);
}

static void free_tail(struct tail *t)
{
	if (!t)
		return;
	for (unsigned int i = 0; i < t->nr_vcpus; i++)
		histogram_fini(&t->vcpu[i]);
	for (unsigned int i = 0; i < HISTOGRAM_QUANTILES; i++)
		free(t->of_runs[i]);
	histogram_fini(&t->run);
	histogram_fini(&t->all);
	free(t->vcpu);
	free(t);
}

void series_end_run(struct series *s)
{
	unsigned int nr;

	if (s->tail)
		end_tail(s);
	nr = s->nr - s->run_start;
	if (!nr)
		return;
	s->run_medians =
		append(s->run_medians, s->nr_runs,
		       stats_summary(s->samples + s->run_start, nr).median);
	s->run_samples = append(s->run_samples, s->nr_runs, nr);
	s->nr_runs++;
	s->run_start = s->nr;
}

static void free_stats(struct series *s)
{
	for (unsigned int i = 0; i < s->nr_stats; i++)
		free(s->stats[i].name);
	free(s->stats);
}

void series_take_stats(struct series *s, struct stat_change *stats,
		       unsigned int nr)
{
	free_stats(s);
	s->stats = stats;
	s->nr_stats = nr;
}

void series_fini(struct series *s)
{
	free_stats(s);
	free_tail(s->tail);
	free(s->remark);
	free(s->run_medians);
	free(s->run_samples);
	free(s->samples);
	free(s->vcpu_samples);
	*s = (struct series){ 0 };
}

void check_merge(struct check_state *c, enum check_result result,
		 const char *detail)
{
	if (result <= c->result)
		return;
	c->result = result;
	free(c->detail);
	c->detail = xstrdup(detail);
	for (char *s = c->detail; *s; s++)
		if (*s == '\n')
			*s = ' ';
}

bool check_passes(const struct check_state *c, bool strict)
{
	switch (c->result) {
	case CHECK_OK:
	case CHECK_NOT_APPLICABLE:
		return true;
	case CHECK_UNVERIFIED:
		return !strict;
	default:
		return false;
	}
}

const char *metric_format(char *buf, enum metric_unit unit, double value)
{
	return unit == UNIT_NS ? format_ns(buf, value) :
				 format_count(buf, value);
}

const char *metric_better_name(const struct metric_row *row)
{
	return better_name(row->kind & NEITHER_IS_BETTER ? BETTER_NEITHER :
			   row->kind & HIGHER_IS_BETTER	 ? BETTER_HIGHER :
							   BETTER_LOWER);
}

const char *metric_unit_name(enum metric_unit unit)
{
	static const char *const names[] = {
		[UNIT_NS] = "ns",
		[UNIT_PAGES] = "pages",
		[UNIT_PAGES_PER_S] = "pages/s",
		[UNIT_COUNT] = "count",
		[UNIT_BLOCKS_PER_MIN] = "blocks/min",
		[UNIT_PROCESSES_PER_S] = "processes/s",
	};

	return names[unit];
}

const char *check_result_name(enum check_result result)
{
	static const char *const names[] = {
		[CHECK_NOT_REACHED] = "not verified",
		[CHECK_NOT_APPLICABLE] = "not applicable",
		[CHECK_OK] = "ok",
		[CHECK_UNVERIFIED] = "not verified",
		[CHECK_FAILED] = "not ok",
	};

	return names[result];
}
