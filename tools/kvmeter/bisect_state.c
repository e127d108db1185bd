/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a bisection as a file, and what is read out of it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bisect.h"
#include "boots.h"
#include "compare.h"
#include "foreign.h"
#include "outfile.h"
#include "remedy.h"
#include "spread.h"
#include "util.h"
#include "words.h"

const char *hook_name(enum hook hook)
{
	static const char *const names[] = {
		[HOOK_BUILD] = "build",
		[HOOK_BOOT] = "boot",
		[HOOK_RUN] = "run",
	};

	return names[hook];
}

double bisect_alpha(const struct bisect *b)
{
	return b->alpha / b->max_runs;
}

double bisect_good(const struct bisect_figure *f)
{
	return median_of(f->good->file_medians, f->good->nr_files);
}

char *bisect_figure_text(const struct bisect_figure *f)
{
	char *point = report_point(f->good);
	char *text = xasprintf("%s of %s", f->good->metric, point);

	free(point);
	return text;
}

const char *bisect_threshold(char *buf, const struct bisect_figure *f)
{
	return report_change(buf, f->factor - 1);
}

static struct threshold_side values_of(const struct series *s, bool by_boots)
{
	struct threshold_side values = { 0 };

	if (!s)
		return values;
	values.runs = s->values;
	values.nr_runs = s->nr;
	values.runs_per_file = s->nr / s->nr_files;
	values.files = by_boots ? series_boots(s)->medians : s->file_medians;
	values.nr_files = by_boots ? series_boots(s)->nr : s->nr_files;
	return values;
}

bool bisect_by_boots(const struct bisect_figure *f)
{
	return series_boots(f->good)->nr > 1;
}

bool bisect_values(const struct bisect *b, const struct bisect_figure *f,
		   const struct side *commit, struct threshold_figure *values)
{
	bool by_boots = bisect_by_boots(f);

	*values = (struct threshold_figure){
		.good = values_of(f->good, by_boots),
		.bad = values_of(side_find(&b->bad, f->good), by_boots),
		.commit = values_of(side_find(commit, f->good), by_boots),
		.factor = f->factor,
	};
	return values->commit.nr_files > 0;
}

/* ---- writing ---- */

static json_t *words_json(char **words)
{
	json_t *list = words ? json_array() : json_null();

	for (; words && *words; words++)
		if (json_array_append_new(list, json_string(*words)))
			die("%s: a word of a hook is not UTF-8, and cannot be "
			    "recorded: rename it, or put it into a script",
			    *words);
	return list;
}

static json_t *hooks_json(const struct bisect *b)
{
	json_t *hooks = json_object();
	enum hook hook;

	for (hook = 0; hook < NR_HOOKS; hook++)
		json_object_set_new(hooks, hook_name(hook),
				    words_json(b->hooks[hook]));
	return hooks;
}

json_t *bisect_figure_json(const struct bisect_figure *f)
{
	const struct series *s = f->good;
	json_t *j = json_object();

	json_object_set_new(j, "bench", json_string(s->bench));
	json_object_set_new(j, "vcpus", json_integer(s->vcpus));
	json_object_set_new(j, "bytes", json_integer(s->bytes));
	json_object_set_new(j, "variant", json_string(s->variant));
	json_object_set_new(j, "metric", json_string(s->metric));
	json_object_set_new(j, "factor", json_real(f->factor));
	return j;
}

static json_t *figures_json(const struct bisect *b)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < b->nr_figures; i++)
		json_array_append_new(list, bisect_figure_json(&b->figures[i]));
	return list;
}

static json_t *side_json(const struct side *side)
{
	json_t *list = json_array(), *file;
	size_t i;

	for (i = 0; i < side->nr_files; i++) {
		file = json_object();
		json_object_set_new(file, "path",
				    foreign_text(side->files[i]->path));
		json_object_set(file, "results", side->files[i]->root);
		json_array_append_new(list, file);
	}
	return list;
}

static json_t *state_json(const struct bisect *b)
{
	json_t *j = json_object();

	json_object_set_new(j, "schema", json_string(BISECT_SCHEMA));
	json_object_set_new(j, "find",
			    json_string(b->find_faster ? "faster" : "slower"));
	json_object_set_new(j, "half_way", json_boolean(b->half_way));
	json_object_set_new(j, "alpha", json_real(b->alpha));
	json_object_set_new(j, "max_runs", json_integer(b->max_runs));
	json_object_set_new(j, "hook_timeout_s",
			    json_integer(b->hook_timeout_s));
	json_object_set_new(j, "hooks", hooks_json(b));
	json_object_set_new(j, "figures", figures_json(b));
	json_object_set_new(j, "good", side_json(&b->good));
	json_object_set_new(j, "bad", side_json(&b->bad));
	return j;
}

