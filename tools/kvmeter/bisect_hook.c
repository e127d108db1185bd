/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that build, boot and run a commit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bisect.h"
#include "child.h"
#include "clock.h"
#include "escape.h"
#include "remedy.h"
#include "util.h"

/* A shell's: the program is none, or not there. Nor can a hook do its work. */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

/* Lines of a failed hook's output that are repeated. */
#define TAIL_LINES 20

void hooks_check(const struct bisect *b)
{
	enum hook hook;

	for (hook = 0; hook < NR_HOOKS; hook++) {
		const char *program = b->hooks[hook] ? b->hooks[hook][0] : NULL;
		char *path;

		if (!program)
			continue;
		path = child_find_program(program);
		if (!path || access(path, X_OK))
			step_abort("%s hook: %s: %s", hook_name(hook), program,
				   path ? errno_text(errno) : "not in PATH");
		free(path);
	}
}

/* The words, with {} replaced; to be freed, but not the words. */
static char **words_of(const struct bisect *b, const struct hook_run *run)
{
	char **words = b->hooks[run->hook], **copy;
	size_t nr = 0, i;

	while (words[nr])
		nr++;
	copy = xcalloc(nr + 1, sizeof(*copy));
	for (i = 0; i < nr; i++)
		copy[i] = strcmp(words[i], "{}") ? words[i] :
						   (char *)run->result;
	return copy;
}

static void set_environment(const struct hook_run *run)
{
	char number[24];

	snprintf(number, sizeof(number), "%llu",
		 (unsigned long long)run->invocation);
	setenv("KVMETER_HOOK", hook_name(run->hook), 1);
	setenv("KVMETER_COMMIT", run->commit, 1);
	setenv("KVMETER_RESULT", run->result, 1);
	setenv("KVMETER_INVOCATION", number, 1);
}

static void show_line(char *line)
{
	line[strcspn(line, "\n")] = '\0';
	fputs("  | ", stderr);
	escape_lines(line, stderr);
	fputc('\n', stderr);
}

/* What it said at last. */
static void show_tail(const char *path)
{
	FILE *in = fopen(path, "re");
	char *lines[TAIL_LINES] = { NULL }, *line = NULL;
	size_t size = 0, nr = 0, i;

	while (in && getline(&line, &size, in) >= 0) {
		free(lines[nr % TAIL_LINES]);
		lines[nr++ % TAIL_LINES] = xstrdup(line);
	}
	for (i = nr > TAIL_LINES ? nr - TAIL_LINES : 0; i < nr; i++)
		show_line(lines[i % TAIL_LINES]);
	for (i = 0; i < TAIL_LINES; i++)
		free(lines[i]);
	free(line);
	if (in)
		fclose(in);
}

/* NULL if it is 0. */
static char *judge_end(const struct bisect *b, const struct hook_run *run,
		       const struct child_end *end)
{
	const char *name = hook_name(run->hook);

	if (end->interrupted)
		step_interrupted();
	if (end->error)
		step_abort("%s hook: %s: cannot be started: %s", name,
			   b->hooks[run->hook][0], errno_text(end->error));
	if (end->timed_out)
		return xasprintf("%s hook: no end within %llu s%s", name,
				 (unsigned long long)b->hook_timeout_s,
				 child_why_late(end));
	if (end->signal) {
		char *how = child_signal_text(end);
		char *why = xasprintf("%s hook: %s", name, how);

		free(how);
		return why;
	}
	if (end->code == EXIT_NOT_EXECUTABLE || end->code == EXIT_NOT_FOUND) {
		show_tail(run->output);
		step_abort("%s hook: exit %d: it cannot do its work, for any "
			   "commit (%s)",
			   name, end->code, run->output);
	}
	return end->code ? xasprintf("%s hook: exit %d", name, end->code) :
			   NULL;
}

char *hook_run(const struct bisect *b, const struct hook_run *run)
{
	struct child_config child = {
		.stdout_path = run->output,
		.stderr_path = run->output,
		.timeout_ns = b->hook_timeout_s * NSEC_PER_SEC,
	};
	struct child_end end;
	char **words, *why;

	set_environment(run);
	words = words_of(b, run);
	child.argv = words;
	end = child_run(&child);
	free(words);
	why = judge_end(b, run, &end);
	if (why)
		show_tail(run->output);
	return why;
}
