/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "escape.h"
#include "foreign.h"
#include "input.h"
#include "spread.h"
#include "util.h"

/* Nobody reads more, and a file may have any number. */
#define PROBLEMS_MAX 50

void problem(struct problems *p, const char *fmt, ...)
{
	char *line, *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	if (p->nr++ >= PROBLEMS_MAX) {
		free(line);
		return;
	}
	if (p->nr == PROBLEMS_MAX) {
		free(line);
		line = xstrdup("and more");
	}
	for (char *c = line; *c; c++)
		if (*c == '\n')
			*c = ' ';
	text = p->text ? xasprintf("%s\n%s", p->text, line) : xstrdup(line);
	free(p->text);
	free(line);
	p->text = text;
}

/* All of them, to be freed; NULL if they are no samples. */
static double *read_samples(const json_t *samples)
{
	size_t nr = json_array_size(samples), i;
	double *v = xcalloc(nr, sizeof(*v));

	for (i = 0; i < nr; i++) {
		const json_t *sample = json_array_get(samples, i);

		if (!json_is_integer(sample) || json_integer_value(sample) < 0)
			break;
		v[i] = json_integer_value(sample);
	}
	if (i == nr)
		return v;
	free(v);
	return NULL;
}

/* How many runs there are, by either member; 0 if that makes no sense. */
static size_t count_runs(const json_t *metric, size_t nr_samples)
{
	const json_t *of_runs = json_object_get(metric, "samples_of_runs");
	json_int_t per_run =
		json_integer_value(json_object_get(metric, "samples_per_run"));
	const json_t *count;
	size_t i;

	if (!of_runs)
		return per_run > 0 && nr_samples % per_run == 0 ?
			       nr_samples / per_run :
			       0;
	json_array_foreach(of_runs, i, count)
	{
		json_int_t nr = json_integer_value(count);

		if (nr <= 0 || (u64)nr > nr_samples)
			return 0;
		nr_samples -= nr;
	}
	return json_array_size(of_runs);
}

/* Sets the values to the medians of runs. False if that cannot be done. */
static bool read_runs(struct series *s, const json_t *metric)
{
	const json_t *samples = json_object_get(metric, "samples");
	const json_t *of_runs = json_object_get(metric, "samples_of_runs");
	size_t nr = json_array_size(samples), at = 0, run, of_run;
	double *v;

	s->nr = count_runs(metric, nr);
	if (!s->nr || s->nr > FOREIGN_SAMPLES_MAX)
		return false;
	v = read_samples(samples);
	if (!v)
		return false;
	s->values = xcalloc(s->nr, sizeof(*s->values));
	for (run = 0; run < s->nr; run++) {
		of_run = of_runs ? (size_t)json_integer_value(
					   json_array_get(of_runs, run)) :
				   nr / s->nr;
		s->values[run] = median_of(v + at, of_run);
		at += of_run;
	}
	free(v);
	return true;
}

static bool read_better(enum better *better, const json_t *metric)
{
	const json_t *value = json_object_get(metric, "better");
	const char *text = json_string_value(value);

	if (!text) {
		*better = BETTER_NEITHER;
		return json_is_null(value);
	}
	*better = strcmp(text, "higher") == 0 ? BETTER_HIGHER : BETTER_LOWER;
	return true;
}

static bool read_name(struct series *s, const json_t *metric)
{
	s->metric = json_string_value(json_object_get(metric, "name"));
	return s->metric && !escape_needed(s->metric);
}

static bool read_metric(struct series *s, const json_t *metric)
{
	s->unit = json_string_value(json_object_get(metric, "unit"));
	return read_name(s, metric) && s->unit && !escape_needed(s->unit) &&
	       read_better(&s->better, metric) && read_runs(s, metric);
}

/* Nothing tells which of its samples are of one run. */
static bool is_partial(const json_t *metric)
{
	return json_is_object(metric) &&
	       !json_object_get(metric, "samples_per_run") &&
	       !json_object_get(metric, "samples_of_runs");
}

const char *input_variant(const json_t *config)
{
	char *text = xstrdup(""), *longer;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)config, key, value)
	{
		if (!json_is_string(value))
			continue;
		longer = xasprintf("%s%s%s=%s", text, *text ? " " : "", key,
				   json_string_value(value));
		free(text);
		text = longer;
	}
	return text;
}

static void add_series(struct series **list, size_t *nr, const struct series *s)
{
	*list = xrealloc(*list, *nr + 1, sizeof(**list));
	(*list)[(*nr)++] = *s;
}

static void read_point(struct results *r, const json_t *point,
		       struct problems *p)
{
	const json_t *config = json_object_get(point, "config");
	const json_t *vcpus = json_object_get(config, "vcpus");
	const json_t *bytes = json_object_get(config, "bytes");
	const json_t *metrics = json_object_get(point, "metrics"), *metric;
	size_t before = r->nr_series + r->nr_partial, i;
	const char *variant;

