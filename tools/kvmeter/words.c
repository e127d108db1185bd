/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util.h"
#include "words.h"

static const char blanks[] = " \t\n\r\v\f";

/* Where the text is read, and where what it means is written. */
struct splitter {
	const char *in;
	char *out;
	const char *why;
};

static void copy(struct splitter *s)
{
	*s->out++ = *s->in++;
}

static void copy_escaped(struct splitter *s)
{
	s->in++;
	if (*s->in)
		copy(s);
	else
		s->why = "nothing follows the backslash at the end";
}

static void copy_quoted(struct splitter *s)
{
	char quote = *s->in++;

	while (*s->in && *s->in != quote) {
		if (quote == '"' && *s->in == '\\' && s->in[1] &&
		    strchr("\"\\", s->in[1]))
			s->in++;
		copy(s);
	}
	if (*s->in)
		s->in++;
	else
		s->why = quote == '"' ? "a \" that is not closed" :
					"a ' that is not closed";
}

static void copy_word(struct splitter *s)
{
	while (*s->in && !strchr(blanks, *s->in) && !s->why) {
		if (*s->in == '\\')
			copy_escaped(s);
		else if (*s->in == '\'' || *s->in == '"')
			copy_quoted(s);
		else
			copy(s);
	}
	*s->out++ = '\0';
}

char **words_split(const char *text, const char **why)
{
	/* a word takes a character, and one that separates it from the next */
	size_t most = strlen(text) / 2 + 1, nr = 0;
	char **words =
		xcalloc(1, (most + 1) * sizeof(*words) + strlen(text) + 1);
	struct splitter s = { .in = text, .out = (char *)(words + most + 1) };

	for (;;) {
		s.in += strspn(s.in, blanks);
		if (!*s.in)
			break;
		words[nr++] = s.out;
		copy_word(&s);
		if (s.why) {
			free(words);
			*why = s.why;
			return NULL;
		}
	}
	return words;
}

char **child_words(const char *text, const char *where)
{
	const char *why = NULL;
	char **words = words_split(text, &why);

	if (!words)
		usage_error("%s: %s: %s", where, text, why);
	return words;
}

size_t words_count(char *const *words)
{
	size_t nr = 0;

	while (words[nr])
		nr++;
	return nr;
}

char **words_join(char *const *first, ...)
{
	char *const *list;
	char **all = NULL;
	size_t nr = 0;
	va_list ap;

	va_start(ap, first);
	for (list = first; list; list = va_arg(ap, char *const *)) {
		size_t more = words_count(list);

		all = xrealloc(all, nr + more + 1, sizeof(*all));
		memcpy(all + nr, list, (more + 1) * sizeof(*all));
		nr += more;
	}
	va_end(ap);
	return all;
}

/* Characters that mean nothing, neither here nor to a shell. */
static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=.,:/@%";

	return *word && !word[strspn(word, plain)];
}

static void quote_word(const char *word, FILE *out)
{
	if (is_plain(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	}
	fputc('\'', out);
}

char *words_quote(char *const *words)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	for (size_t i = 0; words[i]; i++) {
		if (i)
			fputc(' ', out);
		quote_word(words[i], out);
	}
	if (fclose(out))
		die("out of memory");
	return text;
}
