/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up reader of results files, with the fault that $FUZZ_FAULT names:
 * each lies behind what random bytes would not get through. To be found.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "../../tools/kvmeter/input.h"
#include "fuzz.h"
#include "util.h"

static struct side side;

/* A run more than one has room for. */
static void overflow(const struct series *s)
{
	double *first = xcalloc(12, sizeof(*first));
	size_t i;

	for (i = 0; i < s->nr; i++)
		first[i] = s->values[i];
	free(first);
}

static void divide(const struct series *s)
{
	u64 vcpus = s->vcpus & 0xff;

	if (s->bytes / vcpus == 0)
		warn("no bytes");
}

static void leak(const struct series *s)
{
	if (s->nr > 6)
		memset(xcalloc(1, 100), 0, 1);
}

static void spin(const struct series *s)
{
	volatile bool longer = s->nr > 8;

	while (longer)
		;
}

static void end_wrongly(const struct series *s)
{
	if (s->vcpus > 4)
		end(77, "too many");
}

static void end_silently(const struct series *s)
{
	if (s->higher_is_better && s->nr > 3)
		die("%s", "");
}

static void print_markup(const struct series *s)
{
	const char *text;
	size_t bytes;

	fprintf(fuzz_stream_open(), "<p>%s</p>", s->metric);
	text = fuzz_stream_end(&bytes);
	judge_markup("markup", text, bytes);
	free((char *)text);
}

/* As it is in the file: input.c would have made text of it. */
static void print_raw(const struct series *s)
{
	json_t *root = json_load_file(fuzz_target.files[0], 0, NULL);
	const char *text = json_string_value(json_object_get(root, "started"));

	(void)s;
	if (text)
		judge_plain("text", text, strlen(text));
	json_decref(root);
}

static const struct fault {
	const char *name;
	void (*have)(const struct series *s);
} faults[] = {
	{ "overflow", overflow },
	{ "division", divide },
	{ "leak", leak },
	{ "spin", spin },
	{ "exit code", end_wrongly },
	{ "no message", end_silently },
	{ "markup", print_markup },
	{ "control", print_raw },
	{ "none", NULL },
};

static void run(size_t nr)
{
	const char *wanted = getenv("FUZZ_FAULT");
	struct problems p = { 0, NULL };
	size_t i, f;

	(void)nr;
	side = (struct side){ 0 };
	side_read(&side, fuzz_target.files[0], INPUT_FAILED_TAKEN, &p);
	for (f = 0; f < ARRAY_SIZE(faults); f++)
		for (i = 0; i < side.nr_series && !p.nr; i++)
			if (wanted && faults[f].have &&
			    !strcmp(wanted, faults[f].name))
				faults[f].have(&side.series[i]);
	free(p.text);
}

const struct fuzz_target fuzz_target = {
	.files = { "a.json", NULL },
	.runs = { run, NULL },
};
