/* SPDX-License-Identifier: GPL-2.0-only */
/* What one program has printed as KTAP, whatever state it is in. */
#ifndef KVMETER_KTAP_H
#define KVMETER_KTAP_H

#include <jansson.h>
#include <stddef.h>
#include "types.h"

enum ktap_kind {
	KTAP_TEXT,
	KTAP_OK,
	KTAP_NOT_OK,
	KTAP_SKIP,
	KTAP_UNVERIFIED,     /* " # SKIP not verified: " */
	KTAP_NOT_APPLICABLE, /* " # SKIP not applicable: " */
};

struct ktap_line {
	enum ktap_kind kind;
	char *text;   /* a result's name; else the line without "# " */
	char *why;    /* behind SKIP and those words, or NULL */
	char *detail; /* what else stands behind the name, or NULL */
	/* of the same result in the results file, or NULL */
	char *point; /* "vcpus=1 bytes=64M" */
	char *check;
};

struct ktap {
	size_t nr;
	struct ktap_line *lines;
	size_t nr_results;
	long planned;	/* -1: no plan */
	char *bail_out; /* the reason, or NULL */
	size_t omitted; /* lines of text beyond what one wants to see again */
};

/* A file that cannot be read is an empty one. */
/* Returns 0, or an errno if it is not all that the file has. */
int ktap_read(struct ktap *k, const char *path);

void ktap_free(struct ktap *k);

/*
 * Attaches points and checks to the results, if those of @results are the same
 * ones.
 */
void ktap_attach(struct ktap *k, const json_t *results);

/* The first result of this kind, or NULL. */
const struct ktap_line *ktap_find(const struct ktap *k, enum ktap_kind kind);

#endif