	if (json_integer_value(vcpus) < 1 || json_integer_value(bytes) < 1 ||
	    !json_is_array(metrics)) {
		problem(p, "%s: a point without config or metrics", r->path);
		return;
	}
	variant = input_variant(config);
	if (escape_needed(variant)) {
		problem(p, "%s: a point whose config is no text", r->path);
		free((char *)variant);
		return;
	}
	json_array_foreach(metrics, i, metric)
	{
		struct series s = {
			.bench = r->bench,
			.variant = variant,
			.vcpus = json_integer_value(vcpus),
			.bytes = json_integer_value(bytes),
			.json = metric,
		};

		if (r->nr_series + r->nr_partial == FOREIGN_METRICS_MAX) {
			problem(p, "%s: more than %d metrics", r->path,
				FOREIGN_METRICS_MAX);
			break;
		}
		if (is_partial(metric) && read_name(&s, metric)) {
			add_series(&r->partial, &r->nr_partial, &s);
			continue;
		}
		if (!read_metric(&s, metric)) {
			problem(p, "%s: metric %zu of a point makes no sense",
				r->path, i + 1);
			continue;
		}
		add_series(&r->series, &r->nr_series, &s);
	}
	if (r->nr_series + r->nr_partial == before)
		free((char *)variant);
}

/* The first check that is not ok; NULL: there is none. */
static const char *failed_check(const json_t *points)
{
	const json_t *point, *check;
	size_t i, k;

	json_array_foreach(points, i, point)
	{
		json_array_foreach(json_object_get(point, "checks"), k, check)
		{
			const char *result = json_string_value(
				json_object_get(check, "result"));

			if (result && strcmp(result, "not ok") == 0)
				return json_string_value(
					json_object_get(check, "name"));
		}
	}
	return NULL;
}

static void refuse_failed(const struct results *r, const json_t *points,
			  enum input_failed failed, struct problems *p)
{
	const char *verdict =
		json_string_value(json_object_get(r->root, "verdict"));
	const char *reason =
		json_string_value(json_object_get(r->root, "reason"));
	const char *check = failed_check(points);
	const char *remedy = failed == INPUT_FAILED_FINAL ?
				     "" :
				     " (--failed takes it all the same)";

	if (check)
		problem(p, "%s: not ok: %s%s", r->path, check, remedy);
	else if (verdict && strcmp(verdict, "fail") == 0)
		problem(p, "%s: failed: %s%s", r->path,
			reason ? reason : "its checks say why", remedy);
}

/* False, with a problem, unless the members that we use are there. */
static bool read_head(struct results *r, struct problems *p)
{
	const json_t *host = json_object_get(r->root, "host");
	const char *schema =
		json_string_value(json_object_get(r->root, "schema"));

	if (!r->root)
		return false;
	if (!schema || strncmp(schema, "kvmeter/", 8) != 0) {
		problem(p, "%s: not a results file of kvmeter", r->path);
		return false;
	}
	if (strcmp(schema, "kvmeter/1") != 0) {
		problem(p, "%s: %s: this kvmeter reads kvmeter/1", r->path,
			schema);
		return false;
	}
	r->bench = json_string_value(json_object_get(r->root, "bench"));
	r->started = json_string_value(json_object_get(r->root, "started"));
	r->boot = json_string_value(json_object_get(r->root, "boot_id"));
	r->kernel = json_string_value(json_object_get(host, "kernel"));
	if (!r->bench || !r->started || !json_is_object(host) ||
	    !json_is_object(json_object_get(r->root, "config")) ||
	    !json_is_array(json_object_get(r->root, "points")) ||
	    !json_is_string(json_object_get(r->root, "verdict")) ||
	    escape_needed(r->bench)) {
		problem(p,
			"%s: members of kvmeter/1 are missing or make no sense",
			r->path);
		return false;
	}
	return true;
}

struct results *input_take(json_t *root, const char *path,
			   enum input_failed failed, struct problems *p)
{
	struct results *r = xcalloc(1, sizeof(*r));
	const json_t *points, *point;
	size_t i;

	r->path = xstrdup(path);
	r->root = root;
	if (!read_head(r, p))
		return r;
	points = json_object_get(r->root, "points");
	if (failed == INPUT_FAILED_REFUSED || failed == INPUT_FAILED_FINAL)
		refuse_failed(r, points, failed, p);
	json_array_foreach(points, i, point) read_point(r, point, p);
	if (!r->nr_series && failed != INPUT_ALL_TAKEN)
		problem(p, "%s: nothing was measured: %s", path,
			json_string_value(json_object_get(r->root, "verdict")));
	return r;
}

struct results *input_read(const char *path, enum input_failed failed,
			   struct problems *p)
{
	char *why;
	json_t *root = foreign_read(path, &why);

	if (!root) {
		problem(p, "%s", why);
		free(why);
	}
	return input_take(root, path, failed, p);
}
