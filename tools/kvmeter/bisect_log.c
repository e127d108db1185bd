/* SPDX-License-Identifier: GPL-2.0-only */
/* What the steps of a bisection have found: a line of JSON each. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "bisect.h"
#include "compare.h"
#include "foreign.h"
#include "outfile.h"
#include "remedy.h"
#include "units.h"
#include "util.h"

#define COMMIT_WIDTH 12
#define VERDICT_WIDTH 10

const char *step_verdict(enum step_code code)
{
	switch (code) {
	case STEP_GOOD:
		return "good";
	case STEP_BAD:
		return "bad";
	default:
		return "can't tell";
	}
}

/* Bad is a commit by one figure; good, or open, by the one that is least so. */
size_t step_decisive(const struct step *s)
{
	const struct threshold_figure *v = s->values;
	size_t best = 0, i;

	for (i = 1; i < s->of->nr_figures; i++)
		if (s->code == STEP_BAD ? v[i].p_bad < v[best].p_bad :
					  v[i].p_good > v[best].p_good)
			best = i;
	return best;
}

/* ---- writing ---- */

static json_t *number(bool known, double value)
{
	return known && isfinite(value) ? json_real(value) : json_null();
}

static json_t *figure_json(const struct bisect_figure *f,
			   const struct threshold_figure *v)
{
	json_t *j = bisect_figure_json(f);

	json_object_set_new(j, "good", json_real(bisect_good(f)));
	json_object_set_new(j, "change", number(true, v->change));
	json_object_set_new(j, "low", number(v->has_interval, v->low));
	json_object_set_new(j, "high", number(v->has_interval, v->high));
	json_object_set_new(j, "p_good", json_real(v->p_good));
	json_object_set_new(j, "p_bad", json_real(v->p_bad));
	return j;
}

static json_t *figures_json(const struct step *s)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; s->runs && i < s->of->nr_figures; i++)
		json_array_append_new(list, figure_json(&s->of->figures[i],
							&s->values[i]));
	return list;
}

/* A subject may be in any encoding. */
static json_t *text_json(const char *text)
{
	return text ? foreign_text(text) : json_null();
}

static json_t *step_json(const struct step *s)
{
	json_t *j = json_object();
	time_t now = time(NULL);
	char text[32];
	struct tm tm;

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	json_object_set_new(j, "time", json_string(text));
	json_object_set_new(j, "commit", json_string(s->commit));
	json_object_set_new(j, "subject", text_json(s->subject));
	json_object_set_new(j, "verdict", json_string(step_verdict(s->code)));
	json_object_set_new(j, "reason", text_json(s->reason));
	json_object_set_new(j, "invocations", json_integer(s->invocations));
	json_object_set_new(j, "runs", json_integer(s->runs));
	if (s->runs)
		json_object_set_new(j, "decisive",
				    json_integer(step_decisive(s)));
	json_object_set_new(j, "figures", figures_json(s));
	return j;
}

void log_append(const char *path, const struct step *s)
{
	json_t *json = step_json(s);
	char *text = json_dumps(json, JSON_COMPACT);
	int fd = outfile_append(path);
	int open_error = errno, error;
	char *line;

	if (!text)
		step_abort("%s: the step cannot be written as JSON", path);
	line = xasprintf("%s\n", text);
	error = fd < 0 ? open_error : write_all(fd, line, strlen(line));
	/* after EINTR it is closed: close(2) */
	if (!error && close(fd) && errno != EINTR)
		error = errno;
	if (error)
		step_abort("%s: %s%s", path, outfile_error(error),
			   file_remedy(error));
	free(line);
	free(text);
	json_decref(json);
}

/* ---- reading ---- */

static double member(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

static const char *text_member(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

/* "create +781.8% (+700.0..+900.0%)" of the figure that was decisive. */
static char *figure_text(const json_t *step)
{
	/* no number, or one out of range: there is no such figure */
	const json_t *f = json_array_get(
		json_object_get(step, "figures"),
		json_integer_value(json_object_get(step, "decisive")));
	struct comparison c = {
		.has_interval = json_is_real(json_object_get(f, "low")) &&
				json_is_real(json_object_get(f, "high")),
		.low = member(f, "low"),
		.high = member(f, "high"),
	};
	char change[UNIT_LEN], interval[UNIT_LEN];

	if (!f)
		return xstrdup("");
	return xasprintf("%s %s (%s)", text_member(f, "metric"),
			 report_change(change, member(f, "change")),
			 report_interval(interval, &c));
}

static void print_step(const json_t *step, FILE *out)
{
	char *figure = figure_text(step), *label, *text;
	const char *reason = text_member(step, "reason");
	const char *subject = text_member(step, "subject");

	label = xasprintf("%-*.*s  %-*s  ", COMMIT_WIDTH, COMMIT_WIDTH,
			  text_member(step, "commit"), VERDICT_WIDTH,
			  text_member(step, "verdict"));
	text = xasprintf("%s%s%s%s%s", figure, *figure && *reason ? "; " : "",
			 reason, *subject ? "; " : "", subject);
	report_filled(out, label, text);
	free(text);
	free(label);
	free(figure);
}

/* Of one step, a line: a device may give bytes without an end. */
#define STEP_BYTES_MAX KIB(256)

/* All steps, or an end that has printed nothing yet. */
static json_t *read_steps(const char *path)
{
	static json_t *steps; /* seen until the process has ended */
	static char *line;
	FILE *in = fopen(path, "re");

	if (!in)
		end(EXIT_USAGE, "%s: %s", path, errno_text(errno));
	steps = json_array();
	line = xcalloc(1, STEP_BYTES_MAX);
	while (fgets(line, STEP_BYTES_MAX, in))
		if (json_array_append_new(steps, json_loads(line, 0, NULL)))
			end(EXIT_USAGE, "%s:%zu: not a step of kvmeter bisect",
			    path, json_array_size(steps) + 1);
	free(line);
	fclose(in);
	return steps;
}

void log_print(const char *path, FILE *out)
{
	json_t *steps = read_steps(path), *step;
	size_t i;

	fprintf(out, "%-*s  %-*s  change (95%% interval); subject\n",
		COMMIT_WIDTH, "commit", VERDICT_WIDTH, "verdict");
	json_array_foreach(steps, i, step) print_step(step, out);
	json_decref(steps);
}
