/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Formats of the guest, expanded by the host: the guest passes the address of
 * the format and its values as u64 and pays for neither.
 */
#include <stdlib.h>
#include <string.h>

#include "util.h"
#include "vm.h"

#define SPEC_BYTES 24

const char *vm_string(const struct vm *vm, u64 gva)
{
	const char *s = vm_hva(vm, gva, 1);
	const char *limit = (const char *)vm->control + vm->control_used;

	if (!s || !memchr(s, '\0', limit - s))
		return "(no string)";
	return s;
}

/*
 * Prints one conversion. @spec is "%", flags, width and precision; length
 * modifiers have been dropped since every value has 64 bits.
 */
static void print_value(const struct vm *vm, FILE *out, const char *spec,
			char conversion, u64 value)
{
	char fmt[SPEC_BYTES + 4];
	const char *length = strchr("diuxXo", conversion) ? "ll" : "";

	snprintf(fmt, sizeof(fmt), "%s%s%c", spec, length, conversion);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (conversion == 's')
		fprintf(out, fmt, vm_string(vm, value));
	else if (conversion == 'c')
		fprintf(out, fmt, (int)value);
	else if (conversion == 'p')
		fprintf(out, "%#llx", (unsigned long long)value);
	else
		fprintf(out, fmt, (unsigned long long)value);
#pragma GCC diagnostic pop
}

char *vm_format(const struct vm *vm, u64 fmt_gva, const u64 *values,
		unsigned int nr)
{
	const char *fmt = vm_string(vm, fmt_gva);
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return xstrdup(fmt);
	while (*fmt) {
		size_t flags = strspn(fmt + 1, "#0- +.123456789");
		const char *conversion = fmt + 1 + flags;
		char spec[SPEC_BYTES];

		conversion += strspn(conversion, "hlzjt");
		if (*fmt != '%' || flags >= SPEC_BYTES - 1 || !*conversion ||
		    !strchr("diuxXocsp%", *conversion)) {
			fputc(*fmt++, out);
			continue;
		}
		if (*conversion == '%') {
			fputc('%', out);
		} else {
			snprintf(spec, sizeof(spec), "%.*s", (int)flags + 1,
				 fmt);
			print_value(vm, out, spec, *conversion,
				    nr ? *values : 0);
			values += nr ? 1 : 0;
			nr -= nr ? 1 : 0;
		}
		fmt = conversion + 1;
	}
	fclose(out);
	return text;
}
