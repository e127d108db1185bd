/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "units.h"

/* The number at the beginning of @s, as far as @rest. */
static bool parse_digits(const char *s, char **rest, u64 *value)
{
	/* strtoull() would take white space and a sign. */
	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*value = strtoull(s, rest, strncasecmp(s, "0x", 2) ? 10 : 16);
	return errno == 0;
}

bool parse_u64(const char *s, u64 *value)
{
	char *rest;
	u64 v;

	if (!parse_digits(s, &rest, &v) || *rest)
		return false;
	*value = v;
	return true;
}

bool parse_size(const char *s, u64 *bytes)
{
	static const char suffixes[] = "KMGT";
	const char *suffix;
	unsigned int shift = 0;
	char *rest;
	u64 v;

	if (!parse_digits(s, &rest, &v))
		return false;
	suffix = *rest ? strchr(suffixes, toupper((unsigned char)*rest)) : NULL;
	if (suffix) {
		shift = 10 * (suffix - suffixes + 1);
		rest++;
	}
	if (!strcasecmp(rest, "B") || (suffix && !strcasecmp(rest, "iB")))
		rest += strlen(rest);
	if (*rest || v > UINT64_MAX >> shift)
		return false;
	*bytes = v << shift;
	return true;
}

/* Appends first..last. */
static bool list_add(struct u64_list *list, u64 first, u64 last)
{
	if (last < first || last - first >= LIST_MAX - list->nr)
		return false;
	while (first < last)
		list->v[list->nr++] = first++;
	list->v[list->nr++] = last;
	return true;
}

/* One of the parts that commas separate: "1" or "1-4". */
static bool parse_part(char *part, bool (*parse)(const char *s, u64 *value),
		       struct u64_list *list)
{
	char *dash = strchr(part, '-');
	u64 first, last;

	if (dash)
		*dash++ = '\0';
	if (!parse(part, &first))
		return false;
	last = first;
	if (dash && !parse(dash, &last))
		return false;
	return list_add(list, first, last);
}

bool parse_list(const char *s, bool (*parse)(const char *s, u64 *value),
		struct u64_list *list)
{
	char part[64];
	size_t len;

	list->nr = 0;
	for (;; s += len + 1) {
		len = strcspn(s, ",");
		if (len >= sizeof(part))
			return false;
		memcpy(part, s, len);
		part[len] = '\0';
		if (!parse_part(part, parse, list))
			return false;
		if (!s[len])
			return true;
	}
}

const char *format_size(char buf[UNIT_LEN], u64 bytes)
{
	static const char *const suffixes[] = { "", "K", "M", "G", "T" };
	size_t i = 0;

	while (bytes && bytes % 1024 == 0 && i + 1 < ARRAY_SIZE(suffixes)) {
		bytes /= 1024;
		i++;
	}
	snprintf(buf, UNIT_LEN, "%" PRIu64 "%s", bytes, suffixes[i]);
	return buf;
}

struct scale {
	double factor;
	const char *unit;
};

/* Decimals that give four significant digits, for what rounds below 1000. */
static int decimals(double value)
{
	if (value < 9.9995)
		return 3;
	if (value < 99.995)
		return 2;
	return value < 999.95 ? 1 : 0;
}

/*
 * Takes the first of @scales that leaves less than 1000 after rounding, or the
 * last. Below @plain the value has no factor and no trailing zeros.
 */
static const char *format_scaled(char buf[UNIT_LEN], double value, double plain,
				 const struct scale *scales, size_t nr)
{
	double size = fabs(value);
	size_t i = 1;

	if (!(size >= plain)) {
		snprintf(buf, UNIT_LEN, "%.4g%s", value, scales[0].unit);
		return buf;
	}
	while (i + 1 < nr && size / scales[i].factor >= 999.95)
		i++;
	size /= scales[i].factor;
	snprintf(buf, UNIT_LEN, "%.*f%s", decimals(size),
		 value / scales[i].factor, scales[i].unit);
	return buf;
}

const char *format_ns(char buf[UNIT_LEN], double ns)
{
	static const struct scale scales[] = {
		{ 1e0, " ns" },
		{ 1e3, " us" },
		{ 1e6, " ms" },
		{ 1e9, " s" },
	};

	return format_scaled(buf, ns, 999.95, scales, ARRAY_SIZE(scales));
}

const char *format_count(char buf[UNIT_LEN], double n)
{
	static const struct scale scales[] = {
		{ 1e0, "" },	{ 1e3, " k" },	{ 1e6, " M" },	{ 1e9, " G" },
		{ 1e12, " T" }, { 1e15, " P" }, { 1e18, " E" },
	};

	return format_scaled(buf, n, 9999.5, scales, ARRAY_SIZE(scales));
}

u64 u64_list_min(const struct u64_list *list)
{
	u64 min = list->v[0];

	for (unsigned int i = 1; i < list->nr; i++)
		min = min_u64(min, list->v[i]);
	return min;
}

u64 u64_list_max(const struct u64_list *list)
{
	u64 max = list->v[0];

	for (unsigned int i = 1; i < list->nr; i++)
		max = max_u64(max, list->v[i]);
	return max;
}
