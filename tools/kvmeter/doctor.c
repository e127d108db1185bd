/* SPDX-License-Identifier: GPL-2.0-only */
/* kvmeter doctor */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "disturb.h"
#include "doctor.h"
#include "fill.h"
#include "json.h"
#include "kvmeter.h"
#include "options.h"
#include "util.h"

struct doctor_config {
	int format;
	bool strict;
	bool help;
};

static const struct doctor_probe *const tables[] = { doctor_kvm_probes,
						     doctor_memory_probes,
						     doctor_limit_probes,
						     doctor_tool_probes, NULL };

/* What disturb.h finds: it has probes of its own. */
static const struct doctor_probe noise = { .name = "noise" };

const char *finding_state_name(enum finding_state state)
{
	static const char *const names[] = {
		[FINDING_OK] = "ok",
		[FINDING_HINDERS] = "no",
		[FINDING_DISTURBS] = "noisy",
		[FINDING_UNKNOWN] = "unknown",
	};

	return names[state];
}

void doctor_found(struct doctor *d, const char *about, enum finding_state state,
		  char *seen, char *remedy)
{
	d->findings = xrealloc(d->findings, d->nr + 1, sizeof(*d->findings));
	d->findings[d->nr++] = (struct finding){
		.probe = d->probe,
		.name = about && d->probe == &noise ? xstrdup(about) :
			about ? xasprintf("%s %s", d->probe->name, about) :
				xstrdup(d->probe->name),
		.state = state,
		.seen = seen,
		.remedy = remedy,
	};
}

/* Not getpwuid(): a static program should need no library at run time. */
char *doctor_user_name(void)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *user;
	char *name = NULL;

	while (file && !name && (user = fgetpwent(file)))
		if (user->pw_uid == geteuid())
			name = xstrdup(user->pw_name);
	if (file)
		fclose(file);
	return name ? name : xasprintf("%u", geteuid());
}

static void examine_noise(struct doctor *d)
{
	static const enum finding_state states[] = {
		[QUIET] = FINDING_OK,
		[DISTURBS] = FINDING_DISTURBS,
		[UNKNOWN] = FINDING_UNKNOWN,
	};
	struct disturbance *list;
	size_t nr = disturbances_read(&list);

	d->probe = &noise;
	for (size_t i = 0; i < nr; i++)
		doctor_found(d, list[i].name, states[list[i].state],
			     xstrdup(list[i].seen),
			     list[i].remedy ? xstrdup(list[i].remedy) : NULL);
	disturbances_free(list, nr);
}

void doctor_examine(struct doctor *d)
{
	*d = (struct doctor){ .kvm_fd = -1, .vm_fd = -1 };
	host_read(&d->host);
	for (size_t i = 0; tables[i]; i++) {
		for (d->probe = tables[i]; d->probe->name; d->probe++)
			d->probe->look(d);
	}
	examine_noise(d);
	if (d->vm_fd >= 0)
		close(d->vm_fd);
	if (d->kvm_fd >= 0)
		close(d->kvm_fd);
}

/* The first thing without which nothing runs; NULL: it does. */
static const struct finding *find_obstacle(const struct doctor *d)
{
	for (size_t i = 0; i < d->nr; i++)
		if (d->findings[i].probe->vital &&
		    d->findings[i].state == FINDING_HINDERS)
			return &d->findings[i];
	return NULL;
}

static size_t count(const struct doctor *d, enum finding_state state)
{
	size_t nr = 0;

	for (size_t i = 0; i < d->nr; i++)
		nr += d->findings[i].state == state;
	return nr;
}

/* "Benchmarks run here; ..."; to be freed. */
static char *conclude(const struct doctor *d)
{
	const struct finding *obstacle = find_obstacle(d);
	size_t hinder = count(d, FINDING_HINDERS);
	size_t disturb = count(d, FINDING_DISTURBS);

	if (obstacle)
		return xasprintf("No benchmark can run here: %s: %s.",
				 obstacle->name, obstacle->seen);
	if (!hinder && !disturb)
		return xstrdup("Everything runs here, and nothing is known to "
			       "disturb it.");
	return xasprintf("Benchmarks run here; %zu thing%s missing for some "
			 "of what they can do, and %zu make%s times spread.",
			 hinder, hinder == 1 ? " is" : "s are", disturb,
			 disturb == 1 ? "s" : "");
}

