/* SPDX-License-Identifier: GPL-2.0-only */
/* State, results and log, as kvmeter bisect reads them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../../tools/kvmeter/bisect.h"
#include "../../tools/kvmeter/compare.h"
#include "fuzz.h"
#include "units.h"
#include "util.h"

#define STATE fuzz_target.files[0]
#define COMMIT fuzz_target.files[1]
#define LOG fuzz_target.files[2]
#define SAVED "saved"

/* As in the commands, what lives until the end is where leak checkers look. */
static struct bisect recorded, loaded;
static struct side commit;
static struct threshold_figure *values;
static struct problems problems;

static void judge_figures(const struct bisect *b)
{
	char change[UNIT_LEN];
	size_t i;

	values = xcalloc(b->nr_figures, sizeof(*values));
	for (i = 0; i < b->nr_figures; i++)
		if (!bisect_values(b, &b->figures[i], &commit, &values[i]))
			return;
	threshold_judge(values, b->nr_figures, bisect_alpha(b));
	for (i = 0; i < b->nr_figures; i++) {
		threshold_interval(&values[i]);
		free(bisect_figure_text(&b->figures[i]));
		report_change(change, values[i].change);
		if (!(values[i].p_good >= 0) || !(values[i].p_bad >= 0))
			fuzz_fault("a p that is none");
	}
}

static void load(void)
{
	problems = (struct problems){ 0, NULL };
	loaded = (struct bisect){ 0 };
	commit = (struct side){ 0 };
	values = NULL;
	bisect_load(&loaded, STATE, &problems);
}

/* As kvmeter bisect step does after the hooks. */
static void step(size_t nr)
{
	struct step s = {
		.commit = "0123456789abcdef",
		.subject = "",
		.code = STEP_BAD,
		.runs = 1,
		.of = &loaded,
	};

	load();
	if (problems.nr || nr < 2)
		return;
	side_read(&commit, COMMIT, INPUT_FAILED_FINAL, &problems);
	if (problems.nr)
		return;
	judge_figures(&loaded);
	s.values = values;
	s.last = commit.files[0];
	log_append(LOG, &s);
}

/* What record makes of two results files can be loaded. */
static void record(size_t nr)
{
	struct bisect_choice choice = { .threshold = nr > 1 ? 0 : 0.05 };
	static char *run[] = { "true", NULL };

	/* what is a state is tried as one */
	load();
	if (!problems.nr)
		return;
	free(problems.text);
	problems = (struct problems){ 0, NULL };
	recorded = (struct bisect){
		.path = SAVED,
		.alpha = 0.01,
		.max_runs = 2,
		.hook_timeout_s = 1,
		.hooks[HOOK_RUN] = run,
	};
	side_read(&recorded.good, STATE, INPUT_FAILED_REFUSED, &problems);
	if (nr > 1)
		side_read(&recorded.bad, COMMIT, INPUT_FAILED_REFUSED,
			  &problems);
	if (problems.nr)
		return;
	bisect_choose(&recorded, &choice);
	bisect_save(&recorded);
	bisect_load(&loaded, SAVED, &problems);
	if (problems.nr)
		fuzz_fault("what was recorded is refused: %s", problems.text);
}

static void print_log(size_t nr)
{
	const char *text;
	size_t bytes;

	if (nr < 3)
		return;
	log_print(LOG, fuzz_stream_open());
	text = fuzz_stream_end(&bytes);
	judge_plain("bisect log", text, bytes);
	free((char *)text);
}

const struct fuzz_target fuzz_target = {
	.files = { "state", "commit.json", "log", NULL },
	.runs = { step, record, print_log, NULL },
};
