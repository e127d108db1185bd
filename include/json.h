/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A streaming JSON writer (RFC 8259): it nests, separates, indents and
 * escapes; it keeps no tree. Misuse (a value without a name inside an object,
 * an end too many, a second value at the top) is a bug of the caller and ends
 * the process by die().
 *
 * @name is the member's name inside an object and NULL inside an array and at
 * the top. Strings are UTF-8; a byte that is not becomes U+FFFD, so that a
 * reader never refuses the file. Not thread-safe. Errors of the stream are left
 * to ferror().
 */
#ifndef KVMETER_JSON_H
#define KVMETER_JSON_H

#include <stdio.h>
#include "types.h"

#define JSON_DEPTH_MAX 32

struct json {
	FILE *out; /* borrowed */
	unsigned int depth;
	/* level[0] is the document, the others are open within it. */
	struct json_level {
		bool array;
		bool inline_items; /* all on one line */
		bool any;	   /* something has been written in it */
	} level[JSON_DEPTH_MAX + 1];
};

void json_init(struct json *j, FILE *out);

void json_object_begin(struct json *j, const char *name);
void json_object_end(struct json *j);
void json_array_begin(struct json *j, const char *name);
void json_array_end(struct json *j);

/* @value NULL writes null: an unknown fact is never guessed. */
void json_text(struct json *j, const char *name, const char *value);
void json_u64(struct json *j, const char *name, u64 value);
void json_s64(struct json *j, const char *name, s64 value);
/* Not a number, and infinity, are written as null. */
void json_double(struct json *j, const char *name, double value);
void json_bool(struct json *j, const char *name, bool value);
void json_unknown(struct json *j, const char *name);

/* An array on one line. */
void json_u64_array(struct json *j, const char *name, const u64 *v, size_t nr);

#endif
