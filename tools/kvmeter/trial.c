/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "child.h"
#include "remedy.h"
#include "trial.h"
#include "turns.h"
#include "util.h"

static char side_name(int side)
{
	return (char)('A' + side);
}

static void show_progress(const struct trial *t, size_t i)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s: %zu of %zu (%c)",
			program_invocation_short_name, i + 1, 2 * t->pairs,
			side_name(turn_side(i)));
}

static void clear_progress(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* The last lines of a file, each begun anew; to be freed. */
static char *last_lines(const char *path, int nr)
{
	char *text = read_text("%s", path), *from, *result;

	if (!text || !*text) {
		free(text);
		return xasprintf("it said nothing: is there room for %s?",
				 path);
	}
	for (from = text + strlen(text); from > text; from--)
		if (from[-1] == '\n' && --nr == 0)
			break;
	result = xstrdup(from);
	free(text);
	return result;
}

/* How it ended, if not by passing; to be freed. */
static char *fault_of(const struct child_end *end, u64 timeout_ns)
{
	if (end->error)
		return xasprintf("cannot be started: %s%s",
				 strerror(end->error),
				 process_remedy(end->error));
	if (end->timed_out)
		return xasprintf("no end within %llu s (--time-limit)%s",
				 (unsigned long long)(timeout_ns / 1000000000),
				 child_why_late(end));
	if (end->signal)
		return child_signal_text(end);
	return end->code ? xasprintf("exit code %d", end->code) : NULL;
}

static void __noreturn stop(size_t i, const struct child_end *ended,
			    const char *fault, const char *said)
{
	int code = !ended->signal && !ended->timed_out &&
				   (ended->code == EXIT_SKIP ||
				    ended->code == EXIT_USAGE) ?
			   ended->code :
			   EXIT_FAIL;

	end(code, "invocation %zu (%c): %s:\n%s", i + 1,
	    side_name(turn_side(i)), fault, said);
}

static void __noreturn interrupted(const struct trial *t, size_t i)
{
	int sig = child_interrupted();

	end(EXIT_INTERRUPTED + sig,
	    "interrupted by signal %d (%s) in invocation %zu of %zu", sig,
	    strsignal(sig), i + 1, 2 * t->pairs);
}

/* Its number has as many digits as the last one's: names sort as in time. */
static char *file_of(const struct trial *t, size_t i, const char *suffix)
{
	int digits = snprintf(NULL, 0, "%zu", 2 * t->pairs);

	return xasprintf("%s/%0*zu%s", t->sides[turn_side(i)].directory,
			 digits > 3 ? digits : 3, i + 1, suffix);
}

static void run_one(const struct trial *t, size_t i)
{
	const struct trial_side *side = &t->sides[turn_side(i)];
	char *json = file_of(t, i, ".json");
	char *text = file_of(t, i, ".txt");
	char *errors = file_of(t, i, ".err");
	char *program[] = { (char *)side->program, NULL };
	char *ours[] = { "--quiet", "--json", json, NULL };
	char **argv = words_join(program, side->options, ours, NULL);
	static char *fault, *said; /* seen until the process has ended */
	struct child_end ended;

	ended = child_run(&(struct child_config){
		.argv = argv,
		.stdout_path = text,
		.stderr_path = errors,
		.timeout_ns = t->timeout_ns,
	});
	fault = fault_of(&ended, t->timeout_ns);
	if (fault)
		said = last_lines(errors, 10);
	if ((!fault || ended.error) && unlink(errors) && errno != ENOENT)
		warn("%s cannot be removed: %s", errors, errno_text(errno));
	free(argv);
	free(errors);
	free(text);
	free(json);
	if (fault || child_interrupted())
		clear_progress();
	if (child_interrupted())
		interrupted(t, i);
	if (fault)
		stop(i, &ended, fault, said);
}

void trial_run(const struct trial *t)
{
	size_t i;

	for (i = 0; i < 2 * t->pairs; i++) {
		show_progress(t, i);
		settings_choose(t->settings, turn_side(i));
		run_one(t, i);
	}
	clear_progress();
}
