/* SPDX-License-Identifier: GPL-2.0-only */
/* kvmeter run [SUITE] [-- OPTION...] */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "clock.h"
#include "kvmeter.h"
#include "options.h"
#include "outfile.h"
#include "remedy.h"
#include "run.h"
#include "run_plan.h"
#include "util.h"

#define STRICT_VARIABLE "KVMETER_STRICT"

struct run_options {
	struct run_plan plan;
	const char *junit;
	bool dry_run;
	bool strict;
	bool quiet;
	bool help;
};

static const struct run_options defaults = { .plan = { .timeout_s = 120 } };

#define OFFSET(member) offsetof(struct run_options, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ OPT_STRING, 0, "tests", "DIR", OFFSET(plan.tests),
	  "where the benchmarks are, else KVMETER_TESTS or as installed or built",
	  0, 0, NULL, NULL, true },
	{ OPT_STRING, 'o', "results", "DIR", OFFSET(plan.dir),
	  "an empty or new directory for results, else kvmeter-TIME",
	  0, 0, NULL, NULL, true },
	{ OPT_FLAG, 0, "resume", NULL, OFFSET(plan.resume),
	  "leave out what has complete results of the same command there", FLAG_ROW },
	{ OPT_U64, 0, "timeout", "SECONDS", OFFSET(plan.timeout_s),
	  "how long each may take for which the suite does not say it",
	  1, 86400, NULL, NULL, true },
	{ OPT_STRING, 0, "junit", "FILE", OFFSET(junit),
	  "write JUnit's XML as well", 0, 0, NULL, NULL, true },
	{ OPT_FLAG, 'n', "dry-run", NULL, OFFSET(dry_run),
	  "check the suite and print it as it would be run, as a suite", FLAG_ROW },
	{ OPT_FLAG, 0, "strict", NULL, OFFSET(strict),
	  "a skip is a failure, also of a single check; also " STRICT_VARIABLE "=1", FLAG_ROW },
	{ OPT_FLAG, 'q', "quiet", NULL, OFFSET(quiet),
	  "results and skips only", FLAG_ROW },
	{ OPT_FLAG, 'h', "help", NULL, OFFSET(help), "print this", FLAG_ROW },
	{ .type = OPT_END },
};
/* clang-format on */

static const struct option_row *const tables[] = { rows, NULL };
static const struct option_set set = {
	.program = "kvmeter run",
	.summary =
		"Runs benchmarks one after the other and keeps what they say.\n"
		"SUITE: quick (the default), full, or a file with lines\n"
		"  NAME [timeout=SECONDS]: BENCHMARK [OPTION]...\n"
		"OPTIONS behind -- are added to each.\n"
		"Exit: 0, 1 if any failed, 2 if nothing could be run, 4 if all were skipped.",
	.tables = tables,
	.operands = "[SUITE] [-- OPTIONS]",
};

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value && strcmp(value, "0") != 0;
}

/* For a person at a terminal, who else would see nothing for a while. */
static void show_progress(const struct suite_run *r, size_t i, bool quiet)
{
	if (quiet || !isatty(STDERR_FILENO))
		return;
	if (i < r->nr)
		fprintf(stderr, "\r\033[K%zu of %zu: %s", i + 1, r->nr,
			r->entries[i].name);
	else
		fputs("\r\033[K", stderr);
}

static void run_entry(struct suite_run *r, struct entry *e, bool resume)
{
	if (resume && run_index_find(r, e)) {
		/* costs nothing, so that it is done even when interrupted */
		entry_judge(e, r->strict, r->tests);
		e->reused = entry_is_complete(e);
		if (e->reused)
			return;
		entry_forget(e);
	}
	if (child_interrupted()) {
		e->reason = xstrdup("kvmeter was interrupted before");
		return;
	}
	entry_run(e);
	entry_judge(e, r->strict, r->tests);
	if (!e->end.interrupted)
		run_index_add(r, e);
}

/* So that it is seen while the next one runs. Keeps the first error. */
static void flush_output(int *error)
{
	int now = flush_stream(stdout);

	if (!*error)
		*error = now;
}

/* In between two entries, what there is could be taken for all. */
static void print_interruption(FILE *out)
{
	int sig = child_interrupted();

	if (sig)
		fprintf(out, "Bail out! interrupted by signal %d (%s)\n", sig,
			strsignal(sig));
}

/* Returns errno of standard output, or 0. */
static int run_all(struct suite_run *r, const struct run_options *o)
{
	enum detail detail = o->quiet ? DETAIL_RESULTS : DETAIL_ALL;
	int error = 0;

	run_ktap_begin(r, detail, stdout);
	for (size_t i = 0; i < r->nr; i++) {
		flush_output(&error);
		show_progress(r, i, o->quiet);
		run_entry(r, &r->entries[i], o->plan.resume);
		show_progress(r, r->nr, o->quiet);
		run_ktap_entry(r, i, detail, stdout);
	}
	run_ktap_end(r, detail, stdout);
	print_interruption(stdout);
	flush_output(&error);
	return error;
}

