/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "input.h"
#include "spread.h"
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

static void append(struct series *to, const struct series *from)
{
	to->starts =
		xrealloc(to->starts, to->nr_files + 1, sizeof(*to->starts));
	to->file_medians = xrealloc(to->file_medians, to->nr_files + 1,
				    sizeof(*to->file_medians));
	to->file_json = xrealloc(to->file_json, to->nr_files + 1,
				 sizeof(*to->file_json));
	to->file_json[to->nr_files] = from->json;
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
	if (strcmp(known->unit, s->unit) != 0 ||
	    known->higher_is_better != s->higher_is_better)
		problem(p, "%s: %s has another unit than in the files before",
			r->path, s->metric);
	append(known, s);
}

void side_add(struct side *side, struct results *r, struct problems *p)
{
	size_t i;

	side->files =
		xrealloc(side->files, side->nr_files + 1, sizeof(*side->files));
	side->files[side->nr_files++] = r;
	for (i = 0; i < r->nr_series; i++)
		merge(side, r, &r->series[i], p);
}

static void add_directory(struct side *side, const char *path,
			  enum input_failed failed, struct problems *p)
{
	struct dirent **entries;
	int nr = scandir(path, &entries, is_json, compare_names), i;

	if (nr < 0) {
		problem(p, "%s: %s", path, strerror(errno));
		return;
	}
	if (nr == 0)
		problem(p, "%s: no file NAME.json in it", path);
	for (i = 0; i < nr; i++) {
		char *name = xasprintf("%s/%s", path, entries[i]->d_name);

		side_add(side, input_read(name, failed, p), p);
		free(name);
		free(entries[i]);
	}
	free(entries);
}

void side_read(struct side *side, const char *operand, enum input_failed failed,
	       struct problems *p)
{
	struct stat st;

	side->operand = operand;
	if (stat(operand, &st) == 0 && S_ISDIR(st.st_mode))
		add_directory(side, operand, failed, p);
	else
		side_add(side, input_read(operand, failed, p), p);
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
