/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include "boots.h"
#include "spread.h"
#include "util.h"

static bool is_same(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* Takes files out of *@left, whose order stays. The boot is that of the first.
 */
static size_t take_boot(const struct series *s, size_t *left, size_t *nr_left,
			size_t *taken)
{
	const char *boot = s->file_boots[left[0]];
	size_t nr = 0, kept = 0, i;

	for (i = 0; i < *nr_left; i++) {
		if (i == 0 || is_same(boot, s->file_boots[left[i]]))
			taken[nr++] = left[i];
		else
			left[kept++] = left[i];
	}
	*nr_left = kept;
	return nr;
}

static size_t runs_of(const struct series *s, size_t file)
{
	size_t end = file + 1 < s->nr_files ? s->starts[file + 1] : s->nr;

	return end - s->starts[file];
}

/* Its own arrays, which struct grouped only lends. */
struct arrays {
	double *runs, *files;
	size_t *run_starts, *file_starts;
};

static void add_boot(struct boots *b, struct arrays *to, const struct series *s,
		     const size_t *taken, size_t nr)
{
	size_t i;

	to->run_starts[b->nr] = b->runs.nr;
	to->file_starts[b->nr] = b->files.nr;
	for (i = 0; i < nr; i++) {
		size_t runs = runs_of(s, taken[i]);

		memcpy(to->runs + b->runs.nr, s->values + s->starts[taken[i]],
		       runs * sizeof(*to->runs));
		b->runs.nr += runs;
		to->files[b->files.nr++] = s->file_medians[taken[i]];
	}
	b->medians[b->nr] = median_of(to->files + to->file_starts[b->nr], nr);
	b->nr++;
}

static struct boots *find_boots(const struct series *s)
{
	struct boots *b = xcalloc(1, sizeof(*b));
	size_t *left = xcalloc(s->nr_files, sizeof(*left));
	size_t *taken = xcalloc(s->nr_files, sizeof(*taken));
	size_t nr_left = s->nr_files, i;
	struct arrays to = {
		.runs = xcalloc(s->nr, sizeof(*to.runs)),
		.files = xcalloc(s->nr_files, sizeof(*to.files)),
		.run_starts = xcalloc(s->nr_files, sizeof(*to.run_starts)),
		.file_starts = xcalloc(s->nr_files, sizeof(*to.file_starts)),
	};

	b->medians = xcalloc(s->nr_files, sizeof(*b->medians));
	for (i = 0; i < s->nr_files; i++)
		left[i] = i;
	while (nr_left)
		add_boot(b, &to, s, taken, take_boot(s, left, &nr_left, taken));
	b->runs.values = to.runs;
	b->runs.starts = to.run_starts;
	b->files.values = to.files;
	b->files.starts = to.file_starts;
	b->runs.nr_groups = b->files.nr_groups = b->nr;
	free(taken);
	free(left);
	return b;
}

static void boots_free(struct boots *b)
{
	if (!b)
		return;
	free((double *)b->runs.values);
	free((size_t *)b->runs.starts);
	free((double *)b->files.values);
	free((size_t *)b->files.starts);
	free(b->medians);
	free(b);
}

const struct boots *series_boots(const struct series *s)
{
	/* what is kept in it is no change of it */
	struct series *keep = (struct series *)s;

	if (!s->boots || s->boots->files.nr != s->nr_files) {
		boots_free(keep->boots);
		keep->boots = find_boots(s);
	}
	return s->boots;
}

static size_t files_of_boot(const struct series *s, const char *boot)
{
	size_t nr = 0, i;

	for (i = 0; i < s->nr_files; i++)
		nr += is_same(boot, s->file_boots[i]);
	return nr;
}

bool series_share_boots(const struct series *a, const struct series *b)
{
	size_t i;

	if (series_boots(a)->nr != series_boots(b)->nr)
		return false;
	/* as many boots, so that those of a are all there are */
	for (i = 0; i < a->nr_files; i++) {
		const char *boot = a->file_boots[i];

		/* most often there is one, and many files */
		if (i && is_same(boot, a->file_boots[i - 1]))
			continue;
		if (!boot || files_of_boot(a, boot) * b->nr_files !=
				     files_of_boot(b, boot) * a->nr_files)
			return false;
	}
	return true;
}
