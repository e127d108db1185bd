/* SPDX-License-Identifier: GPL-2.0-only */
#include "report_locks.h"
#include "units.h"

static void print_side(FILE *out, const char *metric, const char *side,
		       const struct lock_waits of[LOCK_KINDS])
{
	char sum[UNIT_LEN], longest[UNIT_LEN], waits[UNIT_LEN];

	for (unsigned int kind = 0; kind < LOCK_KINDS; kind++)
		if (of[kind].waits)
			fprintf(out, "# %-16s %10s %12s %10s %10s %10s\n",
				metric, side, lock_kind_names[kind],
				format_ns(sum, of[kind].ns),
				format_ns(longest, of[kind].longest_ns),
				format_count(waits, of[kind].waits));
}

void report_locks(const struct session *s, const struct point *p)
{
	u64 lost = 0;

	if (!s->common->lock_wait)
		return;
	fprintf(s->text, "# %-16s %10s %12s %10s %10s %10s\n", "lock wait",
		"side", "lock", "in all", "longest", "waits");
	for (unsigned int m = 0; m < s->nr_metrics; m++) {
		const struct lock_report *report = &p->series[m].locks;

		for (unsigned int side = 0; side < LOCK_SIDES; side++)
			print_side(s->text, s->bench->metrics[m].name,
				   lock_side_names[side], report->of[side]);
		lost += report->lost;
	}
	if (lost)
		fprintf(s->text,
			"# note: at least: %llu records of locks were lost\n",
			(unsigned long long)lost);
}

static void write_side(struct json *j, const char *side,
		       const struct lock_waits of[LOCK_KINDS])
{
	json_object_begin(j, side);
	for (unsigned int kind = 0; kind < LOCK_KINDS; kind++) {
		if (!of[kind].waits)
			continue;
		json_object_begin(j, lock_kind_names[kind]);
		json_u64(j, "waits", of[kind].waits);
		json_u64(j, "ns", of[kind].ns);
		json_u64(j, "longest_ns", of[kind].longest_ns);
		json_object_end(j);
	}
	json_object_end(j);
}

void results_locks(const struct session *s, const struct lock_report *report,
		   struct json *j)
{
	if (!s->common->lock_wait)
		return;
	json_object_begin(j, "locks");
	for (unsigned int side = 0; side < LOCK_SIDES; side++)
		write_side(j, lock_side_names[side], report->of[side]);
	json_u64(j, "lost", report->lost);
	json_object_end(j);
}
