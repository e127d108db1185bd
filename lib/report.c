/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "report.h"
#include "report_locks.h"
#include "report_tail.h"
#include "stats.h"
#include "steal.h"
#include "units.h"
#include "util.h"

/* Every line of @text after "# ", the first one after "# " and @label. */
static void diagnostic(FILE *out, const char *label, const char *text)
{
	for (;;) {
		size_t bytes = strcspn(text, "\n");
		char *line = xasprintf("%.*s", (int)bytes, text);

		fprintf(out, "# %s", label);
		escape_line(line, out);
		fputc('\n', out);
		free(line);
		if (!text[bytes])
			break;
		label = "";
		text += bytes + 1;
	}
}

static void print_config(const struct session *s)
{
	const struct bench_config *c = s->common;

	fprintf(s->text,
		"# config: backing %s, mode %s, slots %llu, runs %llu after "
		"%llu for warm-up, rounds %llu\n",
		c->backing, c->mode, (unsigned long long)c->slots,
		(unsigned long long)c->runs, (unsigned long long)c->warmup,
		(unsigned long long)c->rounds);
}

void report_flush(struct session *s)
{
	int error = flush_stream(s->text);

	if (!s->text_error)
		s->text_error = error;
}

/* Out at once: what comes later may never come. */
static void print_plan(struct session *s, unsigned int results)
{
	s->begun = true;
	fprintf(s->text, "KTAP version 1\n1..%u\n", results);
	report_flush(s);
}

void report_begin(struct session *s)
{
	print_plan(s, s->nr_checks * s->nr_points);
	if (s->common->quiet)
		return;
	fprintf(s->text, "# %s: %s\n", s->bench->name, s->bench->question);
	host_print(&s->host, "# ", s->text);
	print_config(s);
	if (s->left_out)
		diagnostic(s->text, "", s->left_out);
	report_flush(s);
}

/* "65536 x 4K", "NOT OK: ...", "not verified: ..." */
static void print_check(FILE *out, const struct check_state *c, const char *sep)
{
	static const char *const prefix[] = {
		[CHECK_NOT_REACHED] = NULL,
		[CHECK_NOT_APPLICABLE] = NULL,
		[CHECK_OK] = "",
		[CHECK_UNVERIFIED] = "not verified: ",
		[CHECK_FAILED] = "NOT OK: ",
	};

	if (!prefix[c->result])
		return;
	fprintf(out, "%s%s", sep, prefix[c->result]);
	escape_line(c->detail, out);
}

static void print_metric(const struct session *s, const struct point *p,
			 unsigned int metric)
{
	const struct metric_row *row = &s->bench->metrics[metric];
	const struct series *series = &p->series[metric];
	struct summary all = stats_summary(series->samples, series->nr);
	/* the run that ended early, if there is one, has no median yet */
	struct summary runs =
		series->nr_runs ?
			stats_summary(series->run_medians, series->nr_runs) :
			all;
	char median[UNIT_LEN], min[UNIT_LEN], max[UNIT_LEN];
	char spread[UNIT_LEN] = "-", each[UNIT_LEN] = "-";
	const char *sep = "  ";

	if (series->nr_runs && stats_ci_percent(&runs) >= 0)
		snprintf(spread, sizeof(spread), "%.1f%%",
			 stats_ci_percent(&runs));
	if (series->pages && row->unit == UNIT_NS)
		format_ns(each, runs.median / series->pages);
	fprintf(s->text, "# %-16s %10s %10s %10s %7s %10s", row->name,
		metric_format(median, row->unit, runs.median),
		metric_format(min, row->unit, all.min),
		metric_format(max, row->unit, all.max), spread, each);
	for (unsigned int i = 0; i < s->nr_checks; i++) {
		if (s->bench->checks[i].metric != (int)metric)
			continue;
		print_check(s->text, &p->checks[i], sep);
		sep = "; ";
	}
	if (series->remark)
		fprintf(s->text, "%s%s", sep, series->remark);
	fputc('\n', s->text);
}

static void print_samples(const struct session *s, const struct point *p,
			  unsigned int metric)
{
	const struct series *series = &p->series[metric];

	fprintf(s->text, "# %s samples (%s):", s->bench->metrics[metric].name,
		metric_unit_name(s->bench->metrics[metric].unit));
	for (unsigned int i = 0; i < series->nr; i++)
		fprintf(s->text, " %llu",
			(unsigned long long)series->samples[i]);
	fputc('\n', s->text);
	for (unsigned int i = 0; i < series->nr_stats; i++)
		fprintf(s->text, "# %s %s %+lld\n",
			s->bench->metrics[metric].name, series->stats[i].name,
			(long long)series->stats[i].change);
}

