/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "clock.h"
#include "outfile.h"
#include "remedy.h"
#include "run_plan.h"
#include "util.h"

/* Names of directories of one second. */
#define SAME_SECOND_MAX 100

/* --help answers only once all options are understood: a typing error is known
 * before anything is measured.
 */
static void check_options(const struct entry *e, const char *place,
			  struct problems *p)
{
	char *const before[] = { (char *)e->program->path, NULL };
	char *const after[] = { "--help", NULL };
	char **argv = words_join(before, e->command + 1, after, NULL);
	char *err;
	struct child_end ended =
		child_capture(argv, 20 * NSEC_PER_SEC, NULL, &err);

	if (ended.interrupted)
		child_die();
	if (ended.code == EXIT_USAGE)
		problem(p, "%s: %.*s", place, (int)strcspn(err, "\n"), err);
	free(err);
	free(argv);
}

static void add_entries(struct suite_run *r, const struct suite *suite,
			const struct run_plan *plan, struct problems *p)
{
	static struct programs programs;

	programs_find(&programs, plan->tests);
	r->tests = programs.directory;
	r->nr = suite->nr;
	r->entries = xcalloc(r->nr, sizeof(*r->entries));
	for (size_t i = 0; i < r->nr; i++) {
		const struct suite_line *line = &suite->lines[i];
		struct entry *e = &r->entries[i];
		char *place = xasprintf("%s:%zu", suite->name, line->number);

		entry_init(e, line);
		if (!e->timeout_s)
			e->timeout_s = plan->timeout_s;
		e->program = program_lookup(&programs, line->words[0]);
		e->command = words_join(line->words, plan->more, NULL);
		if (e->program)
			check_options(e, place, p);
		free(place);
	}
}

static bool is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	bool empty = true;

	if (!d)
		usage_error("--results %s: %s%s", dir, strerror(errno),
			    file_remedy(errno));
	while ((entry = readdir(d)))
		empty &= !strcmp(entry->d_name, ".") ||
			 !strcmp(entry->d_name, "..");
	closedir(d);
	return empty;
}

/* "kvmeter-20261130T090000Z", or with -2 if that is there. */
static const char *make_named_by_time(void)
{
	char name[sizeof("kvmeter-20261130T090000Z")];
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(name, sizeof(name), "kvmeter-%Y%m%dT%H%M%SZ", &tm);
	for (int i = 1; i < SAME_SECOND_MAX; i++) {
		char *dir = i == 1 ? xstrdup(name) :
				     xasprintf("%s-%d", name, i);

		if (mkdir(dir, 0755) == 0)
			return dir;
		if (errno != EEXIST)
			usage_error("%s: %s: name a directory by --results",
				    dir, strerror(errno));
		free(dir);
	}
	usage_error("%s to -%d are there", name, SAME_SECOND_MAX - 1);
}

static void take_directory(struct suite_run *r, const struct run_plan *plan)
{
	int error;

	r->dir = plan->dir ? plan->dir : make_named_by_time();
	error = plan->dir ? outfile_directory(plan->dir) : 0;
	if (error)
		usage_error("--results %s: %s%s", plan->dir,
			    outfile_error(error), file_remedy(error));
	if (is_empty(r->dir)) {
		run_index_begin(r);
		return;
	}
	if (!plan->resume)
		usage_error("--results %s: not empty; --resume goes on with "
			    "what is there",
			    r->dir);
	if (!run_index_exists(r->dir))
		usage_error("--results %s: not empty, and no directory of "
			    "kvmeter run",
			    r->dir);
	run_index_read(r);
}

void run_plan_entries(struct suite_run *r, const struct run_plan *plan)
{
	static struct suite suite;
	struct problems p = { 0, NULL };
	const char *why = suite_refuses(plan->more);

	if (why)
		usage_error("-- %s: %s", words_quote(plan->more), why);
	suite_read(&suite, plan->suite, &p);
	if (!p.nr)
		add_entries(r, &suite, plan, &p);
	if (p.nr)
		end(EXIT_USAGE, "%s", p.text);
	r->suite = suite.name;
}

void run_plan_directory(struct suite_run *r, const struct run_plan *plan)
{
	if (plan->resume && !plan->dir)
		usage_error("--resume: name the directory by --results");
	take_directory(r, plan);
	for (size_t i = 0; i < r->nr; i++)
		entry_place(&r->entries[i], r->dir);
}
