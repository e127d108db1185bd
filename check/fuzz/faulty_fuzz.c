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
	if (s->nr > 5)
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
	if (s->vcpus > 4 && s->nr > 3)
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
static void print_raw(void)
{
	json_t *root = json_load_file(fuzz_target.files[0], 0, NULL);
	const char *text = json_string_value(json_object_get(root, "started"));

	if (text)
		judge_plain("text", text, strlen(text));
	json_decref(root);
}

static const struct fault {
	const char *name;
	void (*of_series)(const struct series *s);
	void (*of_file)(void);
} faults[] = {
	{ "overflow", overflow, NULL },
	{ "division", divide, NULL },
	{ "leak", leak, NULL },
	{ "spin", spin, NULL },
	{ "exit code", end_wrongly, NULL },
	{ "no message", end_silently, NULL },
	{ "markup", print_markup, NULL },
	{ "control", NULL, print_raw },
};

static void have(const struct fault *f, bool can_be_read)
{
	size_t i;

	if (f->of_file)
		f->of_file();
	for (i = 0; f->of_series && can_be_read && i < side.nr_series; i++)
		f->of_series(&side.series[i]);
}

static void run(size_t nr)
{
	const char *wanted = getenv("FUZZ_FAULT");
	struct problems p = { 0, NULL };
	size_t f;

	(void)nr;
	side = (struct side){ 0 };
	side_read(&side, fuzz_target.files[0], INPUT_FAILED_TAKEN, &p);
	for (f = 0; f < ARRAY_SIZE(faults); f++)
		if (wanted && !strcmp(wanted, faults[f].name))
			have(&faults[f], !p.nr);
	free(p.text);
}

const struct fuzz_target fuzz_target = {
	.files = { "a.json", NULL },
	.runs = { run, NULL },
};
