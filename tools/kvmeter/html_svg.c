/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include "html_svg.h"
#include "html_text.h"
#include "util.h"

/* Of gnuplot's point types; ours are fewer. */
#define SYMBOL_MAX 1000

#define DEPTH_MAX 32
#define ATTRIBUTES_MAX 32

struct attribute {
	const char *name, *value;
	size_t name_len, value_len;
};

struct tag {
	const char *name;
	size_t len;
	bool ends;   /* </name> */
	bool closed; /* <name/> */
	size_t nr;
	struct attribute attributes[ATTRIBUTES_MAX];
};

struct buffer {
	char *text;
	size_t len, room;
};

static const char *const elements[] = { "g",	    "path", "use",    "polygon",
					"polyline", "rect", "circle", "line",
					"text",	    NULL };

static const char *const attributes[] = { "fill",
					  "stroke",
					  "color",
					  "stroke-width",
					  "stroke-dasharray",
					  "transform",
					  "text-anchor",
					  "font-size",
					  "d",
					  "points",
					  "x",
					  "y",
					  "width",
					  "height",
					  "cx",
					  "cy",
					  "r",
					  "x1",
					  "y1",
					  "x2",
					  "y2",
					  "fill-opacity",
					  "stroke-opacity",
					  NULL };

/* Values of colours, blanks apart. */
static const struct {
	const char *from, *to;
} colors[] = {
	{ "black", "var(--ink)" },
	{ "white", "var(--paper)" },
	{ "none", "none" },
	{ "currentColor", "currentColor" },
	{ "rgb(0,0,1)", "var(--c1)" },
	{ "rgb(0,0,2)", "var(--c2)" },
	{ "rgb(0,0,3)", "var(--c3)" },
	{ "rgb(0,0,4)", "var(--c4)" },
	{ "rgb(0,0,5)", "var(--c5)" },
	{ "rgb(0,0,6)", "var(--c6)" },
	{ "rgb(1,0,0)", "var(--ink)" },
	{ "rgb(1,0,1)", "var(--soft)" },
	{ "rgb(1,0,2)", "var(--band)" },
	{ "rgb(1,0,3)", "var(--bad)" },
	{ "rgb(1,0,4)", "var(--good)" },
	{ "rgb(1,0,5)", "var(--faint)" },
	{ NULL, NULL },
};

static void append(struct buffer *b, const char *text, size_t len)
{
	if (b->len + len + 1 > b->room) {
		b->room = 2 * (b->len + len + 1);
		b->text = xrealloc(b->text, b->room, 1);
	}
	memcpy(b->text + b->len, text, len);
	b->len += len;
	b->text[b->len] = '\0';
}

