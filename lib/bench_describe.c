/* SPDX-License-Identifier: GPL-2.0-only */
#include "bench_describe.h"
#include "json.h"
#include "version.h"

static void choices(const struct option_row *row, struct json *j)
{
	json_array_begin(j, "choices");
	for (size_t i = 0; row->choices[i]; i++)
		json_text(j, NULL, row->choices[i]);
	json_array_end(j);
}

static void option(const struct option_row *row, const void *defaults,
		   struct json *j)
{
	char name[OPTION_NAME_MAX + sizeof("no-")];
	char letter[] = { row->letter, '\0' };

	snprintf(name, sizeof(name), "%s%s", option_prefix(row), row->name);
	json_object_begin(j, NULL);
	json_text(j, "name", name);
	json_text(j, "letter", row->letter ? letter : NULL);
	json_text(j, "argument", option_takes_value(row) ? row->arg : NULL);
	json_text(j, "help", row->help);
	option_json_as(row, defaults, "default", j);
	if (row->type == OPT_CHOICE)
		choices(row, j);
	json_object_end(j);
}

static void options_of(const struct option_set *set, const void *defaults,
		       struct json *j)
{
	const struct option_row *const *table, *row;

	json_array_begin(j, "options");
	for (table = set->tables; *table; table++)
		for (row = *table; row->type != OPT_END; row++)
			option(row, defaults, j);
	json_array_end(j);
}

static void metrics(const struct metric_row *rows, struct json *j)
{
	json_array_begin(j, "metrics");
	for (const struct metric_row *m = rows; m->name; m++) {
		json_object_begin(j, NULL);
		json_text(j, "name", m->name);
		json_text(j, "unit", metric_unit_name(m->unit));
		json_text(j, "better", metric_better_name(m));
		json_text(j, "help", m->help);
		json_object_end(j);
	}
	json_array_end(j);
}

static void checks(const struct bench *bench, struct json *j)
{
	json_array_begin(j, "checks");
	for (const struct check_row *c = bench->checks; c->name; c++) {
		json_object_begin(j, NULL);
		json_text(j, "name", c->name);
		json_text(j, "metric",
			  c->metric < 0 ? NULL :
					  bench->metrics[c->metric].name);
		json_object_end(j);
	}
	json_array_end(j);
}

void bench_describe(const struct bench *bench, const struct option_set *options,
		    FILE *out)
{
	struct json j;

	json_init(&j, out);
	json_object_begin(&j, NULL);
	json_text(&j, "schema", BENCH_DESCRIBE_SCHEMA);
	json_text(&j, "bench", bench->name);
	json_text(&j, "version", KVMETER_VERSION);
	json_text(&j, "question", bench->question);
	options_of(options, bench->defaults, &j);
	metrics(bench->metrics, &j);
	checks(bench, &j);
	json_object_end(&j);
}
