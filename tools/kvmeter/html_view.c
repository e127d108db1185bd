/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "html_view.h"
#include "spread.h"
#include "stats.h"
#include "units.h"
#include "util.h"

static void add_bench(struct view *v, const char *bench)
{
	size_t i;

	for (i = 0; i < v->nr_benches; i++)
		if (strcmp(v->benches[i], bench) == 0)
			return;
	v->benches =
		xrealloc(v->benches, v->nr_benches + 1, sizeof(*v->benches));
	v->benches[v->nr_benches++] = bench;
}

bool view_same_point(const struct view_point *a, const struct view_point *b)
{
	return strcmp(a->bench, b->bench) == 0 && a->vcpus == b->vcpus &&
	       a->bytes == b->bytes && strcmp(a->variant, b->variant) == 0;
}

static void add_point(struct view *v, const struct series *s)
{
	struct view_point point = { s->bench, s->vcpus, s->bytes, s->variant };
	size_t i;

	for (i = 0; i < v->nr_points; i++)
		if (view_same_point(&v->points[i], &point))
			return;
	v->points = xrealloc(v->points, v->nr_points + 1, sizeof(*v->points));
	v->points[v->nr_points++] = point;
}

static void add_metric(struct view *v, const struct series *s,
		       struct problems *p)
{
	size_t i;

	for (i = 0; i < v->nr_metrics; i++) {
		struct view_metric *m = &v->metrics[i];
		struct series known = { .unit = m->unit, .better = m->better };

		if (strcmp(m->bench, s->bench) || strcmp(m->name, s->metric))
			continue;
		if (!series_agree(&known, s))
			problem(p, "%s has several units: %s and %s", m->name,
				m->unit, s->unit);
		m->better = series_better(&known, s);
		return;
	}
	v->metrics =
		xrealloc(v->metrics, v->nr_metrics + 1, sizeof(*v->metrics));
	v->metrics[v->nr_metrics++] =
		(struct view_metric){ s->bench, s->metric, s->unit, s->better };
}

static void collect(struct view *v, const struct side *side, struct problems *p)
{
	size_t i;

	for (i = 0; i < side->nr_files; i++)
		if (side->files[i]->bench)
			add_bench(v, side->files[i]->bench);
	for (i = 0; i < side->nr_series; i++) {
		add_point(v, &side->series[i]);
		add_metric(v, &side->series[i], p);
	}
}

static struct report report_of(const struct view *v,
			       enum report_against against)
{
	return (struct report){
		.rule = { .alpha = JUDGE_ALPHA, .threshold = JUDGE_THRESHOLD },
		.against = against,
		.may_be_unlike = true,
		.nr_sides = v->nr_sides,
		.sides = v->sides,
	};
}

void view_build(struct view *v, struct side *sides, size_t nr,
		struct problems *p)
{
	struct problems same = { 0, NULL };
	size_t i;

	*v = (struct view){ .nr_sides = nr, .sides = sides };
	for (i = 0; i < nr; i++)
		collect(v, &sides[i], p);
	if (!v->nr_metrics && !p->nr)
		problem(p, "nothing was measured in any of the files");
	v->first = report_of(v, AGAINST_FIRST);
	v->previous = report_of(v, AGAINST_PREVIOUS);
	if (p->nr)
		return;
	report_build(&v->first, NULL, p);
	if (nr > 2)
		report_build(&v->previous, NULL, &same);
}

const struct series *view_series(const struct view *v, size_t side,
				 const struct view_point *point,
				 const struct view_metric *metric)
{
	struct series like = {
		.bench = point->bench,
		.vcpus = point->vcpus,
		.bytes = point->bytes,
		.variant = point->variant,
		.metric = metric->name,
	};

	if (strcmp(point->bench, metric->bench) != 0)
		return NULL;
	return side_find(&v->sides[side], &like);
}

static void add_samples(struct view_value *value, const json_t *metric)
{
	const json_t *sample;
	size_t i;

	json_array_foreach(json_object_get(metric, "samples"), i, sample)
	{
		double d = json_integer_value(sample);

		value->min = fmin(value->min, d);
		value->max = fmax(value->max, d);
	}
}

/* Of all files, if they agree. */
static u64 number_of_all(const struct series *s, const char *key)
{
	json_int_t first =
		json_integer_value(json_object_get(s->file_json[0], key));
	size_t i;

	for (i = 1; i < s->nr_files; i++)
		if (json_integer_value(json_object_get(s->file_json[i], key)) !=
		    first)
			return 0;
	return first > 0 ? first : 0;
}

struct view_value view_value(const struct series *s)
{
	struct view_value value = { .runs = s->nr,
				    .min = INFINITY,
				    .max = -INFINITY };
	double *sorted = xcalloc(s->nr, sizeof(*sorted));
	size_t rank = stats_ci_rank(s->nr), i;

