/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "foreign.h"
#include "input.h"
#include "remedy.h"
#include "run.h"
#include "spread.h"
#include "suite.h"
#include "util.h"

static int is_json(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && entry->d_name[0] != '.' &&
	       strcmp(entry->d_name + len - 5, ".json") == 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

bool series_same_point(const struct series *a, const struct series *b)
{
	return strcmp(a->bench, b->bench) == 0 && a->vcpus == b->vcpus &&
	       a->bytes == b->bytes && strcmp(a->variant, b->variant) == 0;
}

static bool is_like(const struct series *a, const struct series *b)
{
	return series_same_point(a, b) && strcmp(a->metric, b->metric) == 0;
}

const struct series *side_find(const struct side *side,
			       const struct series *like)
{
	size_t i;

	for (i = 0; i < side->nr_series; i++)
		if (is_like(&side->series[i], like))
			return &side->series[i];
	return NULL;
}

enum better series_better(const struct series *a, const struct series *b)
{
	return a->better == b->better ? a->better : BETTER_NEITHER;
}

bool series_agree(const struct series *a, const struct series *b)
{
	return strcmp(a->unit, b->unit) == 0 &&
	       (a->better == b->better || a->better == BETTER_NEITHER ||
		b->better == BETTER_NEITHER);
}

static void append(struct series *to, const struct series *from,
		   const char *boot)
{
	to->starts =
		xrealloc(to->starts, to->nr_files + 1, sizeof(*to->starts));
	to->file_medians = xrealloc(to->file_medians, to->nr_files + 1,
				    sizeof(*to->file_medians));
	to->file_json = xrealloc(to->file_json, to->nr_files + 1,
				 sizeof(*to->file_json));
	to->file_boots = xrealloc(to->file_boots, to->nr_files + 1,
				  sizeof(*to->file_boots));
	to->file_json[to->nr_files] = from->json;
	to->file_boots[to->nr_files] = boot;
	to->starts[to->nr_files] = to->nr;
	to->file_medians[to->nr_files++] = median_of(from->values, from->nr);
	to->values =
		xrealloc(to->values, to->nr + from->nr, sizeof(*to->values));
	memcpy(to->values + to->nr, from->values,
	       from->nr * sizeof(*from->values));
	to->nr += from->nr;
}

static void merge(struct side *side, const struct results *r,
		  const struct series *s, struct problems *p)
{
	struct series *known = (struct series *)side_find(side, s);

	if (!known) {
		side->series = xrealloc(side->series, side->nr_series + 1,
					sizeof(*side->series));
		known = &side->series[side->nr_series++];
		*known = *s;
		known->nr = 0;
		known->values = NULL;
	}
	if (!series_agree(known, s))
		problem(p, "%s: %s has another unit than in the files before",
			r->path, s->metric);
	known->better = series_better(known, s);
	append(known, s, r->boot);
}

static void merge_partial(struct side *side, const struct series *s)
{
	size_t i;

	for (i = 0; i < side->nr_partial; i++)
		if (is_like(&side->partial[i], s))
			break;
	if (i == side->nr_partial) {
		side->partial =
			xrealloc(side->partial, i + 1, sizeof(*side->partial));
		side->partial[side->nr_partial++] = *s;
	}
	side->partial[i].nr_files++;
}

void side_add(struct side *side, struct results *r, struct problems *p)
{
	size_t i;

	side->files =
		xrealloc(side->files, side->nr_files + 1, sizeof(*side->files));
	side->files[side->nr_files++] = r;
	for (i = 0; i < r->nr_series; i++)
		merge(side, r, &r->series[i], p);
	for (i = 0; i < r->nr_partial; i++)
		merge_partial(side, &r->partial[i]);
}

static void add_files(struct side *side, const char *path,
		      enum input_failed failed, struct problems *p)
{
	struct dirent **entries;
	int nr = scandir(path, &entries, is_json, compare_names), i;
	struct stat st;

	if (nr < 0) {
		problem(p, "%s: %s", path, errno_text(errno));
		return;
	}
	if (nr == 0)
		problem(p, "%s: no file NAME.json in it", path);
	for (i = 0; i < nr; i++) {
		char *name = xasprintf("%s/%s", path, entries[i]->d_name);

		/* a pipe in it would keep us waiting for ever */
		if (stat(name, &st) == 0 && !S_ISREG(st.st_mode))
			problem(p, "%s: not a file", name);
		else
			side_add(side, input_read(name, failed, p), p);
		free(name);
		free(entries[i]);
	}
	free(entries);
}

static void leave_out(struct side *side, const char *entry, const char *why)
{
	char *text = xasprintf("%s: %s", entry, why);
	size_t nr = 0;

	for (; side->left_out && side->left_out[nr]; nr++) {
		if (strcmp(side->left_out[nr], text) == 0) {
			free(text);
			return;
		}
	}
	side->left_out =
		xrealloc(side->left_out, nr + 2, sizeof(*side->left_out));
	side->left_out[nr] = text;
	side->left_out[nr + 1] = NULL;
}

/* Is the results file that of a skip? */
static bool is_skip(const char *path)
{
	json_t *root = foreign_read(path, NULL);
	const char *verdict =
		json_string_value(json_object_get(root, "verdict"));
	bool skip = verdict && strcmp(verdict, "skip") == 0;

	json_decref(root);
	return skip;
}

/* What one benchmark has measured in several entries is not the same. */
static void add_entry(struct side *side, struct results *r, const char *entry,
		      struct problems *p)
{
	char *name;
	size_t i;

	if (!r->bench) {
		side_add(side, r, p);
		return;
	}
	name = xasprintf("%s: %s", entry, r->bench);
	r->bench = name;
	for (i = 0; i < r->nr_series; i++)
		r->series[i].bench = name;
	for (i = 0; i < r->nr_partial; i++)
		r->partial[i].bench = name;
	side_add(side, r, p);
}

/* One directory of "kvmeter run"; false: it is none. */
static bool add_suite(struct side *side, const char *path,
		      enum input_failed failed, struct problems *p)
{
	json_t *entries = run_index_entries(path), *entry;
	bool found = entries != NULL;
	const char *name;

	json_object_foreach(entries, name, entry)
	{
		char *file = xasprintf("%s/%s.json", path, name);

		if (suite_name_fault(name))
			problem(p, "%s/index: %s: %s", path, name,
				suite_name_fault(name));
		else if (access(file, F_OK))
			leave_out(side, name, "it has left no results");
		else if (failed != INPUT_ALL_TAKEN && is_skip(file))
			leave_out(side, name, "it was skipped");
		else
			add_entry(side, input_read(file, failed, p), name, p);
		free(file);
	}
	json_decref(entries);
	return found;
}

/* It, and such directories that it has; false: none is one. */
static bool add_suites(struct side *side, const char *path,
		       enum input_failed failed, struct problems *p)
{
	struct dirent **entries;
	int nr = scandir(path, &entries, NULL, compare_names), i;
	bool found = add_suite(side, path, failed, p);

	if (nr < 0)
		return found;
	for (i = 0; i < nr; i++) {
		char *name = xasprintf("%s/%s", path, entries[i]->d_name);

		if (entries[i]->d_name[0] != '.')
			found |= add_suite(side, name, failed, p);
		free(name);
		free(entries[i]);
	}
	free(entries);
	return found;
}

static void add_directory(struct side *side, const char *path,
			  enum input_failed failed, struct problems *p)
{
	if (!add_suites(side, path, failed, p))
		add_files(side, path, failed, p);
	else if (side->nr_files == 0)
		problem(p, "%s: nothing was measured", path);
}

void side_read(struct side *side, const char *operand, enum input_failed failed,
	       struct problems *p)
{
	struct stat st;

	side->operand = operand;
	if (stat(operand, &st))
		problem(p, "%s: %s", operand, errno_text(errno));
	else if (S_ISDIR(st.st_mode))
		add_directory(side, operand, failed, p);
	else
		side_add(side, input_read(operand, failed, p), p);
}

const char *side_first_start(const struct side *side)
{
	const char *first = side->files[0]->started;
	size_t i;

	for (i = 1; i < side->nr_files; i++)
		if (strcmp(side->files[i]->started, first) < 0)
			first = side->files[i]->started;
	return first;
}

size_t side_boots(const struct side *side)
{
	size_t boots = 0, i, k;

	for (i = 0; i < side->nr_files; i++) {
		const char *boot = side->files[i]->boot;

		for (k = 0; boot && k < i; k++)
			if (side->files[k]->boot &&
			    strcmp(side->files[k]->boot, boot) == 0)
				break;
		boots += !boot || k == i;
	}
	return boots;
}
