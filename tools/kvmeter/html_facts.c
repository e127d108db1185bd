/* SPDX-License-Identifier: GPL-2.0-only */
/* All options and facts of hosts. */
#include <stdlib.h>
#include <string.h>
#include "differ.h"
#include "html_page.h"
#include "html_text.h"
#include "util.h"

/* One object, of each side; members may be objects in turn. */
struct facts {
	const struct page *page;
	const json_t **of; /* by side; NULL: it has none */
};

static bool is_same(const struct facts *f, const char *key)
{
	const json_t *first = json_object_get(f->of[0], key);
	size_t i;

	for (i = 1; i < f->page->view->nr_sides; i++) {
		const json_t *here = json_object_get(f->of[i], key);

		if (first != here && !json_equal(first, here))
			return false;
	}
	return true;
}

static void print_fact(const struct facts *f, const char *key)
{
	size_t nr = f->page->view->nr_sides, i;
	char *text;

	fputs("<tr>", f->page->out);
	html_element(f->page->out, "th scope=\"row\"", key);
	if (is_same(f, key)) {
		fprintf(f->page->out, "<td class=\"w\" colspan=\"%zu\">", nr);
		text = value_text(json_object_get(f->of[0], key), "-");
		html_text(f->page->out, text);
		free(text);
		fputs("</td></tr>\n", f->page->out);
		return;
	}
	for (i = 0; i < nr; i++) {
		text = value_text(json_object_get(f->of[i], key), "-");
		html_element(f->page->out, "td class=\"w\"", text);
		free(text);
	}
	fputs("</tr>\n", f->page->out);
}

/* Keys of all sides; what is an object in turn, not. */
static void print_facts(const struct facts *f)
{
	json_t *all = json_object(), *value;
	const char *key;
	size_t i;

	for (i = 0; i < f->page->view->nr_sides; i++)
		json_object_update_missing(all, (json_t *)f->of[i]);
	json_object_foreach(all, key, value) if (!json_is_object(value))
		print_fact(f, key);
	json_decref(all);
}

void page_print_letters(const struct page *p)
{
	size_t i;

	fputs("<thead><tr><td></td>", p->out);
	for (i = 0; i < p->view->nr_sides; i++)
		fprintf(p->out, "<th scope=\"col\">%c</th>", (char)('A' + i));
	fputs("</tr></thead>\n<tbody>\n", p->out);
}

static void open_facts(const struct page *p, const char *caption)
{
	page_open_table(p, caption);
	page_print_letters(p);
}

/* The first file of the benchmark; NULL: any benchmark. */
static const struct results *file_of(const struct side *s, const char *bench)
{
	size_t i;

	for (i = 0; i < s->nr_files; i++)
		if (!bench || (s->files[i]->bench &&
			       strcmp(s->files[i]->bench, bench) == 0))
			return s->files[i];
	return NULL;
}

static void print_options(const struct page *p, struct facts *f,
			  const char *bench)
{
	char *caption = xasprintf("Options of %s", bench);
	size_t i;

	for (i = 0; i < p->view->nr_sides; i++) {
		const struct results *r = file_of(&p->view->sides[i], bench);

		f->of[i] = r ? json_object_get(r->root, "config") : NULL;
	}
	open_facts(p, caption);
	print_facts(f);
	page_close_table(p);
	free(caption);
}

static void descend(const struct page *p, struct facts *f, const char *key)
{
	size_t i;

	for (i = 0; i < p->view->nr_sides; i++)
		f->of[i] = json_object_get(f->of[i], key);
}

void page_print_facts(const struct page *p)
{
	struct facts f = { p, NULL };
	size_t i;

	f.of = xcalloc(p->view->nr_sides, sizeof(*f.of));
	fputs("<section><h2 id=\"facts\">Options and hosts</h2>\n", p->out);
	for (i = 0; i < p->view->nr_benches; i++)
		print_options(p, &f, p->view->benches[i]);
	for (i = 0; i < p->view->nr_sides; i++)
		f.of[i] = file_of(&p->view->sides[i], NULL)->root;
	open_facts(p, "Hosts, KVM and its parameters");
	descend(p, &f, "host");
	print_facts(&f);
	descend(p, &f, "kvm");
	print_facts(&f);
	descend(p, &f, "parameters");
	print_facts(&f);
	page_close_table(p);
	fputs("</section>\n", p->out);
	free(f.of);
}