void bisect_save(const struct bisect *b)
{
	json_t *state = state_json(b);
	struct outfile f;
	int error = outfile_open(&f, b->path);

	if (!error) {
		if (json_dumpf(state, f.out, JSON_INDENT(1)))
			die("%s: the state cannot be written as JSON", b->path);
		fputc('\n', f.out);
		error = outfile_close(&f);
	}
	if (error)
		die("%s: %s%s", b->path, outfile_error(error),
		    file_remedy(error));
	json_decref(state);
}

/* ---- reading ---- */

static bool read_words(char ***words, const json_t *list)
{
	size_t nr = json_array_size(list), i;

	*words = NULL;
	if (json_is_null(list))
		return true;
	if (nr == 0)
		return false;
	*words = xcalloc(nr + 1, sizeof(**words));
	for (i = 0; i < nr; i++) {
		const char *word = json_string_value(json_array_get(list, i));

		if (!word)
			return false;
		(*words)[i] = xstrdup(word);
	}
	return true;
}

static bool read_side(struct side *side, const json_t *list, struct problems *p)
{
	const json_t *file;
	size_t i;

	json_array_foreach(list, i, file)
	{
		json_t *results = json_object_get(file, "results");
		const char *path =
			json_string_value(json_object_get(file, "path"));

		if (!path || !results)
			return false;
		side_add(side,
			 input_take(json_incref(results), path,
				    INPUT_FAILED_TAKEN, p),
			 p);
	}
	return json_is_array(list);
}

static bool read_figure(struct bisect *b, const json_t *figure)
{
	struct series like = {
		.bench = json_string_value(json_object_get(figure, "bench")),
		.vcpus = json_integer_value(json_object_get(figure, "vcpus")),
		.bytes = json_integer_value(json_object_get(figure, "bytes")),
		.variant =
			json_string_value(json_object_get(figure, "variant")),
		.metric = json_string_value(json_object_get(figure, "metric")),
	};
	double factor = json_number_value(json_object_get(figure, "factor"));
	bool is_whole = like.bench && like.variant && like.metric;
	const struct series *good = is_whole ? side_find(&b->good, &like) :
					       NULL;

	if (!good || good->better == BETTER_NEITHER || !(factor > 0) ||
	    isinf(factor) || factor == 1)
		return false;
	b->figures =
		xrealloc(b->figures, b->nr_figures + 1, sizeof(*b->figures));
	b->figures[b->nr_figures++] = (struct bisect_figure){ good, factor };
	return true;
}

static bool read_hooks(struct bisect *b, const json_t *hooks)
{
	enum hook hook;

	for (hook = 0; hook < NR_HOOKS; hook++)
		if (!read_words(&b->hooks[hook],
				json_object_get(hooks, hook_name(hook))))
			return false;
	return b->hooks[HOOK_RUN];
}

static bool read_state(struct bisect *b, const json_t *root, struct problems *p)
{
	const char *find = json_string_value(json_object_get(root, "find"));
	const json_t *figures = json_object_get(root, "figures"), *figure;
	size_t i;

	b->half_way = json_is_true(json_object_get(root, "half_way"));
	b->alpha = json_number_value(json_object_get(root, "alpha"));
	b->max_runs = json_integer_value(json_object_get(root, "max_runs"));
	b->hook_timeout_s =
		json_integer_value(json_object_get(root, "hook_timeout_s"));
	if (!find || !b->max_runs || !(b->alpha > 0) || b->alpha >= 1 ||
	    !read_hooks(b, json_object_get(root, "hooks")) ||
	    !read_side(&b->good, json_object_get(root, "good"), p) ||
	    !read_side(&b->bad, json_object_get(root, "bad"), p) || p->nr)
		return false;
	b->find_faster = strcmp(find, "faster") == 0;
	json_array_foreach(figures, i,
			   figure) if (!read_figure(b, figure)) return false;
	return b->nr_figures > 0;
}

void bisect_load(struct bisect *b, const char *path, struct problems *p)
{
	char *why = NULL;
	json_t *root = foreign_read(path, &why);
	const char *schema = json_string_value(json_object_get(root, "schema"));

	b->path = path;
	if (!root)
		problem(p, "%s (kvmeter bisect record writes it)", why);
	else if (!schema || strcmp(schema, BISECT_SCHEMA) != 0)
		problem(p, "%s: not a state of kvmeter bisect (%s)", path,
			BISECT_SCHEMA);
	else if (!read_state(b, root, p))
		problem(p, "%s: members of %s are missing, or make no sense",
			path, BISECT_SCHEMA);
	/* strings of the sides are those of their results */
	json_decref(root);
	free(why);
}
