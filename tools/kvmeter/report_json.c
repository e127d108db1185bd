/* SPDX-License-Identifier: GPL-2.0-only */
/* doc/statistics.md says what the members mean. */
#include <math.h>
#include <stdlib.h>
#include "compare.h"
#include "escape.h"
#include "foreign.h"
#include "util.h"

/* What is no finite number is null. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static void append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		die("the comparison cannot be written as JSON");
}

static json_t *side_of(const struct report *r, size_t index)
{
	const struct side *s = &r->sides[index];
	const char name[] = { (char)('A' + index), '\0' };
	json_t *files = json_array();
	size_t i;

	for (i = 0; i < s->nr_files; i++)
		append(files, foreign_text(s->files[i]->path));
	return json_pack("{s:s, s:o, s:I, s:o}", "name", name, "operand",
			 foreign_text(s->operand), "boots",
			 (json_int_t)side_boots(s), "files", files);
}

static json_t *differences_of(const struct pair *pair)
{
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < pair->differences.nr; i++) {
		const struct difference *d = &pair->differences.list[i];

		append(all, json_pack("{s:s, s:s, s:s}", "what", d->what,
				      "before", d->before, "after", d->after));
	}
	return all;
}

static json_t *half_of(const double *values, size_t nr, double median)
{
	return json_pack("{s:I, s:f, s:I}", "values", (json_int_t)nr, "median",
			 median, "outliers",
			 (json_int_t)report_outliers(values, nr));
}

static json_t *interval_of(const struct comparison *c)
{
	if (!c->has_interval)
		return json_null();
	return json_pack("[o, o]", number(c->low), number(c->high));
}

static json_t *comparison_of(const struct series *s, const struct comparison *c)
{
	bool judged = c->judgement != NOT_JUDGED;
	json_t *j = json_pack("{s:s, s:I, s:I, s:s, s:s, s:s?}", "bench",
			      s->bench, "vcpus", (json_int_t)s->vcpus, "bytes",
			      (json_int_t)s->bytes, "metric", s->metric, "unit",
			      s->unit, "better", better_name(c->better));

	if (*s->variant)
		json_object_set_new(j, "variant", json_string(s->variant));
	json_object_set_new(j, "before",
			    half_of(c->before, c->nr_before, c->median_before));
	json_object_set_new(j, "after",
			    half_of(c->after, c->nr_after, c->median_after));
	json_object_set_new(j, "change", number(c->change));
	json_object_set_new(j, "interval", interval_of(c));
	json_object_set_new(j, "p", judged ? number(c->p) : json_null());
	json_object_set_new(j, "p_adjusted",
			    judged ? number(c->p_adjusted) : json_null());
	json_object_set_new(j, "verdict",
			    judged ? json_string(judgement_name(c->judgement)) :
				     json_null());
	json_object_set_new(j, "detectable",
			    c->detectable > 0 ? number(c->detectable) :
						json_null());
	return j;
}

static json_t *pair_of(const struct pair *pair)
{
	const char before[] = { pair->name_before, '\0' };
	const char after[] = { pair->name_after, '\0' };
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < pair->nr; i++)
		append(all,
		       comparison_of(pair->series[i], &pair->comparisons[i]));
	return json_pack("{s:s, s:s, s:o, s:o}", "before", before, "after",
			 after, "differences", differences_of(pair),
			 "comparisons", all);
}

void report_json(const struct report *r, FILE *out)
{
	json_t *sides = json_array(), *warnings = json_array();
	json_t *pairs = json_array(), *j;
	char unit[16];
	char *text;
	size_t i;

	for (i = 0; i < r->nr_sides; i++)
		append(sides, side_of(r, i));
	for (i = 0; i < r->nr_warnings; i++)
		append(warnings, foreign_text(r->warnings[i]));
	for (i = 0; i < r->nr_pairs; i++)
		append(pairs, pair_of(&r->pairs[i]));
	snprintf(unit, sizeof(unit), "%ss", report_unit_name(r->unit));
	j = json_pack("{s:s, s:s, s:s, s:f, s:f, s:o, s:o, s:o}", "schema",
		      "kvmeter-compare/1", "values_are", unit, "method",
		      r->method == JUDGED_JOINTLY ? "joint" : "ranks", "alpha",
		      r->rule.alpha, "threshold", r->rule.threshold, "sides",
		      sides, "warnings", warnings, "pairs", pairs);
	text = j ? json_dumps(j, JSON_INDENT(2)) : NULL;
	if (!text)
		die("the comparison cannot be written as JSON");
	escape_json(text, out);
	fputc('\n', out);
	free(text);
	json_decref(j);
}
