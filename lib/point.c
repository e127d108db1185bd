/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "point.h"
#include "util.h"
#include "variants.h"

bool point_passed(const struct session *s, const struct point *p)
{
	for (unsigned int i = 0; i < s->nr_checks; i++)
		if (!check_passes(&p->checks[i], s->common->strict))
			return false;
	return true;
}

const char *point_variant(const struct session *s, const struct point *p)
{
	const struct bench_variants *v = s->bench->variants;

	return v ? v->names[p->variant] : NULL;
}

char *point_label(const struct session *s, const struct point *p)
{
	const char *variant = point_variant(s, p);
	char size[UNIT_LEN];

	return xasprintf("vcpus=%llu bytes=%s%s%s%s%s",
			 (unsigned long long)p->vcpus,
			 format_size(size, p->bytes), variant ? " " : "",
			 variant ? s->bench->variants->key : "",
			 variant ? "=" : "", variant ? variant : "");
}

static void init_point(const struct session *s, struct point *p)
{
	p->series = xcalloc(s->nr_metrics, sizeof(*p->series));
	p->checks = xcalloc(s->nr_checks, sizeof(*p->checks));
	for (unsigned int i = 0; i < s->nr_metrics; i++)
		if (s->bench->metrics[i].kind & METRIC_TAIL)
			series_keep_tail(&p->series[i]);
}

void points_init(struct session *s)
{
	const struct bench_config *c = s->common;
	unsigned int variants = variants_count(s);
	size_t nr = (size_t)c->vcpus.nr * c->bytes.nr * variants;

	s->points = xcalloc(nr, sizeof(*s->points));
	for (s->nr_points = 0; s->nr_points < nr; s->nr_points++) {
		struct point *p = &s->points[s->nr_points];
		size_t i = s->nr_points;

		p->variant = variants_get(s, i % variants);
		i /= variants;
		p->bytes = c->bytes.v[i % c->bytes.nr];
		p->vcpus = c->vcpus.v[i / c->bytes.nr];
		init_point(s, p);
	}
}

static void fini_point(const struct session *s, struct point *p)
{
	for (unsigned int k = 0; k < s->nr_metrics; k++)
		series_fini(&p->series[k]);
	for (unsigned int k = 0; k < s->nr_checks; k++)
		free(p->checks[k].detail);
	for (unsigned int k = 0; k < p->nr_notes; k++)
		free(p->notes[k]);
	free(p->series);
	free(p->checks);
	free(p->notes);
}

void points_drop_variant(struct session *s, unsigned int variant)
{
	unsigned int nr = s->nr_points;

	s->nr_points = 0;
	for (unsigned int i = 0; i < nr; i++) {
		if (s->points[i].variant == variant)
			fini_point(s, &s->points[i]);
		else
			s->points[s->nr_points++] = s->points[i];
	}
}

void points_fini(struct session *s)
{
	for (unsigned int i = 0; i < s->nr_points; i++)
		fini_point(s, &s->points[i]);
	free(s->points);
	free(s->left_out);
}