/* Of what the CPUs that the process may use could have run. */
static void print_steal(const struct session *s, const struct point *p)
{
	double cpu_ns = (double)p->ns * s->host.cpus;
	char stolen[UNIT_LEN];

	if (p->finished && p->steal_ns && p->steal_ns != STEAL_UNKNOWN &&
	    cpu_ns > 0)
		fprintf(s->text,
			"# note: %s of the CPUs' time were stolen by a "
			"hypervisor meanwhile, %.1f %%\n",
			format_ns(stolen, p->steal_ns),
			100 * p->steal_ns / cpu_ns);
}

static void print_table(const struct session *s, const struct point *p)
{
	char *label = point_label(s, p);

	fprintf(s->text, "#\n# %s\n", label);
	free(label);
	/* the plus-minus sign has two bytes: no width for that column */
	fprintf(s->text, "# %-16s %10s %10s %10s   ±95%% %10s  %s\n", "phase",
		"median", "min", "max", "per page", "check");
	for (unsigned int i = 0; i < s->nr_metrics; i++)
		if (p->series[i].nr)
			print_metric(s, p, i);
	report_tails(s, p);
	report_locks(s, p);
	for (unsigned int i = 0; i < s->nr_metrics; i++)
		if (p->series[i].nr && s->common->verbose)
			print_samples(s, p, i);
	for (unsigned int i = 0; i < p->nr_notes; i++)
		diagnostic(s->text, "note: ", p->notes[i]);
	print_steal(s, p);
}

/* The words of ktap.rst, and TAP's, that change what a result means. */
static bool begins_as_directive(const char *text)
{
	static const char *const words[] = { "SKIP", "TODO", "XFAIL", "TIMEOUT",
					     "ERROR" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strncasecmp(text, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

/*
 * @directive is "SKIP ..." or empty; the rest of the line after the name. A '#'
 * in @detail would end the name later than it does, or begin a directive.
 */
static void end_result(FILE *out, const char *directive, const char *detail)
{
	if (!*directive && begins_as_directive(detail))
		directive = "- ";
	if (*directive || *detail)
		fprintf(out, " # %s", directive);
	escape_ktap_detail(detail, out);
	fputc('\n', out);
}

static void print_result(struct session *s, const struct point *p,
			 unsigned int check)
{
	const struct check_state *c = &p->checks[check];
	bool ok = check_passes(c, s->common->strict);
	char *label = s->nr_points > 1 ? point_label(s, p) : NULL;

	fprintf(s->text, "%s %u - %s%s", ok ? "ok" : "not ok",
		++s->results_printed, label ? label : "", label ? " " : "");
	free(label);
	fputs(s->bench->checks[check].name, s->text);
	if (c->result == CHECK_NOT_REACHED)
		end_result(s->text, "", "no run came so far");
	else if (c->result == CHECK_NOT_APPLICABLE)
		end_result(s->text, "SKIP not applicable: ", c->detail);
	else if (c->result == CHECK_UNVERIFIED)
		end_result(s->text,
			   ok ? "SKIP not verified: " : "not verified: ",
			   c->detail);
	else
		end_result(s->text, "", c->detail);
}

void report_point(struct session *s, const struct point *p)
{
	if (!s->common->quiet)
		print_table(s, p);
	/* a run that ended early has proven nothing */
	for (unsigned int i = 0; p->finished && i < s->nr_checks; i++)
		print_result(s, p, i);
	report_flush(s);
}

/* One result, since "1..0" counts for kunit.py as no test at all: an error. */
void report_skip(struct session *s, const char *reason)
{
	bool ok = !s->common->strict;
	char *line = xasprintf("%.*s", (int)strcspn(reason, "\n"), reason);

	print_plan(s, 1);
	fprintf(s->text, "%s 1 - %s", ok ? "ok" : "not ok", s->bench->name);
	end_result(s->text, ok ? "SKIP " : "", line);
	report_flush(s);
	free(line);
}

void report_bail_out(struct session *s, const char *reason)
{
	size_t bytes = strcspn(reason, "\n");
	char *line = xasprintf("%.*s", (int)bytes, reason);

	if (!s->begun)
		print_plan(s, s->nr_checks * s->nr_points);
	fputs("Bail out! ", s->text);
	escape_line(line, s->text);
	fputc('\n', s->text);
	if (reason[bytes])
		diagnostic(s->text, "", reason + bytes + 1);
	report_flush(s);
	free(line);
}
