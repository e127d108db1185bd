/* SPDX-License-Identifier: GPL-2.0-only */
/* Command lines as people write them in one string. */
#ifndef KVMETER_WORDS_H
#define KVMETER_WORDS_H

#include <stddef.h>

/*
 * Splits @text into words, quoted as for a shell: blanks separate, '...' is
 * literal, in "..." a backslash protects " and \, elsewhere any character.
 * Nothing is expanded: $, *, ~, ; and ` are characters like others.
 *
 * Returns words ended by NULL, to be freed by one free(). A quote that is not
 * closed, or a backslash at the end, is a usage_error() that begins with @where
 * ("--opt-b", "FILE:3").
 */
char **child_words(const char *text, const char *where);

/* The same; NULL, and the reason in @why, where that is an error. */
char **words_split(const char *text, const char **why);

size_t words_count(char *const *words);

/*
 * Lists one after the other, the last followed by NULL; to be freed by one
 * free(). The words stay those of the lists.
 */
char **words_join(char *const *first, ...) __attribute__((sentinel));

/* One line that words_split() takes apart again; to be freed. */
char *words_quote(char *const *words);

#endif
