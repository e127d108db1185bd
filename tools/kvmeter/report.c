/* SPDX-License-Identifier: GPL-2.0-only */
/* What all forms of a report share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "spread.h"
#include "units.h"
#include "util.h"

/* More than this is told as a factor. */
#define PERCENT_MAX 10 /* 1000 % */

char *report_point(const struct series *s)
{
	char bytes[UNIT_LEN];

	return xasprintf("%s vcpus=%llu bytes=%s%s%s", s->bench,
			 (unsigned long long)s->vcpus,
			 format_size(bytes, s->bytes), *s->variant ? " " : "",
			 s->variant);
}

const char *report_value(char *buf, const char *unit, double value)
{
	return strcmp(unit, "ns") == 0 ? format_ns(buf, value) :
					 format_count(buf, value);
}

const char *report_change(char *buf, double change)
{
	char factor[UNIT_LEN];

	if (isinf(change))
		snprintf(buf, UNIT_LEN, "from 0");
	else if (change >= PERCENT_MAX)
		snprintf(buf, UNIT_LEN, "x%s",
			 format_count(factor, change + 1));
	else
		snprintf(buf, UNIT_LEN, "%+.1f%%", 100 * change);
	return buf;
}

const char *report_interval(char *buf, const struct comparison *c)
{
	char low[UNIT_LEN], high[UNIT_LEN];

	if (!c->has_interval || isinf(c->low) || isinf(c->high))
		snprintf(buf, UNIT_LEN, "-");
	else if (c->high >= PERCENT_MAX)
		snprintf(buf, UNIT_LEN, "%s..%s", report_change(low, c->low),
			 report_change(high, c->high));
	else
		snprintf(buf, UNIT_LEN, "%+.1f..%+.1f%%", 100 * c->low,
			 100 * c->high);
	return buf;
}

size_t report_outliers(const double *values, size_t nr)
{
	bool *flags = xcalloc(nr, sizeof(*flags));
	size_t found = flag_outliers(values, nr, flags);

	free(flags);
	return found;
}

/* "7 runs a side", "2 and 1 files" */
static char *values_of(const struct report *r, const struct comparison *c)
{
	const char *what = report_unit_name(r->unit);

	if (c->nr_before == c->nr_after)
		return xasprintf("%zu %s%s a side", c->nr_before, what,
				 c->nr_before == 1 ? "" : "s");
	return xasprintf("%zu and %zu %ss", c->nr_before, c->nr_after, what);
}

/* Two digits, as "8.1" or "230". */
static char *percent_of(double fraction)
{
	return xasprintf("%.*f%%", fraction < 0.0995 ? 1 : 0, 100 * fraction);
}

char *report_reason(const struct report *r, const struct comparison *c)
{
	char *values, *percent, *text;

	if (c->judgement != CANNOT_TELL)
		return NULL;
	values = values_of(r, c);
	percent = percent_of(fmax(c->detectable, r->rule.threshold));
	if (isinf(c->detectable))
		text = xasprintf("%s can't show any change of %zu figure%s: it "
				 "takes %zu",
				 values, r->nr_judged,
				 r->nr_judged == 1 ? "" : "s",
				 judge_least_runs(r->nr_judged, &r->rule));
	else if (c->detectable == 0)
		text = xstrdup("the samples do not tell how they are spread");
	else
		text = xasprintf("%s can't show less than %s here", values,
				 percent);
	free(percent);
	free(values);
	return text;
}

char *report_method(const struct report *r)
{
	static const char *const units[] = {
		[BY_RUNS] = "runs",
		[BY_FILES] = "files, whose runs are not independent",
		[BY_BOOTS] = "boots, whose files are not independent",
	};
	const char *values = units[r->unit];
	const char *method = r->method == JUDGED_JOINTLY ?
				     "Joint permutation test of" :
				     "Mann-Whitney U, Holm over";

	if (r->nr_comparisons && !r->nr_judged)
		return xasprintf("Medians of %s. Nothing is judged: neither "
				 "less nor more of it is better.",
				 values);
	return xasprintf("Medians of %s. %s %zu figure%s, alpha %g; changes "
			 "below %g%% do not count.%s",
			 values, method, r->nr_judged,
			 r->nr_judged == 1 ? "" : "s", r->rule.alpha,
			 100 * r->rule.threshold,
			 r->nr_judged == r->nr_comparisons ?
				 "" :
				 " No verdict (-): neither less nor more of it "
				 "is better.");
}