#define NAME_WIDTH 22
#define STATE_WIDTH 7
#define INDENT (STATE_WIDTH + 1 + NAME_WIDTH + 1)

static void print_text(const struct doctor *d)
{
	char *conclusion = conclude(d);

	for (size_t i = 0; i < d->nr; i++) {
		const struct finding *f = &d->findings[i];
		const char *hinders = f->probe->hinders;

		printf("%-*s %s", STATE_WIDTH, finding_state_name(f->state),
		       f->name);
		if (strlen(f->name) > NAME_WIDTH)
			printf("\n%*s", INDENT, "");
		else
			printf("%*s", (int)(NAME_WIDTH + 1 - strlen(f->name)),
			       "");
		fill(f->seen, INDENT, stdout);
		if (f->state == FINDING_HINDERS) {
			printf("%*s", INDENT, "");
			fill(hinders, INDENT, stdout);
		}
		if (f->remedy)
			printf("%*s> %s\n", INDENT, "", f->remedy);
	}
	putchar('\n');
	fill(conclusion, 0, stdout);
	free(conclusion);
}

static void print_json(const struct doctor *d)
{
	char *conclusion = conclude(d);
	struct json j;

	json_init(&j, stdout);
	json_object_begin(&j, NULL);
	json_text(&j, "schema", "kvmeter-doctor/1");
	json_bool(&j, "can_run", !find_obstacle(d));
	json_u64(&j, "hinder", count(d, FINDING_HINDERS));
	json_u64(&j, "disturb", count(d, FINDING_DISTURBS));
	json_text(&j, "conclusion", conclusion);
	json_array_begin(&j, "findings");
	for (size_t i = 0; i < d->nr; i++) {
		const struct finding *f = &d->findings[i];

		json_object_begin(&j, NULL);
		json_text(&j, "name", f->name);
		json_text(&j, "question", f->probe->question);
		json_text(&j, "state", finding_state_name(f->state));
		json_text(&j, "seen", f->seen);
		json_text(&j, "hinders",
			  f->state == FINDING_HINDERS ? f->probe->hinders :
							NULL);
		json_text(&j, "remedy", f->remedy);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	free(conclusion);
}

static const char *const format_names[] = { "text", "json", NULL };
static void (*const formats[])(const struct doctor *d) = { print_text,
							   print_json };

static const struct doctor_config defaults;

/* clang-format off */
static const struct option_row rows[] = {
	{ OPT_CHOICE, 'f', "format", "FORMAT",
	  offsetof(struct doctor_config, format),
	  "how to print it", 0, 0, format_names, NULL, true },
	{ OPT_FLAG, 0, "strict", NULL, offsetof(struct doctor_config, strict),
	  "exit 1 if anything hinders or disturbs", FLAG_ROW },
	{ OPT_FLAG, 'h', "help", NULL, offsetof(struct doctor_config, help),
	  "print this", FLAG_ROW },
	{ .type = OPT_END },
};
/* clang-format on */

static const struct option_row *const option_tables[] = { rows, NULL };
static const struct option_set set = {
	.program = "kvmeter doctor",
	.summary =
		"Says whether this host can run the benchmarks, what they will miss, and what\n"
		"disturbs them, with the command that helps. Needs no root and changes nothing.\n"
		"Exit: 0, or 4 if no benchmark can run, or with --strict 1 if not all is well.",
	.tables = option_tables,
};

int command_doctor(int argc, char **argv)
{
	struct doctor_config config = defaults;
	static struct doctor d; /* for leak checkers, as compare.c */

	options_parse(&set, &config, argc, argv);
	if (config.help) {
		options_help(&set, &defaults, stdout);
		return EXIT_PASS;
	}
	doctor_examine(&d);
	formats[config.format](&d);
	if (find_obstacle(&d))
		return EXIT_SKIP;
	if (config.strict &&
	    count(&d, FINDING_HINDERS) + count(&d, FINDING_DISTURBS))
		return EXIT_FAIL;
	return EXIT_PASS;
}
