/* SPDX-License-Identifier: GPL-2.0-only */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "json.h"
#include "util.h"

/* Like an array, the document takes a value without a name; but only one. */
void json_init(struct json *j, FILE *out)
{
	*j = (struct json){ .out = out, .level[0].array = true };
}

/*
 * Length of the well-formed UTF-8 sequence at @s, 0 if it is none: overlong, a
 * surrogate or above U+10FFFF (The Unicode Standard, table 3-7).
 */
static size_t utf8_length(const unsigned char *s)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len, i;
	u32 c;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc0 || s[0] >= 0xf8)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	c = s[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[len] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	return len;
}

static void put_ascii(FILE *out, unsigned char c)
{
	if (c == '"' || c == '\\')
		fprintf(out, "\\%c", c);
	else if (c == '\n')
		fputs("\\n", out);
	else if (c == '\t')
		fputs("\\t", out);
	else if (c < 0x20 || c == 0x7f)
		fprintf(out, "\\u%04x", c);
	else
		fputc(c, out);
}

static void put_string(FILE *out, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;
	size_t len;

	fputc('"', out);
	for (; *s; s += len ? len : 1) {
		len = utf8_length(s);
		if (len == 1)
			put_ascii(out, *s);
		else if (len == 2 && s[0] == 0xc2 && s[1] < 0xa0)
			fprintf(out, "\\u%04x", s[1]); /* C1: terminals obey */
		else if (len)
			fwrite(s, 1, len, out);
		else
			fputs("\\ufffd", out);
	}
	fputc('"', out);
}

static void new_line(struct json *j)
{
	fprintf(j->out, "\n%*s", 2 * (int)j->depth, "");
}

/* What stands before any value: separator, indentation, name. */
static void put_prefix(struct json *j, const char *name)
{
	struct json_level *level = &j->level[j->depth];

	if (level->array && name)
		die("json: \"%s\" has a name outside an object", name);
	if (!level->array && !name)
		die("json: a value without a name in an object");
	if (level->any && j->depth == 0)
		die("json: a second value at the top");

	if (level->any)
		fputs(level->inline_items ? ", " : ",", j->out);
	if (j->depth && !level->inline_items)
		new_line(j);
	if (name) {
		put_string(j->out, name);
		fputs(": ", j->out);
	}
	level->any = true;
}

/* What stands after any value: a text file ends with a newline. */
static void put_suffix(struct json *j)
{
	if (j->depth == 0)
		fputc('\n', j->out);
}

static void begin(struct json *j, const char *name, struct json_level level)
{
	put_prefix(j, name);
	if (j->depth == JSON_DEPTH_MAX)
		die("json: more than %d levels", JSON_DEPTH_MAX);
	fputc(level.array ? '[' : '{', j->out);
	j->level[++j->depth] = level;
}

static void end_level(struct json *j, bool array)
{
	struct json_level *level = &j->level[j->depth];

	if (j->depth == 0 || level->array != array)
		die("json: no %s to end", array ? "array" : "object");
	j->depth--;
	if (level->any && !level->inline_items)
		new_line(j);
	fputc(array ? ']' : '}', j->out);
	put_suffix(j);
}

void json_object_begin(struct json *j, const char *name)
{
	begin(j, name, (struct json_level){ .array = false });
}

void json_object_end(struct json *j)
{
	end_level(j, false);
}

void json_array_begin(struct json *j, const char *name)
{
	begin(j, name, (struct json_level){ .array = true });
}

void json_array_end(struct json *j)
{
	end_level(j, true);
}

void json_unknown(struct json *j, const char *name)
{
	put_prefix(j, name);
	fputs("null", j->out);
	put_suffix(j);
}

void json_text(struct json *j, const char *name, const char *value)
{
	if (!value) {
		json_unknown(j, name);
		return;
	}
	put_prefix(j, name);
	put_string(j->out, value);
	put_suffix(j);
}

void json_u64(struct json *j, const char *name, u64 value)
{
	put_prefix(j, name);
	fprintf(j->out, "%" PRIu64, value);
	put_suffix(j);
}

void json_s64(struct json *j, const char *name, s64 value)
{
	put_prefix(j, name);
	fprintf(j->out, "%" PRId64, value);
	put_suffix(j);
}

void json_double(struct json *j, const char *name, double value)
{
	char buf[32];
	int digits;

	if (!isfinite(value)) {
		json_unknown(j, name);
		return;
	}
	/* The fewest digits that read back as the same number. */
	for (digits = 15; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	put_prefix(j, name);
	fputs(buf, j->out);
	put_suffix(j);
}

void json_bool(struct json *j, const char *name, bool value)
{
	put_prefix(j, name);
	fputs(value ? "true" : "false", j->out);
	put_suffix(j);
}

void json_u64_array(struct json *j, const char *name, const u64 *v, size_t nr)
{
	size_t i;

	begin(j, name,
	      (struct json_level){ .array = true, .inline_items = true });
	for (i = 0; i < nr; i++)
		json_u64(j, NULL, v[i]);
	json_array_end(j);
}
