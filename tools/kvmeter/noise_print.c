/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "noise.h"
#include "util.h"

#define NAME_WIDTH 16

static const struct {
	enum noise_flaw flaw;
	const char *name;
} flaws[] = {
	{ NOISE_DRIFTS, "drifts" },
	{ NOISE_CLUSTERS, "clusters" },
	{ NOISE_TWO_LEVELS, "two levels" },
	{ NOISE_OUTLIERS, "outliers" },
};

/* Two digits, as "0.8%", "12%"; "none" if none can be shown. */
static const char *percent(char *buf, double fraction)
{
	if (isinf(fraction))
		snprintf(buf, UNIT_LEN, "none");
	else if (fraction <= 0)
		snprintf(buf, UNIT_LEN, "-");
	else if (fraction >= 10)
		snprintf(buf, UNIT_LEN, ">1000%%");
	else
		snprintf(buf, UNIT_LEN, "%.*f%%", fraction < 0.0995 ? 1 : 0,
			 100 * fraction);
	return buf;
}

/* "steady", or what speaks against it. */
static void print_flaws(const struct noise_metric *m, FILE *out)
{
	const char *separator = "";
	size_t i;

	if (!m->flaws)
		fputs("steady", out);
	for (i = 0; i < ARRAY_SIZE(flaws); i++) {
		if (!(m->flaws & flaws[i].flaw))
			continue;
		fprintf(out, "%s%s", separator, flaws[i].name);
		separator = ", ";
	}
	fputc('\n', out);
}

static void print_row(const struct noise_metric *m, FILE *out)
{
	const char *name = m->series->metric;
	char text[UNIT_LEN];
	size_t i;

	if (strlen(name) > NAME_WIDTH)
		fprintf(out, "%s\n%*s", name, NAME_WIDTH, "");
	else
		fprintf(out, "%-*s", NAME_WIDTH, name);
	fprintf(out, " %9s", report_value(text, m->series->unit, m->median));
	fprintf(out, " %6s", percent(text, m->spread));
	for (i = 0; i < NOISE_SIZES; i++)
		fprintf(out, " %6s", percent(text, m->detectable[i]));
	fputs("  ", out);
	print_flaws(m, out);
}

/* Below the rows of a point: what their last column is about. */
static void print_remarks(const struct noise_metric *m, FILE *out)
{
	const char *name = m->series->metric, *unit = m->series->unit;
	char low[UNIT_LEN], high[UNIT_LEN];

	if (m->flaws & NOISE_DRIFTS)
		fprintf(out, "  %s: %+.1f%% from first to last (p %.2g)\n",
			name, 100 * m->trend.slope * (m->nr - 1) / m->median,
			m->trend.p);
	if (m->flaws & NOISE_CLUSTERS)
		fprintf(out, "  %s: neighbours resemble each other (p %.2g)\n",
			name, m->neighbours);
	if (m->flaws & NOISE_TWO_LEVELS)
		fprintf(out, "  %s: %zu about %s, %zu about %s\n", name,
			m->levels.nr_low,
			report_value(low, unit, m->levels.low),
			m->nr - m->levels.nr_low,
			report_value(high, unit, m->levels.high));
	if (m->flaws & NOISE_OUTLIERS)
		fprintf(out, "  %s: %zu of %zu are outliers\n", name,
			m->outliers, m->nr);
}

static bool is_same_point(const struct series *a, const struct series *b)
{
	return strcmp(a->bench, b->bench) == 0 && a->vcpus == b->vcpus &&
	       a->bytes == b->bytes;
}

static void print_point(const struct noise *n, size_t first, size_t end,
			FILE *out)
{
	char *point = report_point(n->metrics[first].series);
	size_t i;

	fprintf(out, "\n%s\n%-*s %9s %6s", point, NAME_WIDTH, "metric",
		"median", "spread");
	for (i = 0; i < NOISE_SIZES; i++)
		fprintf(out, "   N=%-2zu", noise_sizes[i]);
	fputs("  over time\n", out);
	for (i = first; i < end; i++)
		print_row(&n->metrics[i], out);
	for (i = first; i < end; i++)
		print_remarks(&n->metrics[i], out);
	free(point);
}

