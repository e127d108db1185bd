/* SPDX-License-Identifier: GPL-2.0-only */
/* A session that has found out what its checks want to see printed. */
#ifndef KVMETER_CHECK_SESSION_H
#define KVMETER_CHECK_SESSION_H

#include <string.h>
#include "point.h"
#include "util.h"

enum { CREATE, GET_LOG, WRITES, NR_METRICS };

static const struct metric_row session_metrics[] = {
	{ "create", UNIT_NS, LOWER_IS_BETTER, "first access" },
	{ "get_log", UNIT_NS, LOWER_IS_BETTER, "reading the log" },
	{ "writes", UNIT_PAGES, HIGHER_IS_BETTER, "pages written" },
	{ .name = NULL }
};

enum { CREATED, LOGGED, COUNTED, NR_CHECKS };

static const struct check_row session_checks[] = {
	{ "create: mappings", CREATE },
	{ "get_log: dirty log", GET_LOG },
	{ "get_log: count", GET_LOG },
	{ NULL, 0 }
};

static const struct option_row session_options[] = {
	{ .type = OPT_U64_LIST,
	  .letter = 'v',
	  .name = "vcpus",
	  .arg = "LIST",
	  .offset = offsetof(struct bench_config, vcpus),
	  .help = "vCPUs" },
	{ .type = OPT_END }
};

static const struct bench session_bench = {
	.name = "made_up_test",
	.question = "what is it that is printed?",
	.options = session_options,
	.metrics = session_metrics,
	.checks = session_checks,
	.config_bytes = sizeof(struct bench_config),
};

static const struct option_row *const session_tables[] = { session_options,
							   NULL };
static const struct option_set session_set = { "made_up_test", "printed",
					       session_tables, NULL };

struct made_up {
	struct session session;
	struct bench_config config;
	struct point points[6];
	char *text;
	size_t bytes;
};

static inline void made_up_init(struct made_up *m, unsigned int nr_points)
{
	*m = (struct made_up){
		.config = { .vcpus = { 2, { 1, 2 } },
			    .bytes = { 1, { MIB(64) } },
			    .backing = "anonymous",
			    .mode = "PXXV48_4K",
			    .slots = 1,
			    .rounds = 3,
			    .runs = 6,
			    .warmup = 1 },
	};
	m->session = (struct session){
		.bench = &session_bench,
		.options = &session_set,
		.config = &m->config,
		.common = &m->config,
		.host = { .kernel = xstrdup("6.18.0"),
			  .arch = xstrdup("x86_64"),
			  .cpu = xstrdup("A \"fast\" CPU"),
			  .cpus = 2,
			  .memory_bytes = GIB(4),
			  .kvm_module = xstrdup("kvm_amd"),
			  .thp = xstrdup("madvise") },
		.started = "2026-01-02T03:04:05Z",
		.nr_metrics = NR_METRICS,
		.nr_checks = NR_CHECKS,
		.points = m->points,
		.nr_points = nr_points,
	};
	m->session.text = open_memstream(&m->text, &m->bytes);
	for (unsigned int i = 0; i < nr_points; i++) {
		struct point *p = &m->points[i];

		p->vcpus = i + 1;
		p->bytes = MIB(64);
		p->series = xcalloc(NR_METRICS, sizeof(*p->series));
		p->checks = xcalloc(NR_CHECKS, sizeof(*p->checks));
	}
}

static inline void made_up_fini(struct made_up *m)
{
	for (unsigned int i = 0; i < m->session.nr_points; i++) {
		struct point *p = &m->points[i];

		for (unsigned int k = 0; k < NR_METRICS; k++)
			series_fini(&p->series[k]);
		for (unsigned int k = 0; k < NR_CHECKS; k++)
			free(p->checks[k].detail);
		free(p->series);
		free(p->checks);
	}
	host_fini(&m->session.host);
	fclose(m->session.text);
	free(m->text);
}

/* The report so far; valid until more is printed. */
static inline const char *made_up_text(struct made_up *m)
{
	fflush(m->session.text);
	return m->text;
}

/* Samples 100..105 us of each vCPU, 256 pages, and a value. */
static inline void made_up_measure(struct made_up *m, struct point *p)
{
	for (u64 i = 0; i < m->config.runs; i++) {
		u64 ns = (100 + i) * 1000;
		u64 vcpu_ns[2] = { ns, ns - 1 };
		struct timing create = {
			.ns = ns,
			.vcpu_ns = vcpu_ns,
			.nr_vcpus = p->vcpus,
			.usage = { { 6, 3, 2, 1, 8 }, { 1, 2, 0, 0, 1 }, 3 }
		};
		struct timing get_log = { .ns = 2500 };

		series_add(&p->series[CREATE], &create);
		series_add(&p->series[GET_LOG], &get_log);
		series_add_value(&p->series[WRITES], 50330000);
		for (unsigned int k = 0; k < NR_METRICS; k++)
			series_end_run(&p->series[k]);
	}
	p->series[CREATE].pages = 256;
	p->started = true;
	p->finished = true;
	check_merge(&p->checks[CREATED], CHECK_OK, "256 x 4K");
	check_merge(&p->checks[LOGGED], CHECK_OK, "256 of 256");
	check_merge(&p->checks[COUNTED], CHECK_NOT_APPLICABLE, "no count");
}

#endif
