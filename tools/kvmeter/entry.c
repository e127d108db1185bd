/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "clock.h"
#include "entry.h"
#include "foreign.h"
#include "remedy.h"
#include "util.h"

/* As much of standard error as one wants to read again. */
#define ERRORS_MAX 4096

void entry_init(struct entry *e, const struct suite_line *line)
{
	*e = (struct entry){
		.name = line->name,
		.timeout_s = line->timeout_s,
		.end = { .code = -1 },
	};
}

void entry_place(struct entry *e, const char *dir)
{
	e->json_path = xasprintf("%s/%s.json", dir, e->name);
	e->ktap_path = xasprintf("%s/%s.ktap", dir, e->name);
	e->stderr_path = xasprintf("%s/%s.stderr", dir, e->name);
}

void entry_forget(struct entry *e)
{
	ktap_free(&e->ktap);
	free(e->kernel);
	free(e->errors);
	free(e->reason);
	e->kernel = NULL;
	e->errors = NULL;
	e->reason = NULL;
	e->outcome = OUTCOME_NOT_RUN;
	e->end = (struct child_end){ .code = -1 };
}

/* What an earlier run has left there must not be taken for this one's. */
static void remove_older(const char *path)
{
	if (unlink(path) && errno != ENOENT)
		die("%s, of an earlier run, cannot be removed: %s", path,
		    errno_text(errno));
}

void entry_run(struct entry *e)
{
	char *const before[] = { e->program ? (char *)e->program->path : NULL,
				 "--json", e->json_path, NULL };
	char **argv;

	remove_older(e->json_path);
	remove_older(e->ktap_path);
	remove_older(e->stderr_path);
	if (!e->program)
		return;
	argv = words_join(before, e->command + 1, NULL);
	e->end = child_run(&(struct child_config){
		.argv = argv,
		.stdout_path = e->ktap_path,
		.stderr_path = e->stderr_path,
		.timeout_ns = e->timeout_s * NSEC_PER_SEC,
	});
	free(argv);
}

bool entry_line_fails(const struct ktap_line *line, enum strictness strict)
{
	switch (line->kind) {
	case KTAP_NOT_OK:
		return true;
	case KTAP_SKIP:
	case KTAP_UNVERIFIED:
		return strict == SKIPS_FAIL;
	default:
		return false;
	}
}

bool entry_has_results(const struct entry *e)
{
	return e->ktap.nr_results > 0 && e->end.code != EXIT_SKIP;
}

const char *outcome_name(enum outcome outcome)
{
	static const char *const names[] = {
		[OUTCOME_NOT_RUN] = "not run",
		[OUTCOME_PASS] = "pass",
		[OUTCOME_FAIL] = "fail",
		[OUTCOME_SKIP] = "skip",
	};

	return names[outcome];
}

/* The last lines, whole ones if there are any; NULL if there are none. */
static char *read_errors(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text, *line;
	size_t len;
	long size;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	fseek(f, size > ERRORS_MAX ? size - ERRORS_MAX : 0, SEEK_SET);
	text = xcalloc(1, ERRORS_MAX + 1);
	len = fread(text, 1, ERRORS_MAX, f);
	fclose(f);
	for (size_t i = 0; i < len; i++)
		if (!text[i])
			text[i] = '?';
	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	line = size > ERRORS_MAX ? strchr(text, '\n') : NULL;
	if (line)
		memmove(text, line + 1, strlen(line));
	if (*text)
		return text;
	free(text);
	return NULL;
}

static const char *member_text(const json_t *object, const char *member)
{
	return json_string_value(json_object_get(object, member));
}

