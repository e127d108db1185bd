/* SPDX-License-Identifier: GPL-2.0-only */
#include "report_tail.h"
#include "units.h"

#define VCPUS_SHOWN 8

static void print_heading(FILE *out)
{
	fprintf(out, "# %-16s", "tail");
	for (unsigned int i = 0; i < HISTOGRAM_QUANTILES; i++)
		fprintf(out, " %10s", histogram_quantiles[i].name);
	fprintf(out, " %10s %12s\n", "max", "samples");
}

static void print_histogram(FILE *out, const char *name,
			    const struct histogram *h)
{
	char buf[UNIT_LEN];

	fprintf(out, "# %-16s", name);
	for (unsigned int i = 0; i < HISTOGRAM_QUANTILES; i++)
		fprintf(out, " %10s",
			format_ns(buf,
				  histogram_quantile(
					  h, histogram_quantiles[i].quantile)));
	fprintf(out, " %10s", format_ns(buf, histogram_max_ns(h)));
	fprintf(out, " %12s\n", format_count(buf, h->nr));
}

static void print_vcpus(const struct session *s, const struct tail *t)
{
	char name[UNIT_LEN];

	if (t->nr_vcpus < 2 ||
	    (t->nr_vcpus > VCPUS_SHOWN && !s->common->verbose))
		return;
	for (unsigned int i = 0; i < t->nr_vcpus; i++) {
		snprintf(name, sizeof(name), "  vCPU %u", i);
		print_histogram(s->text, name, &t->vcpu[i]);
	}
}

void report_tails(const struct session *s, const struct point *p)
{
	bool any = false;

	for (unsigned int i = 0; i < s->nr_metrics; i++) {
		const struct tail *t = p->series[i].tail;

		if (!t || !t->all.nr)
			continue;
		if (!any)
			print_heading(s->text);
		any = true;
		print_histogram(s->text, s->bench->metrics[i].name, &t->all);
		print_vcpus(s, t);
	}
}
