/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <unistd.h>

#include "kvm_ioctl.h"
#include "report.h"
#include "stats.h"
#include "util.h"
#include "variants.h"

static const struct u64_list *named(const struct session *s)
{
	const char *config = s->config;
	const void *member = config + s->bench->variants->offset;

	return member;
}

unsigned int variants_count(const struct session *s)
{
	const struct bench_variants *v = s->bench->variants;
	unsigned int nr = 0;

	if (v && named(s)->nr)
		return named(s)->nr;
	while (v && v->names[nr])
		nr++;
	return v ? nr : 1;
}

unsigned int variants_get(const struct session *s, unsigned int index)
{
	return s->bench->variants && named(s)->nr ? named(s)->v[index] : index;
}

static void leave_out(struct session *s, unsigned int variant, const char *why)
{
	const struct bench_variants *v = s->bench->variants;
	char *text = xasprintf("%s%swithout %s=%s: %s",
			       s->left_out ? s->left_out : "",
			       s->left_out ? "\n" : "", v->key,
			       v->names[variant], why);

	free(s->left_out);
	s->left_out = text;
	points_drop_variant(s, variant);
}

void variants_require(struct session *s)
{
	const struct bench_variants *v = s->bench->variants;
	int kvm_fd;

	if (!v || !v->missing)
		return;
	kvm_fd = kvm_open();
	for (unsigned int i = 0; i < variants_count(s); i++) {
		unsigned int variant = variants_get(s, i);
		const char *why = v->missing(kvm_fd, variant);

		if (why && named(s)->nr)
			skip("%s=%s: %s", v->key, v->names[variant], why);
		if (why)
			leave_out(s, variant, why);
	}
	close(kvm_fd);
	if (!s->nr_points)
		skip("%s", s->left_out);
}

/* Points that differ in nothing but the variant follow each other. */
static unsigned int group_size(const struct session *s, unsigned int first)
{
	const struct point *p = &s->points[first];
	unsigned int nr = 1;

	while (first + nr < s->nr_points && p[nr].vcpus == p->vcpus &&
	       p[nr].bytes == p->bytes)
		nr++;
	return nr;
}

static bool median_of_metric(const struct point *p, unsigned int metric,
			     double *median)
{
	const struct series *s = &p->series[metric];

	if (!s->nr_runs)
		return false;
	*median = stats_summary(s->run_medians, s->nr_runs).median;
	return true;
}

/* A ratio has its place before the next column; no line ends in blanks. */
static void print_words(FILE *text, const char *word, const char *ratio,
			bool is_last)
{
	fprintf(text, " %12s", word);
	if (!is_last || *ratio)
		fprintf(text, " %7s", ratio);
}

/* "142.1 ms x0.51", or "-". */
static void print_cell(const struct session *s, const struct point *first,
		       unsigned int i, unsigned int nr, unsigned int metric)
{
	char value[UNIT_LEN] = "-", ratio[UNIT_LEN] = "";
	double median, base;

	if (median_of_metric(&first[i], metric, &median)) {
		metric_format(value, s->bench->metrics[metric].unit, median);
		if (i && median_of_metric(first, metric, &base) && base > 0)
			snprintf(ratio, sizeof(ratio), "x%.2f", median / base);
	}
	print_words(s->text, value, ratio, i + 1 == nr);
}

static bool is_measured(const struct point *p, unsigned int nr,
			unsigned int metric)
{
	double median;

	while (nr--)
		if (median_of_metric(&p[nr], metric, &median))
			return true;
	return false;
}

static void print_group(const struct session *s, const struct point *p,
			unsigned int nr)
{
	char size[UNIT_LEN];

	fprintf(s->text,
		"#\n# vcpus=%llu bytes=%s: medians side by side, and their "
		"ratios to %s\n# %-16s",
		(unsigned long long)p->vcpus, format_size(size, p->bytes),
		point_variant(s, p), s->bench->variants->key);
	for (unsigned int i = 0; i < nr; i++)
		print_words(s->text, point_variant(s, &p[i]), "", i + 1 == nr);
	fputc('\n', s->text);
	for (unsigned int m = 0; m < s->nr_metrics; m++) {
		if (!is_measured(p, nr, m))
			continue;
		fprintf(s->text, "# %-16s", s->bench->metrics[m].name);
		for (unsigned int i = 0; i < nr; i++)
			print_cell(s, p, i, nr, m);
		fputc('\n', s->text);
	}
}

void variants_report(struct session *s)
{
	unsigned int nr;

	if (!s->bench->variants || s->common->quiet)
		return;
	for (unsigned int i = 0; i < s->nr_points; i += nr) {
		nr = group_size(s, i);
		if (nr > 1)
			print_group(s, &s->points[i], nr);
	}
	report_flush(s);
}