static void append_text(struct buffer *b, const char *text)
{
	append(b, text, strlen(text));
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

static bool is_in(const char *const *words, const char *text, size_t len)
{
	for (; *words; words++)
		if (is_word(text, len, *words))
			return true;
	return false;
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

/* NAME="value" or 'value' at @s. NULL: there is none. */
static const char *read_attribute(const char *s, struct attribute *a)
{
	size_t len = strcspn(s, "= \t\r\n/>\"'<");
	const char *quote = skip_blanks(s + len);
	const char *end;

	if (!len || *quote != '=')
		return NULL;
	quote = skip_blanks(quote + 1);
	end = *quote == '"' || *quote == '\'' ? strchr(quote + 1, *quote) :
						NULL;
	if (!end)
		return NULL;
	*a = (struct attribute){ s, quote + 1, len, end - quote - 1 };
	return end + 1;
}

/* The tag that begins at the < of @s; returns what follows it. */
static const char *read_tag(const char *s, struct tag *t)
{
	*t = (struct tag){ .ends = s[1] == '/' };
	t->name = s + 1 + t->ends;
	t->len = strcspn(t->name, " \t\r\n/>");
	s = skip_blanks(t->name + t->len);
	while (t->nr < ATTRIBUTES_MAX) {
		const char *next = read_attribute(s, &t->attributes[t->nr]);

		if (!next)
			break;
		t->nr++;
		s = skip_blanks(next);
	}
	t->closed = *s == '/';
	s = strchr(s, '>');
	if (!s)
		die("gnuplot's SVG ends within a tag");
	return s + 1;
}

/* False if it is none of ours. */
static bool append_color(struct buffer *b, const struct attribute *a)
{
	char value[32];
	size_t len = 0, i;

	for (i = 0; i < a->value_len && len < sizeof(value) - 1; i++)
		if (a->value[i] != ' ')
			value[len++] = a->value[i];
	for (i = 0; colors[i].from; i++) {
		if (is_word(value, len, colors[i].from)) {
			append_text(b, colors[i].to);
			return true;
		}
	}
	return false;
}

/* Numbers, commands of paths and transformations: all that is harmless. */
static bool is_harmless(const struct attribute *a)
{
	size_t i;

	for (i = 0; i < a->value_len; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			    "0123456789 \t\r\n.,+-()%",
			    a->value[i]) ||
		    !a->value[i])
			return false;
	return true;
}

static void append_attribute(struct buffer *b, const struct attribute *a)
{
	static const char *const paints[] = { "fill", "stroke", "color", NULL };
	size_t start = b->len;

	append_text(b, " ");
	append(b, a->name, a->name_len);
	append_text(b, "=\"");
	if (is_in(paints, a->name, a->name_len)) {
		if (!append_color(b, a))
			append_text(b, "currentColor");
	} else if (is_harmless(a)) {
		append(b, a->value, a->value_len);
	} else {
		b->len = start;
		return;
	}
	append_text(b, "\"");
}

/* xlink:href='#gpPt7' becomes href="#p7"; all else is left out. */
static void append_symbol(struct buffer *b, const struct attribute *a)
{
	char *text;
	long symbol;

	if (a->value_len < 6 || memcmp(a->value, "#gpPt", 5) != 0)
		return;
	symbol = strtol(a->value + 5, NULL, 10); /* pointtype 7 is gpPt6 */
	if (symbol < 0 || symbol > SYMBOL_MAX)
		return;
	text = xasprintf(" href=\"#p%ld\"", symbol + 1);
	append_text(b, text);
	free(text);
}

static void append_tag(struct buffer *b, const struct tag *t)
{
	size_t i;

	append_text(b, "<");
	append(b, t->name, t->len);
	for (i = 0; i < t->nr; i++) {
		const struct attribute *a = &t->attributes[i];

		if (is_in(attributes, a->name, a->name_len))
			append_attribute(b, a);
		else if (is_word(a->name, a->name_len, "xlink:href") ||
			 is_word(a->name, a->name_len, "href"))
			append_symbol(b, a);
	}
	append_text(b, t->closed ? "/>" : ">");
}

/* Text of gnuplot is escaped already; what is not an entity is escaped here. */
static void append_content(struct buffer *b, const char *s, size_t len)
{
	static const char *const entities[] = { "&lt;",	  "&gt;",   "&amp;",
						"&quot;", "&apos;", NULL };
	size_t i, k;

	for (i = 0; i < len; i++) {
		if (s[i] != '&') {
			append(b, s + i, 1);
			continue;
		}
		for (k = 0; entities[k]; k++)
			if (strncmp(s + i, entities[k], strlen(entities[k])) ==
			    0)
				break;
		append_text(b, entities[k] ? "&" : "&amp;");
	}
}

struct cutter {
	struct buffer out;
	size_t depth;
	/* of each open element: where it begins in out, where its content */
	size_t start[DEPTH_MAX], content[DEPTH_MAX];
	size_t dropping; /* depth within an element that is left out */
	bool in_text;
};

static void take_start(struct cutter *c, const struct tag *t)
{
	if (c->dropping || !is_in(elements, t->name, t->len)) {
		c->dropping += !t->closed;
		return;
	}
	if (c->depth == DEPTH_MAX)
		die("gnuplot's SVG is nested too deeply");
	c->start[c->depth] = c->out.len;
	append_tag(&c->out, t);
	c->content[c->depth] = c->out.len;
	c->depth += !t->closed;
	c->in_text = !t->closed && is_word(t->name, t->len, "text");
}

/* An element with nothing in it draws nothing. */
static void take_end(struct cutter *c, const struct tag *t)
{
	if (c->dropping) {
		c->dropping--;
		return;
	}
	if (c->depth == 0)
		return;
	c->depth--;
	c->in_text = false;
	if (c->out.len == c->content[c->depth]) {
		c->out.len = c->start[c->depth];
		return;
	}
	append_text(&c->out, "</");
	append(&c->out, t->name, t->len);
	append_text(&c->out, ">\n");
}

static unsigned int number_of(const struct tag *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (is_word(t->attributes[i].name, t->attributes[i].name_len,
			    name))
			return strtoul(t->attributes[i].value, NULL, 10);
	return 0;
}

char *svg_take(const char **text, unsigned int *width, unsigned int *height)
{
	struct cutter c = { .depth = 0 };
	const char *s = strstr(*text, "<svg");
	struct tag t;

	if (!s)
		return NULL;
	s = read_tag(s, &t);
	*width = number_of(&t, "width");
	*height = number_of(&t, "height");
	append_text(&c.out, "");
	for (;;) {
		size_t len = strcspn(s, "<");

		if (c.in_text && !c.dropping)
			append_content(&c.out, s, len);
		s += len;
		if (!*s)
			die("gnuplot's SVG ends too early");
		s = read_tag(s, &t);
		if (t.ends && is_word(t.name, t.len, "svg"))
			break;
		if (t.ends)
			take_end(&c, &t);
		else if (*t.name != '!' && *t.name != '?')
			take_start(&c, &t);
	}
	*text = s;
	return c.out.text;
}

void svg_print_symbols(FILE *out)
{
	static const struct {
		enum svg_point point;
		const char *outline;
	} symbols[] = {
		{ SVG_SQUARE, "M-1-1h2v2h-2z" },
		{ SVG_CIRCLE, "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z" },
		{ SVG_UP, "M0-1.3L1.2.8H-1.2z" },
		{ SVG_DOWN, "M0 1.3L1.2-.8H-1.2z" },
		{ SVG_DIAMOND, "M0-1.4L1.4 0 0 1.4-1.4 0z" },
		{ SVG_PENTAGON, "M0-1.2L1.15-.37.7 1H-.7L-1.15-.37z" },
	};
	size_t i;

	fputs("<svg class=\"symbols\" aria-hidden=\"true\" width=\"0\" "
	      "height=\"0\"><defs>\n",
	      out);
	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		fprintf(out,
			"<path id=\"p%d\" d=\"%s\" fill=\"var(--paper)\" "
			"stroke=\"currentColor\" stroke-width=\".4\"/>\n",
			symbols[i].point, symbols[i].outline);
		fprintf(out,
			"<path id=\"p%d\" d=\"%s\" fill=\"currentColor\" "
			"stroke=\"none\"/>\n",
			symbols[i].point + SVG_FILLED, symbols[i].outline);
	}
	fputs("</defs></svg>\n", out);
}
