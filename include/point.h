/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything that one invocation of a benchmark has found out: what bench.c
 * fills and report.c and results.c print.
 */
#ifndef KVMETER_POINT_H
#define KVMETER_POINT_H

#include "bench.h"
#include "host.h"

/* One combination of the swept options. */
struct point {
	u64 vcpus;
	u64 bytes;
	unsigned int variant;	    /* index into bench->variants->names */
	struct series *series;	    /* one per metric_row */
	struct check_state *checks; /* one per check_row */
	char **notes;
	unsigned int nr_notes;
	u64 stopped_runs; /* in which the process was, by SIGSTOP or the like */
	bool started;
	bool finished;
	/* once finished: how long it took, and what was stolen of all CPUs'
	 * time meanwhile, or STEAL_UNKNOWN */
	u64 ns, steal_ns;
};

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP };

struct session {
	const struct bench *bench;
	const struct option_set *options;
	const void *config;
	const struct bench_config *common; /* the first member of config */
	struct host_facts host;
	char started[32]; /* UTC, RFC 3339 */
	unsigned int nr_metrics;
	unsigned int nr_checks;
	struct point *points;
	unsigned int nr_points;
	FILE *text;	/* where the table and KTAP go */
	int text_error; /* errno of the first that could not be written */
	bool begun;	/* the plan has been printed */
	unsigned int results_printed;
	struct kernel_log *kernel_log; /* since the session began */
	char *left_out; /* variants that this host has not, a line each; or NULL
			 */
	bool progress_shown; /* a line on standard error is to be cleared */
};

/* Name of its variant; NULL if the benchmark has none. */
const char *point_variant(const struct session *s, const struct point *p);

/* "vcpus=1 bytes=64M tracking=ring"; to be freed. */
char *point_label(const struct session *s, const struct point *p);

/*
 * A point for each combination of what the options ask for: bytes vary within
 * vCPUs, variants within bytes.
 */
void points_init(struct session *s);
void points_fini(struct session *s);

/* Before any of them is measured. */
void points_drop_variant(struct session *s, unsigned int variant);

/* Dies for a metric that the run has lost, or has although it is left out. */
void run_check_metrics(const struct run *r);

/* Unless a check failed, or was not verified and --strict asks for it. */
bool point_passed(const struct session *s, const struct point *p);

#endif
