/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include "disturb.h"
#include "fill.h"

#define NAME_WIDTH 18
#define STATE_WIDTH 8

const char *disturbance_state_name(enum disturbance_state state)
{
	static const char *const names[] = {
		[QUIET] = "quiet",
		[DISTURBS] = "disturbs",
		[UNKNOWN] = "unknown",
	};

	return names[state];
}

void disturbances_print(const struct disturbance *list, size_t nr, FILE *out)
{
	const int indent = 2 + NAME_WIDTH + 2 + STATE_WIDTH + 2;
	size_t i;

	for (i = 0; i < nr; i++) {
		fprintf(out, "  %-*s  %-*s  ", NAME_WIDTH, list[i].name,
			STATE_WIDTH, disturbance_state_name(list[i].state));
		fill(list[i].seen, indent, out);
		if (!list[i].remedy)
			continue;
		fprintf(out, "%*s", indent, "");
		fill(list[i].remedy, indent, out);
	}
}

void disturbances_json(const struct disturbance *list, size_t nr,
		       const char *name, struct json *j)
{
	size_t i;

	json_array_begin(j, name);
	for (i = 0; i < nr; i++) {
		json_object_begin(j, NULL);
		json_text(j, "name", list[i].name);
		json_text(j, "state", disturbance_state_name(list[i].state));
		json_text(j, "seen", list[i].seen);
		json_text(j, "remedy", list[i].remedy);
		json_object_end(j);
	}
	json_array_end(j);
}

void disturbances_free(struct disturbance *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		free(list[i].seen);
	free(list);
}
