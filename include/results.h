/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The results file: one JSON object, doc/results.schema.json. A reader never
 * sees half of it: it is written beside its final name and renamed.
 */
#ifndef KVMETER_RESULTS_H
#define KVMETER_RESULTS_H

#include "point.h"

/*
 * Do results for @path go to standard output? "-" and every other name of it,
 * such as /dev/stdout, mean that.
 */
bool results_on_stdout(const char *path);

/*
 * Ends the process by usage_error() if no file @path ("-": standard output) can
 * be written. Leaves nothing behind.
 */
void results_check_path(const char *path);

/*
 * Writes everything and puts the file in its place. NULL, or what went wrong,
 * to be freed; then a file that was there before is unharmed. @reason: why it
 * ended early, or NULL.
 */
char *results_write(const char *path, const struct session *s,
		    enum verdict verdict, const char *reason);

#endif
