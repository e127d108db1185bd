/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a benchmark declares that it measures and checks, and the results of
 * one point of its sweep. Main thread only.
 */
#ifndef KVMETER_METRICS_H
#define KVMETER_METRICS_H

#include "histogram.h"
#include "lock_wait.h"
#include "timing.h"
#include "types.h"

enum metric_unit {
	UNIT_NS,
	UNIT_PAGES,
	UNIT_PAGES_PER_S,
	UNIT_COUNT,
	UNIT_BLOCKS_PER_MIN,
	UNIT_PROCESSES_PER_S,
};

/* What kind of metric it is; combined by |. */
enum metric_kind {
	LOWER_IS_BETTER = 0,
	HIGHER_IS_BETTER = 1,
	/*
	 * Many samples a run, whose tail matters: quantiles and maximum are
	 * shown, and p99 and p99.9 of each run are metrics of their own in the
	 * results.
	 */
	METRIC_TAIL = 2,
	/* It explains others, and may go either way with an improvement. */
	NEITHER_IS_BETTER = 4,
};

/* Of one benchmark: sets of metrics are masks in a u64. */
#define METRICS_MAX 64

/* Rows of a const table, ended by name NULL; the index is the metric's id. */
struct metric_row {
	const char *name; /* key in JSON, phase in the table */
	enum metric_unit unit;
	unsigned int kind; /* enum metric_kind */
	const char *help;  /* what happens in it, one line */
};

/*
 * A check: something that must hold for a metric to mean anything. Rows of a
 * const table, ended by name NULL; the index is the check's id. Every row is
 * one KTAP result per point.
 */
struct check_row {
	const char *name;
	int metric; /* whose line in the table shows it, or -1 */
};

enum check_result {
	CHECK_NOT_REACHED,    /* no run came so far */
	CHECK_NOT_APPLICABLE, /* not part of what the options ask for */
	CHECK_OK,
	CHECK_UNVERIFIED, /* cannot be proven on this host; detail says why */
	CHECK_FAILED,
};

/* Distribution of a METRIC_TAIL. */
struct tail {
	struct histogram run; /* since the last series_end_run() */
	struct histogram all;
	struct histogram *vcpu; /* of each vCPU, of all runs; or NULL */
	unsigned int nr_vcpus;
	u64 *of_runs[HISTOGRAM_QUANTILES]; /* each quantile's, by run */
	unsigned int nr_runs;
};

/* All samples of one metric in one point, in the order of runs and rounds. */
struct series {
	u64 *samples;
	u64 *vcpu_samples; /* nr * nr_vcpus, or NULL */
	/*
	 * The median of each run's samples: rounds in one VM depend on each
	 * other, so that only runs count for a confidence interval.
	 */
	u64 *run_medians;
	u64 *run_samples; /* how many those were */
	unsigned int nr_runs;
	unsigned int run_start; /* first sample of the current run */
	unsigned int nr, room;
	unsigned int vcpu_room; /* samples that vcpu_samples has room for */
	unsigned int nr_vcpus;
	u64 pages;	    /* that one sample is about; 0: not meaningful */
	u64 thread_pages;   /* most that one thread goes through; 0: unknown */
	bool timed;	    /* usage is known */
	struct usage usage; /* sum over them */
	char *remark;	    /* of the last sample, or NULL */
	/* KVM's statistics that changed in the last sample's phase */
	struct stat_change {
		char *name;
		s64 change;
	} * stats;
	unsigned int nr_stats;
	struct lock_report locks; /* sum over the samples */
	struct tail *tail;	  /* NULL: not a METRIC_TAIL */
};

struct check_state {
	enum check_result result; /* the worst of all runs */
	char *detail;
};

/* Makes room for @nr more without per-vCPU times, so that adding allocates not.
 */
void series_reserve(struct series *s, unsigned int nr);
void series_add(struct series *s, const struct timing *t);
void series_add_usage(struct series *s, struct usage usage);
void series_add_value(struct series *s, u64 value);
/* All samples since the last call, if there are any, were one run's. */
void series_end_run(struct series *s);
/* Replaces the statistics; takes @stats and the names in it. */
void series_take_stats(struct series *s, struct stat_change *stats,
		       unsigned int nr);
void series_fini(struct series *s);

/* For a METRIC_TAIL, once and before the first sample. */
void series_keep_tail(struct series *s);

/*
 * For a METRIC_TAIL whose samples a guest has counted: adds what vCPU @vcpu of
 * @nr_vcpus has, in ticks of @tick_ns. Each run then gets its median as its one
 * sample.
 */
void series_add_guest(struct series *s, unsigned int vcpu,
		      unsigned int nr_vcpus, const struct guest_histogram *g,
		      double tick_ns);

/*
 * Keeps the worse result, and the first detail of it. Copies @detail, as one
 * line.
 */
void check_merge(struct check_state *c, enum check_result result,
		 const char *detail);

/* Does it let the benchmark pass? With @strict only what was proven does. */
bool check_passes(const struct check_state *c, bool strict);

/* "160.4 ms", "65536"; the buffer is UNIT_LEN bytes. */
const char *metric_format(char *buf, enum metric_unit unit, double value);

/* "lower" or "higher"; NULL: neither */
const char *metric_better_name(const struct metric_row *row);

const char *metric_unit_name(enum metric_unit unit);
const char *check_result_name(enum check_result result);

#endif