static void print_metrics(const struct noise *n, FILE *out)
{
	size_t first, end;

	for (first = 0; first < n->nr; first = end) {
		for (end = first + 1;
		     end < n->nr && is_same_point(n->metrics[first].series,
						  n->metrics[end].series);)
			end++;
		print_point(n, first, end, out);
	}
}

static void print_verdicts(const struct noise *n, FILE *out)
{
	size_t wrong = n->verdicts[FASTER] + n->verdicts[SLOWER];

	fprintf(out,
		"\nN=: the smallest change that N runs a side show four times "
		"in five, all %zu\nfigures together, at alpha %g. Compared "
		"with itself in turn: %zu same, %zu can't\ntell, %zu faster or "
		"slower%s\n",
		n->nr_judged, n->rule.alpha, n->verdicts[SAME],
		n->verdicts[CANNOT_TELL], wrong,
		wrong ? ", which is a false alarm: expect more." : ".");
}

void noise_text(const struct noise *n, FILE *out)
{
	fprintf(out, "%s\n%zu invocations in %.1f s\n", n->what, n->invocations,
		n->seconds);
	print_metrics(n, out);
	print_verdicts(n, out);
	fputs("\nMeanwhile:\n", out);
	disturbances_print(n->meanwhile, n->nr_meanwhile, out);
	fputs("\nThis host:\n", out);
	disturbances_print(n->settings, n->nr_settings, out);
}

static void metric_json(const struct noise_metric *m, struct json *j)
{
	size_t i;

	json_object_begin(j, NULL);
	json_text(j, "bench", m->series->bench);
	json_u64(j, "vcpus", m->series->vcpus);
	json_u64(j, "bytes", m->series->bytes);
	json_text(j, "metric", m->series->metric);
	json_text(j, "unit", m->series->unit);
	json_array_begin(j, "values");
	for (i = 0; i < m->nr; i++)
		json_double(j, NULL, m->values[i]);
	json_array_end(j);
	json_double(j, "median", m->median);
	json_double(j, "spread", m->spread);
	json_array_begin(j, "detectable");
	for (i = 0; i < NOISE_SIZES; i++) {
		json_object_begin(j, NULL);
		json_u64(j, "runs", noise_sizes[i]);
		json_double(j, "change", m->detectable[i]);
		json_object_end(j);
	}
	json_array_end(j);
	json_array_begin(j, "flaws");
	for (i = 0; i < ARRAY_SIZE(flaws); i++)
		if (m->flaws & flaws[i].flaw)
			json_text(j, NULL, flaws[i].name);
	json_array_end(j);
	json_double(j, "slope", m->trend.slope);
	json_double(j, "p_trend", m->trend.p);
	json_double(j, "p_neighbours", m->neighbours);
	json_double(j, "p_levels", m->levels.p);
	json_u64(j, "outliers", m->outliers);
	json_object_end(j);
}

void noise_json(const struct noise *n, FILE *out)
{
	struct json j;
	size_t i;

	json_init(&j, out);
	json_object_begin(&j, NULL);
	json_text(&j, "schema", "kvmeter-noise/1");
	json_text(&j, "measured", n->what);
	json_u64(&j, "invocations", n->invocations);
	json_double(&j, "seconds", n->seconds);
	json_double(&j, "alpha", n->rule.alpha);
	json_double(&j, "threshold", n->rule.threshold);
	json_array_begin(&j, "metrics");
	for (i = 0; i < n->nr; i++)
		metric_json(&n->metrics[i], &j);
	json_array_end(&j);
	json_object_begin(&j, "with_itself");
	for (i = CANNOT_TELL; i <= SLOWER; i++)
		json_u64(&j, judgement_name(i), n->verdicts[i]);
	json_object_end(&j);
	disturbances_json(n->meanwhile, n->nr_meanwhile, "meanwhile", &j);
	disturbances_json(n->settings, n->nr_settings, "host", &j);
	json_object_end(&j);
}
