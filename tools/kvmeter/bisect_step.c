/* SPDX-License-Identifier: GPL-2.0-only */
/* kvmeter bisect step: what git bisect run calls for each commit. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bisect.h"
#include "child.h"
#include "clock.h"
#include "compare.h"
#include "foreign.h"
#include "outfile.h"
#include "remedy.h"
#include "units.h"
#include "util.h"

/* Of git's, which only names things. */
#define GIT_TIMEOUT_NS (60 * NSEC_PER_SEC)

/* A process reaches one verdict at most. */
static struct {
	bool concluded;
	int code; /* until then */
} verdict = { false, STEP_ABORT };

/* ---- no end but a verdict looks like one ---- */

static void end_without_verdict(void)
{
	if (verdict.concluded)
		return;
	fflush(NULL);
	_exit(verdict.code);
}

static int tell_end(void *arg, int code, const char *message)
{
	(void)arg;
	tell("%s", message);
	if (code > STEP_ABORT)
		verdict.code = code;
	return verdict.code;
}

void step_guard(void)
{
	set_end_handler(tell_end, NULL);
	if (atexit(end_without_verdict))
		_exit(STEP_ABORT);
}

void step_conclude(enum step_code code)
{
	/* after it, an error of ours could not be told from "bad" */
	int error = flush_stream(stdout);

	if (error)
		step_abort("standard output: %s", errno_text(error));
	verdict.concluded = true;
	verdict.code = code;
}

void step_abort(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	end(STEP_ABORT, "%s", text);
}

void step_interrupted(void)
{
	child_die();
}

/* ---- the commit ---- */

/* Where this step keeps what hooks write: STATE.results/. */
static char *results_directory(const struct bisect *b)
{
	char *name = xasprintf("%s.results", b->path), *path;
	int error = outfile_directory(name);

	if (error)
		step_abort("%s: %s%s", name, outfile_error(error),
			   file_remedy(error));
	path = realpath(name, NULL);
	if (!path)
		step_abort("%s: %s", name, errno_text(errno));
	free(name);
	return path;
}

/* The first line of what git prints, NULL if it fails; to be freed. */
static char *ask_git(const char *directory, char *const *argv)
{
	char *path = xasprintf("%s/git", directory), *text = NULL;
	struct child_config child = {
		.argv = argv,
		.stdout_path = path,
		.stderr_path = "/dev/null",
		.timeout_ns = GIT_TIMEOUT_NS,
	};
	struct child_end end = child_run(&child);

	if (end.interrupted)
		step_interrupted();
	if (end.code == 0)
		text = read_text("%s", path);
	unlink(path);
	free(path);
	return text;
}

static void name_commit(struct step *s, const char *directory)
{
	static char *const revision[] = { "git", "rev-parse", "HEAD", NULL };
	static char *const subject[] = { "git", "log", "-1", "--format=%s",
					 NULL };

	s->commit = ask_git(directory, revision);
	if (!s->commit)
		s->commit = xstrdup("unknown");
	s->subject = ask_git(directory, subject);
	if (!s->subject)
		s->subject = xstrdup("");
}

/* ---- an invocation ---- */

static bool is_measured(const struct side *side, const char *bench)
{
	size_t i;

	for (i = 0; i < side->nr_files; i++)
		if (strcmp(side->files[i]->bench, bench) == 0)
			return true;
	return false;
}

/* Another experiment than that of good can say nothing. */
static void check_experiment(const struct bisect *b, const struct results *r)
{
	struct differences d = { 0, NULL };
	struct side side = { .nr_files = 1,
			     .files = (struct results *[]){
				     (struct results *)r } };
	size_t i;

	if (!is_measured(&b->good, r->bench))
		step_abort("run hook: results of %s, which good has none of",
			   r->bench);
	differ_sides(&d, &b->good, &side);
	for (i = 0; i < d.nr; i++)
		if (difference_is_option(&d.list[i]))
			step_abort("run hook: %s: %s in good, %s here: another "
				   "experiment",
				   d.list[i].what, d.list[i].before,
				   d.list[i].after);
	differences_fini(&d);
}