	memcpy(sorted, s->values, s->nr * sizeof(*sorted));
	sort_doubles(sorted, s->nr);
	value.median = median_of_sorted(sorted, s->nr);
	value.has_interval = rank > 0;
	if (rank) {
		value.low = sorted[rank - 1];
		value.high = sorted[s->nr - rank];
	}
	free(sorted);
	for (i = 0; i < s->nr_files; i++)
		add_samples(&value, s->file_json[i]);
	value.pages = number_of_all(s, "accesses");
	value.work = number_of_all(s, "thread_accesses");
	return value;
}

const struct comparison *view_comparison(const struct report *r, size_t side,
					 const struct series *before)
{
	const struct pair *pair;
	size_t i;

	if (!r->pairs || side == 0 || side > r->nr_pairs)
		return NULL;
	pair = &r->pairs[side - 1];
	for (i = 0; i < pair->nr; i++)
		if (pair->series[i] == before)
			return &pair->comparisons[i];
	return NULL;
}

/* What differs among the points of a benchmark. */
struct dimensions {
	bool vcpus, bytes, variant;
};

static struct dimensions dimensions_of(const struct view *v,
				       const struct view_point *point)
{
	struct dimensions d = { false, false, false };
	size_t i;

	for (i = 0; i < v->nr_points; i++) {
		const struct view_point *other = &v->points[i];

		if (strcmp(other->bench, point->bench) != 0)
			continue;
		d.vcpus |= other->vcpus != point->vcpus;
		d.bytes |= other->bytes != point->bytes;
		d.variant |= strcmp(other->variant, point->variant) != 0;
	}
	if (!d.vcpus && !d.bytes && !d.variant)
		d.vcpus = d.bytes = true;
	return d;
}

char *view_point_label(const struct view *v, const struct view_point *point)
{
	struct dimensions d = dimensions_of(v, point);
	const char *variant = strchr(point->variant, '=');
	char size[UNIT_LEN], vcpus[UNIT_LEN] = "";

	if (d.vcpus)
		snprintf(vcpus, sizeof(vcpus), "%llu vCPU%s",
			 (unsigned long long)point->vcpus,
			 point->vcpus == 1 ? "" : "s");
	return xasprintf("%s%s%s%s%s", vcpus, d.vcpus && d.bytes ? ", " : "",
			 d.bytes ? format_size(size, point->bytes) : "",
			 d.variant && (d.vcpus || d.bytes) ? ", " : "",
			 d.variant && variant ? variant + 1 : "");
}

const char *view_kernel(const struct side *s)
{
	const char *kernel = s->files[0]->kernel;
	size_t i;

	if (!kernel)
		return "unknown kernel";
	for (i = 1; i < s->nr_files; i++)
		if (!s->files[i]->kernel ||
		    strcmp(s->files[i]->kernel, kernel) != 0)
			return "several kernels";
	return kernel;
}

size_t view_sides_of(const struct view *v, const char *bench)
{
	size_t nr = 0, i, k;

	for (i = 0; i < v->nr_sides; i++) {
		for (k = 0; k < v->sides[i].nr_series; k++)
			if (strcmp(v->sides[i].series[k].bench, bench) == 0)
				break;
		nr += k < v->sides[i].nr_series;
	}
	return nr;
}

/* To where distributions begin with their own numbers. */
static size_t version_len(const char *kernel)
{
	size_t len = strcspn(kernel, "-+ ");

	/* a candidate is not what has been released */
	if (strncmp(kernel + len, "-rc", 3) == 0)
		len += 3 + strspn(kernel + len + 3, "0123456789");
	return len;
}

static bool is_told_by_version(const struct view *v)
{
	size_t i, k;

	for (i = 0; i < v->nr_sides; i++) {
		const char *a = view_kernel(&v->sides[i]);

		for (k = 0; k < i; k++) {
			const char *b = view_kernel(&v->sides[k]);

			if (strcmp(a, b) != 0 &&
			    version_len(a) == version_len(b) &&
			    strncmp(a, b, version_len(a)) == 0)
				return false;
		}
	}
	return true;
}

char *view_short_kernel(const struct view *v, size_t side, size_t max)
{
	const char *kernel = view_kernel(&v->sides[side]);
	size_t len = is_told_by_version(v) ? version_len(kernel) : max;

	/* words of ours have no version */
	if (len == 0 || !strpbrk(kernel, "0123456789"))
		len = max;
	return xasprintf("%.*s", (int)min_u64(len, max), kernel);
}

bool view_is_single(const struct view *v, const char *bench)
{
	size_t nr = 0, i;

	for (i = 0; i < v->nr_points; i++)
		nr += strcmp(v->points[i].bench, bench) == 0;
	return nr == 1;
}

const char *view_string(const json_t *object, const char *key, const char *none)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : none;
}

char *view_range(const char *unit, double low, double high)
{
	char a[UNIT_LEN], b[UNIT_LEN];
	size_t number, same;

	report_value(a, unit, low);
	report_value(b, unit, high);
	number = strcspn(a, " ");
	same = strcspn(b, " ");
	if (strcmp(a + number, b + same) == 0)
		a[number] = '\0';
	return xasprintf("%s to %s", a, b);
}