static void print_merged(const struct suite_run *r, FILE *out)
{
	run_ktap_begin(r, DETAIL_ALL, out);
	for (size_t i = 0; i < r->nr; i++)
		run_ktap_entry(r, i, DETAIL_ALL, out);
	run_ktap_end(r, DETAIL_ALL, out);
	print_interruption(out);
}

/* A pipe of --junit: closed before all has run, it would have its reader end.
 */
static struct {
	const char *path;
	struct outfile file;
} junit_pipe;

static struct outfile pipe_of(const char *path)
{
	struct outfile f = { .out = NULL };

	if (path != junit_pipe.path)
		return f;
	f = junit_pipe.file;
	junit_pipe.path = NULL;
	return f;
}

static bool write_file(const struct suite_run *r, const char *path,
		       void (*print)(const struct suite_run *r, FILE *out))
{
	struct outfile f = pipe_of(path);
	int error = f.out ? 0 : outfile_open(&f, path);

	if (!error) {
		print(r, f.out);
		error = outfile_close(&f);
	}
	if (error)
		warn("%s: %s%s", path, outfile_error(error),
		     file_remedy(error));
	return !error;
}

static int exit_code(const struct suite_run *r, bool written)
{
	if (child_interrupted())
		return EXIT_INTERRUPTED + child_interrupted();
	if (run_count(r, OUTCOME_FAIL) || !written)
		return EXIT_FAIL;
	return run_count(r, OUTCOME_SKIP) == r->nr ? EXIT_SKIP : EXIT_PASS;
}

/* Where something cannot be written is better known before an hour's work. */
static void check_writable(const char *path)
{
	struct outfile f;
	int error = outfile_open(&f, path);

	if (!error && f.temporary) {
		outfile_abandon(&f);
	} else if (!error) {
		junit_pipe.path = path;
		junit_pipe.file = f;
	}
	if (error)
		usage_error("--junit %s: %s%s", path, outfile_error(error),
			    file_remedy(error));
}

static void now_text(char *text, size_t size, const char *format)
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, size, format, &tm);
}

static int run_suite(struct suite_run *r, const struct run_options *o)
{
	char *merged;
	bool written;
	int error;

	now_text(r->started, sizeof(r->started), "%Y-%m-%dT%H:%M:%SZ");
	r->strict = o->strict || is_set(STRICT_VARIABLE) ? SKIPS_FAIL :
							   SKIPS_PASS;
	/* strictness is ours to judge: results are the same with and without */
	unsetenv(STRICT_VARIABLE);
	/* a reader that goes away is no reason to lose the results */
	signal(SIGPIPE, SIG_IGN);
	child_init();
	error = run_all(r, o);
	merged = xasprintf("%s/results.ktap", r->dir);
	written = write_file(r, merged, print_merged);
	free(merged);
	if (o->junit)
		written &= write_file(r, o->junit, run_junit);
	if (error)
		die("standard output: %s%s", strerror(error),
		    file_remedy(error));
	return exit_code(r, written);
}

/* --dry-run: lines of a suite. */
static int print_plan(const struct suite_run *r)
{
	for (size_t i = 0; i < r->nr; i++) {
		const struct entry *e = &r->entries[i];
		char *command = words_quote(e->command);

		printf("%s timeout=%llu: %s\n", e->name,
		       (unsigned long long)e->timeout_s, command);
		free(command);
	}
	return EXIT_PASS;
}

int command_run(int argc, char **argv)
{
	static struct suite_run r; /* for leak checkers, as compare.c */
	struct run_options o = defaults;
	char *stop = NULL;
	int own, first;

	for (own = 0; own < argc && strcmp(argv[own], "--"); own++)
		;
	/* for the parser the command line ends there */
	if (own < argc) {
		o.plan.more = argv + own + 1;
		argv[own] = NULL;
	} else {
		o.plan.more = &stop;
	}
	first = options_parse(&set, &o, own, argv);
	if (o.help) {
		options_help(&set, &defaults, stdout);
		return EXIT_PASS;
	}
	if (own - first > 1)
		usage_error("%s: one suite at a time", argv[first + 1]);
	o.plan.suite = first < own ? argv[first] : "quick";
	run_plan_entries(&r, &o.plan);
	if (o.dry_run)
		return print_plan(&r);
	run_plan_directory(&r, &o.plan);
	/* maybe in the directory that is only now there */
	if (o.junit)
		check_writable(o.junit);
	return run_suite(&r, &o);
}
