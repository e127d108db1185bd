/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <string.h>

#include "bench_man.h"
#include "troff.h"
#include "util.h"
#include "version.h"

static void heading(const char *name, FILE *out)
{
	fprintf(out, ".SH %s\n", name);
}

static void paragraph(const char *text, FILE *out)
{
	troff_text(text, out);
	fputc('\n', out);
}

static void title(const struct bench *bench, FILE *out)
{
	fputs(".TH ", out);
	for (const char *s = bench->name; *s; s++)
		fputc(toupper((unsigned char)*s), out);
	fprintf(out, " 1 " KVMETER_DATE " \"kvmeter %s\" \"kvmeter\"\n",
		KVMETER_VERSION);
	heading("NAME", out);
	fputs(bench->name, out);
	fputs(" \\- ", out);
	paragraph(bench->question, out);
	heading("SYNOPSIS", out);
	troff_bold(bench->name, out);
	fputs(" [\\fIOPTION\\fR]...\n", out);
}

static void description(const struct bench *bench, FILE *out)
{
	heading("DESCRIPTION", out);
	troff_bold(bench->name, out);
	paragraph(" drives /dev/kvm with a guest of its own and times the "
		  "phases listed below. Each run is a fresh VM; all vCPUs are "
		  "released together, and a phase ends when the last has "
		  "arrived. Setting up is outside of the times, and each phase "
		  "is checked for having done what its name says.",
		  out);
	fputs(".PP\n", out);
	paragraph("Options that take a list of values sweep: each combination "
		  "is measured and reported on its own.",
		  out);
	fputs(".PP\n", out);
	paragraph("Sizes take the suffixes K, M, G and T, powers of 1024.",
		  out);
}

static void metrics(const struct bench *bench, FILE *out)
{
	heading("METRICS", out);
	for (const struct metric_row *m = bench->metrics; m->name; m++) {
		const char *better = metric_better_name(m);

		fputs(".TP\n", out);
		troff_bold(m->name, out);
		fprintf(out, " (%s, %s is better)\n", metric_unit_name(m->unit),
			better ? better : "neither");
		paragraph(m->help, out);
	}
}

static void checks(const struct bench *bench, FILE *out)
{
	heading("CHECKS", out);
	paragraph("One result each for every point of the sweep:", out);
	for (const struct check_row *c = bench->checks; c->name; c++) {
		fputs(".IP \\(bu 2\n", out);
		paragraph(c->name, out);
	}
}

static void output(FILE *out)
{
	heading("OUTPUT", out);
	paragraph(
		"KTAP version 1. Lines that begin with # are for people: the "
		"host, a table with median, least and greatest sample of each "
		"metric, notes. What stands before the # of a result "
		"is its name, the same in every run. The column \302\26195% is the distance from "
		"the median to the farther end of its 95 % confidence "
		"interval, which takes six runs. \"Not verified\" says "
		"that this host offers no proof for a phase, and why.",
		out);
}

static const struct {
	const char *code, *meaning;
} exit_codes[] = {
	{ "0", "All checks passed, or could not be verified." },
	{ "1", "A check failed, or the guest broke." },
	{ "2", "The command line makes no sense; nothing was run." },
	{ "4", "Skipped: this host lacks something, which the message names; "
	       "nothing was measured." },
	{ "129, 130, 143, 152",
	  "Interrupted by SIGHUP, SIGINT or SIGTERM, or by SIGXCPU at a limit of "
	  "CPU time. What has been measured is there." },
};

static void exit_status(FILE *out)
{
	heading("EXIT STATUS", out);
	for (size_t i = 0; i < ARRAY_SIZE(exit_codes); i++) {
		fputs(".TP\n", out);
		troff_bold(exit_codes[i].code, out);
		fputc('\n', out);
		paragraph(exit_codes[i].meaning, out);
	}
}

static void environment(FILE *out)
{
	heading("ENVIRONMENT", out);
	fputs(".TP\n", out);
	troff_bold("KVMETER_STRICT", out);
	fputc('\n', out);
	paragraph("Set to anything but 0 or nothing: as --strict.", out);
}

static const struct {
	const char *arguments, *meaning;
} examples[] = {
	{ "--vcpus 1,2,4 --bytes 64M", "One, two and four vCPUs." },
	{ "--backing anonymous_thp --json results.json",
	  "Over transparent huge pages, with all samples in a file." },
	{ "--quiet --strict --runs 6",
	  "For scripts: results only, and nothing left unproven." },
};

static void print_examples(const struct bench *bench, FILE *out)
{
	heading("EXAMPLES", out);
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		fputs(".TP\n", out);
		troff_bold(bench->name, out);
		fputc(' ', out);
		troff_bold(examples[i].arguments, out);
		fputc('\n', out);
		paragraph(examples[i].meaning, out);
	}
}

void bench_man(const struct bench *bench, const struct option_set *options,
	       FILE *out)
{
	title(bench, out);
	description(bench, out);
	options_man(options, bench->defaults, out);
	metrics(bench, out);
	checks(bench, out);
	output(out);
	exit_status(out);
	environment(out);
	print_examples(bench, out);
	heading("SEE ALSO", out);
	paragraph("doc/reading.md of kvmeter's sources, on how to read each "
		  "metric; Documentation/virt/kvm/api.rst of the kernel's.",
		  out);
}