/* NULL, or why the commit can't be told. */
static char *take_results(struct step *s, const char *path, struct side *commit)
{
	struct problems p = { 0, NULL };
	char *why;
	json_t *root = foreign_read(path, &why);
	struct results *r;

	if (!root)
		step_abort("run hook: no results in $KVMETER_RESULT: %s", why);
	r = input_take(root, "results", INPUT_FAILED_FINAL, &p);
	s->last = r;
	if (!r->bench)
		step_abort("run hook: %s", p.text);
	check_experiment(s->of, r);
	/* skipped, failed, or with a proof that does not hold */
	if (!p.nr)
		side_add(commit, r, &p);
	return p.text;
}

static char *hook_of(const struct bisect *b, const struct step *s,
		     enum hook hook, const char *directory)
{
	char *base = xasprintf("%s/%.12s-%llu", directory, s->commit,
			       (unsigned long long)s->invocations);
	struct hook_run run = {
		.hook = hook,
		.commit = s->commit,
		.result = xasprintf("%s.json", base),
		.output = xasprintf("%s.%s", base, hook_name(hook)),
		.invocation = s->invocations,
	};
	char *why = b->hooks[hook] ? hook_run(b, &run) : NULL;

	free(base);
	free((char *)run.result);
	free((char *)run.output);
	return why;
}

/* Boots and runs once; NULL, or why the commit can't be told. */
static char *invoke(struct step *s, const char *directory, struct side *commit)
{
	char *path = xasprintf("%s/%.12s-%llu.json", directory, s->commit,
			       (unsigned long long)s->invocations);
	char *why;

	if (unlink(path) && errno != ENOENT)
		step_abort("%s: %s", path, errno_text(errno));
	why = hook_of(s->of, s, HOOK_BOOT, directory);
	if (!why)
		why = hook_of(s->of, s, HOOK_RUN, directory);
	if (!why)
		why = take_results(s, path, commit);
	free(path);
	return why;
}

/* ---- the verdict ---- */

static char *read_values(struct step *s, const struct side *commit)
{
	const struct bisect *b = s->of;
	size_t i;

	s->runs = 0;
	for (i = 0; i < b->nr_figures; i++) {
		char *figure, *why;

		if (bisect_values(b, &b->figures[i], commit, &s->values[i])) {
			s->runs = max_u64(s->runs, s->values[i].commit.nr_runs);
			continue;
		}
		s->runs = 0;
		figure = bisect_figure_text(&b->figures[i]);
		why = xasprintf("no %s in its results", figure);
		free(figure);
		return why;
	}
	return NULL;
}

/* "create of ...: 885 us to 7.8 ms, +781.8% (+700.0..+900.0%), ..." */
static char *tell_figure(const struct step *s)
{
	size_t at = step_decisive(s);
	const struct bisect_figure *f = &s->of->figures[at];
	const struct threshold_figure *v = &s->values[at];
	struct comparison c = { .has_interval = v->has_interval,
				.low = v->low,
				.high = v->high };
	char before[UNIT_LEN], after[UNIT_LEN], change[UNIT_LEN],
		interval[UNIT_LEN], threshold[UNIT_LEN];
	double good = bisect_good(f);
	char *figure = bisect_figure_text(f);
	char *text = xasprintf(
		"%s: %s to %s, %s (%s), threshold %s", figure,
		report_value(before, f->good->unit, good),
		report_value(after, f->good->unit, good * (1 + v->change)),
		report_change(change, v->change), report_interval(interval, &c),
		bisect_threshold(threshold, f));

	free(figure);
	return text;
}

/* Values, p, intervals; whether the commit is good, bad or neither yet. */
static enum threshold_verdict judge_commit(struct step *s)
{
	enum threshold_verdict verdict_now = threshold_judge(
		s->values, s->of->nr_figures, bisect_alpha(s->of));
	size_t i;

