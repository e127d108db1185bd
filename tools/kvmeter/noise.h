/* SPDX-License-Identifier: GPL-2.0-only */
/* How a benchmark's metrics spread when nothing changes. Main thread only. */
#ifndef KVMETER_NOISE_H
#define KVMETER_NOISE_H

#include <stdio.h>
#include "disturb.h"
#include "input.h"
#include "judge.h"
#include "steady.h"

/* Runs a side for which it is told what they can show. */
#define NOISE_SIZES 4
extern const size_t noise_sizes[NOISE_SIZES];

/* What speaks against a metric; several may. */
enum noise_flaw {
	NOISE_DRIFTS = 1 << 0,	   /* it rises or falls */
	NOISE_CLUSTERS = 1 << 1,   /* neighbours resemble each other */
	NOISE_TWO_LEVELS = 1 << 2, /* it lies on two */
	NOISE_OUTLIERS = 1 << 3,   /* a tenth or more are far off */
};

struct noise_metric {
	const struct series *series; /* of A, for names */
	size_t nr;
	double *values; /* one for each invocation, in their order */
	double median;
	double spread; /* relative; 0: the samples do not tell */
	/* as fractions; INFINITY: none, so few are they; 0: not judged */
	double detectable[NOISE_SIZES];
	struct trend trend;
	double neighbours; /* p */
	struct levels levels;
	size_t outliers;
	unsigned int flaws;
};

struct noise {
	const char *what; /* benchmark and options */
	struct judge_rule rule;
	size_t invocations;
	double seconds;
	size_t nr;
	size_t nr_judged; /* of them: those that comparisons judge */
	struct noise_metric *metrics;
	/* verdicts of A against A, each should be SAME or CANNOT_TELL */
	size_t verdicts[NR_JUDGEMENTS];
	size_t nr_settings, nr_meanwhile;
	struct disturbance *settings, *meanwhile;
};

/*
 * Takes the metrics of two sides, measured in turn (turns.h), as one
 * series each. @only as of report_build(). How many were found.
 */
size_t noise_read(struct noise *n, const struct side *a, const struct side *b,
		  const char *only);

void noise_text(const struct noise *n, FILE *out);
void noise_json(const struct noise *n, FILE *out);

#endif
