/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON that somebody else may have written. What it can cost is bounded here,
 * once: what is larger than any results are is refused, before whoever walks
 * it, or compares all with all, spends hours or all memory on it.
 */
#ifndef KVMETER_FOREIGN_H
#define KVMETER_FOREIGN_H

#include <jansson.h>
#include "types.h"

#define FOREIGN_BYTES_MAX (256 << 20)
#define FOREIGN_MEMBERS_MAX 4096   /* of an object */
#define FOREIGN_OBJECTS_MAX 10000  /* in an array */
#define FOREIGN_METRICS_MAX 10000  /* of a file, at all points */
#define FOREIGN_SAMPLES_MAX 100000 /* as many runs as --runs takes */

/*
 * A file, or a pipe to its end. NULL, and in @why a line that names the file
 * and is to be freed; @why may be NULL.
 */
json_t *foreign_read(const char *path, char **why);

/* A string of what may not be UTF-8, such as a path: escape.h. Not NULL. */
json_t *foreign_text(const char *text);

#endif