	for (i = 0; i < s->of->nr_figures; i++)
		threshold_interval(&s->values[i]);
	return verdict_now;
}

/* "", or that invocations have a boot in common; to be freed. */
static char *boots_note(const struct step *s)
{
	size_t at = step_decisive(s);
	size_t boots = s->values[at].commit.nr_files;

	if (!bisect_by_boots(&s->of->figures[at]) || boots >= s->invocations)
		return xstrdup("");
	return xasprintf(" (from %zu boot%s, of which good has several: only "
			 "as many count; --boot boots before each)",
			 boots, boots == 1 ? "" : "s");
}

static void tell_open(const struct step *s)
{
	char *figure = tell_figure(s), *note = boots_note(s);
	char *text = xasprintf("%s: open after %llu of at most %llu%s", figure,
			       (unsigned long long)s->invocations,
			       (unsigned long long)s->of->max_runs, note);

	report_filled(stdout, "  ", text);
	fflush(stdout);
	free(text);
	free(note);
	free(figure);
}

static enum step_code measure(struct step *s, const char *directory,
			      struct side *commit)
{
	const struct bisect *b = s->of;
	enum threshold_verdict found = THRESHOLD_OPEN;

	s->invocations = 1;
	s->reason = hook_of(b, s, HOOK_BUILD, directory);
	for (; !s->reason; s->invocations++) {
		s->reason = invoke(s, directory, commit);
		if (!s->reason)
			s->reason = read_values(s, commit);
		if (s->reason)
			break;
		found = judge_commit(s);
		if (found != THRESHOLD_OPEN)
			return found == THRESHOLD_BAD ? STEP_BAD : STEP_GOOD;
		if (s->invocations == b->max_runs)
			break;
		tell_open(s);
	}
	if (!s->reason) {
		char *note = boots_note(s);

		s->reason = xasprintf(
			"too near to the threshold for its noise%s", note);
		free(note);
	}
	return STEP_SKIP;
}

/* What besides times differs; nothing is judged by it. */
static void tell_differences(const struct step *s, const struct side *commit)
{
	struct differences d = { 0, NULL };
	size_t i;

	differ_sides(&d, &s->of->good, commit);
	for (i = 0; i < d.nr; i++) {
		char *text = xasprintf("%s: %s in good, %s here",
				       d.list[i].what, d.list[i].before,
				       d.list[i].after);

		report_filled(stdout, "  differs: ", text);
		free(text);
	}
	differences_fini(&d);
}

static void tell_verdict(const struct step *s, const struct side *commit)
{
	char *figure = s->runs ? tell_figure(s) : xstrdup("");
	const char *plural = s->invocations == 1 ? "" : "s";
	char *text;

	printf("commit %.12s: %s\n", s->commit, step_verdict(s->code));
	if (*s->subject)
		report_filled(stdout, "  ", s->subject);
	text = xasprintf("%s%s%s%s%llu invocation%s, %zu runs",
			 s->reason ? s->reason : "", s->reason ? "; " : "",
			 figure, *figure ? "; " : "",
			 (unsigned long long)s->invocations, plural, s->runs);
	report_filled(stdout, "  ", text);
	tell_differences(s, commit);
	free(text);
	free(figure);
}

int step_run(const struct bisect *b, const char *log_path)
{
	/* its parts live as long as the process, as leak checkers see */
	static struct step s;
	static struct side commit;
	static char *directory;

	s.of = b;
	s.values = xcalloc(b->nr_figures, sizeof(*s.values));
	hooks_check(b);
	directory = results_directory(b);
	name_commit(&s, directory);
	s.code = measure(&s, directory, &commit);
	tell_verdict(&s, &commit);
	log_append(log_path, &s);
	if (child_interrupted())
		step_interrupted();
	step_conclude(s.code);
	return s.code;
}
