/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <sys/resource.h>

#include "rlimit.h"
#include "units.h"
#include "util.h"

struct row {
	int resource;
	bool counts; /* things, else bytes */
	const char *what;
	char letter;	  /* of the shell's ulimit */
	const char *name; /* for prlimit(1) */
};

static const struct row rows[] = {
	/* clang-format off */
	[LIMIT_FILES]         = { RLIMIT_NOFILE, true,  "open files",       'n', "nofile" },
	[LIMIT_FILE_BYTES]    = { RLIMIT_FSIZE,  false, "in a file",        'f', "fsize" },
	[LIMIT_ADDRESS_SPACE] = { RLIMIT_AS,     false, "of address space", 'v', "as" },
	[LIMIT_DATA]          = { RLIMIT_DATA,   false, "of private memory", 'd', "data" },
	/* clang-format on */
};

static char *format(const struct row *row, u64 value)
{
	char size[UNIT_LEN];

	if (row->counts)
		return xasprintf("%llu", (unsigned long long)value);
	return xstrdup(format_size(size, value));
}

/* A number is as good as no limit, but for bytes shells differ in the unit. */
static char *value_to_set(const struct row *row, u64 need)
{
	return row->counts ? format(row, need) : xstrdup("unlimited");
}

char *limit_missing(enum limit limit, u64 need)
{
	const struct row *row = &rows[limit];
	char *wanted, *have, *value, *text;
	struct rlimit now;

	if (getrlimit(row->resource, &now) || now.rlim_cur >= need)
		return NULL;
	wanted = format(row, row->counts ? need : ALIGN_UP(need, KIB(1)));
	have = format(row, now.rlim_cur);
	value = value_to_set(row, need);
	if (now.rlim_max >= (row->counts ? need : RLIM_INFINITY))
		text = xasprintf("%s %s needed, the limit is %s: "
				 "ulimit -%c %s",
				 wanted, row->what, have, row->letter, value);
	else
		text = xasprintf("%s %s needed, the limit is %s: "
				 "as root: prlimit --pid $$ --%s=%s",
				 wanted, row->what, have, row->name, value);
	free(wanted);
	free(have);
	free(value);
	return text;
}

void limit_raise(enum limit limit, u64 need)
{
	struct rlimit now;

	if (getrlimit(rows[limit].resource, &now) || now.rlim_cur >= need)
		return;
	now.rlim_cur = need;
	if (now.rlim_max < need)
		now.rlim_max = need;
	setrlimit(rows[limit].resource, &now);
}
