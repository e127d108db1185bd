/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>
#include "fill.h"

void fill(const char *text, int indent, FILE *out)
{
	size_t room = FILL_WIDTH - indent, len, space;

	for (;; fprintf(out, "\n%*s", indent, "")) {
		len = strlen(text);
		if (len > room) {
			for (space = room; space && text[space] != ' ';)
				space--;
			len = space ? space : strcspn(text, " ");
		}
		fprintf(out, "%.*s", (int)len, text);
		text += len;
		text += strspn(text, " ");
		if (!*text)
			break;
	}
	fputc('\n', out);
}