/* Cuts @text, which may be NULL. */
static char *keep_first_line(char *text)
{
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

/* What the program itself says of the reason; NULL: nothing. */
static const char *own_reason(const struct entry *e, const json_t *results)
{
	const struct ktap_line *skip = ktap_find(&e->ktap, KTAP_SKIP);

	if (member_text(results, "reason"))
		return member_text(results, "reason");
	if (e->ktap.bail_out)
		return e->ktap.bail_out;
	if (e->end.code == EXIT_SKIP && skip && skip->why)
		return skip->why;
	return e->errors;
}

static char *first_failed(const struct entry *e, enum strictness strict)
{
	for (size_t i = 0; i < e->ktap.nr; i++) {
		const struct ktap_line *line = &e->ktap.lines[i];

		if (!entry_line_fails(line, strict))
			continue;
		if (line->kind == KTAP_NOT_OK)
			return xasprintf("not ok: %s%s%s", line->text,
					 line->detail ? ": " : "",
					 line->detail ? line->detail : "");
		return xasprintf("%s fails by --strict: %s: %s",
				 line->kind == KTAP_SKIP ? "a skip" :
							   "\"not verified\"",
				 line->text, line->why);
	}
	return NULL;
}

/* What a program that claims to have passed, or failed a check, owes. */
static char *missing(const struct entry *e, const json_t *results)
{
	const char *verdict = member_text(results, "verdict");

	if (!e->ktap.nr_results)
		return xstrdup("no results on its standard output");
	if ((size_t)e->ktap.planned != e->ktap.nr_results)
		return xasprintf("%zu results, where %ld were planned",
				 e->ktap.nr_results, e->ktap.planned);
	if (!verdict)
		return xstrdup("no results file, or one that is no JSON");
	if (e->end.code == EXIT_PASS && ktap_find(&e->ktap, KTAP_NOT_OK))
		return xstrdup("exit code 0, though not all is ok");
	if (strcmp(verdict, e->end.code == EXIT_PASS ? "pass" : "fail"))
		return xasprintf("exit code %d, where the verdict is %s",
				 e->end.code, verdict);
	return NULL;
}

static bool has_failed_orderly(const struct entry *e, const json_t *results)
{
	char *why;

	if (e->end.code != EXIT_FAIL || !ktap_find(&e->ktap, KTAP_NOT_OK))
		return false;
	why = missing(e, results);
	free(why);
	return !why;
}

/* The end of a program that ended before it had told all; NULL: it has. */
static char *abnormal_end(const struct entry *e, const json_t *results,
			  const char *tests)
{
	const struct child_end *end = &e->end;
	const char *own = own_reason(e, results);

	if (!e->program)
		return xasprintf("no such benchmark in %s", tests);
	if (end->error)
		return xasprintf("cannot be started: %s%s",
				 strerror(end->error),
				 process_remedy(end->error));
	if (end->timed_out)
		return xasprintf("ended at the time limit of %llu s%s",
				 (unsigned long long)e->timeout_s,
				 child_why_late(end));
	if (end->signal)
		return child_signal_text(end);
	if (end->code == EXIT_PASS)
		return missing(e, results);
	if (has_failed_orderly(e, results))
		return NULL;
	if (end->code == EXIT_SKIP)
		return NULL;
	if (own)
		return xasprintf("exit code %d: %s", end->code, own);
	return xasprintf("exit code %d", end->code);
}

static void judge_skip(struct entry *e, const json_t *results,
		       enum strictness strict)
{
	const char *own = own_reason(e, results);

	if (!own)
		own = "it gives no reason";
	e->outcome = strict == SKIPS_FAIL ? OUTCOME_FAIL : OUTCOME_SKIP;
	e->reason = strict == SKIPS_FAIL ?
			    xasprintf("a skip fails by --strict: %s", own) :
			    xstrdup(own);
	e->abnormal = true;
}

static void judge(struct entry *e, const json_t *results,
		  enum strictness strict, const char *tests)
{
	if (e->end.interrupted) {
		e->outcome = OUTCOME_NOT_RUN;
		e->reason = xasprintf("interrupted by signal %d (%s)",
				      child_interrupted(),
				      strsignal(child_interrupted()));
		e->abnormal = true;
		return;
	}
	if (e->end.code == EXIT_SKIP) {
		judge_skip(e, results, strict);
		return;
	}
	e->reason = keep_first_line(abnormal_end(e, results, tests));
	e->abnormal = e->reason;
	if (!e->reason)
		e->reason = first_failed(e, strict);
	e->outcome = e->reason ? OUTCOME_FAIL : OUTCOME_PASS;
}

static void add_reason(struct entry *e, const char *why)
{
	char *reason = e->reason;

	if (!reason)
		return;
	e->reason = xasprintf("%s (%s)", reason, why);
	free(reason);
}

/* Results may have millions of samples: no tree outlives its judgement. */
void entry_judge(struct entry *e, enum strictness strict, const char *tests)
{
	char *why = NULL;
	json_t *results = foreign_read(e->json_path, &why);
	const char *kernel =
		member_text(json_object_get(results, "host"), "kernel");
	int error = ktap_read(&e->ktap, e->ktap_path);
	char *of_ktap = xasprintf("%s: %s", e->ktap_path, errno_text(error));

	ktap_attach(&e->ktap, results);
	e->kernel = kernel ? xstrdup(kernel) : NULL;
	e->errors = read_errors(e->stderr_path);
	judge(e, results, strict, tests);
	/* what is there, and says nothing since it could not be read */
	if (!results && why && access(e->json_path, F_OK) == 0 &&
	    why[strlen(e->json_path)] == ':' &&
	    why[strlen(e->json_path) + 1] == ' ')
		add_reason(e, why);
	else if (error && error != ENOENT)
		add_reason(e, of_ktap);
	free(of_ktap);
	free(why);
	json_decref(results);
}

bool entry_is_complete(const struct entry *e)
{
	return (e->outcome == OUTCOME_PASS || e->outcome == OUTCOME_FAIL) &&
	       !e->abnormal;
}
