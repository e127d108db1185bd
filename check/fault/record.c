/* SPDX-License-Identifier: GPL-2.0-only */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "inject.h"
#include "site.h"

#define SUBJECT_BYTES 256

static struct record {
	char name[CALL_NAME_BYTES];
	char subject[SUBJECT_BYTES]; /* of the first */
	struct site site;
	unsigned long count;
} * records;

static size_t nr_records;

void record_call(const char *name, const struct site *site, const char *subject)
{
	struct record *r;

	for (size_t i = 0; i < nr_records; i++) {
		r = &records[i];
		if (r->site.hash == site->hash && strcmp(r->name, name) == 0) {
			r->count++;
			return;
		}
	}
	r = reallocarray(records, nr_records + 1, sizeof(*r));
	if (!r)
		broken("records");
	records = r;
	r = &records[nr_records++];
	*r = (struct record){ .site = *site, .count = 1 };
	snprintf(r->name, sizeof(r->name), "%s", name);
	snprintf(r->subject, sizeof(r->subject), "%s", subject);
	r->subject[strcspn(r->subject, "\n")] = '\0';
}

void site_print(const struct site *site, FILE *out)
{
	fputs(site->program, out);
	for (unsigned int i = 0; i < site->nr; i++)
		fprintf(out, "%c%#" PRIx64, i ? ',' : '+', site->at[i]);
}

/* "KIND HASH COUNT FRAMES SUBJECT" in a line. */
void record_write(FILE *out)
{
	for (size_t i = 0; i < nr_records; i++) {
		const struct record *r = &records[i];

		fprintf(out, "%s %08" PRIx32 " %lu ", r->name, r->site.hash,
			r->count);
		site_print(&r->site, out);
		fprintf(out, " %s\n", r->subject);
	}
}
