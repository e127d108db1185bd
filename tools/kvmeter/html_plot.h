/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Figures: gnuplot's commands for all of a page, run at once. What is written
 * into them is numbers and our own words, no string out of a file but by
 * plot_word().
 */
#ifndef KVMETER_HTML_PLOT_H
#define KVMETER_HTML_PLOT_H

#include "html_svg.h"
#include "types.h"

/* What a line, or a symbol, in a figure stands for. */
struct figure_key {
	int series; /* 1 to SVG_SERIES; 0: a word about the figure */
	enum { KEY_LINE, KEY_IDEAL, KEY_CPUS } line;
	char *label;
};

struct figure {
	const char *kind; /* its heading */
	char *finding;	  /* what it shows, in a sentence or two */
	char *remark;	  /* how to read it; or NULL */
	size_t nr_keys;
	struct figure_key *keys;
	/* ---- by figures_draw() ---- */
	char *svg;
	unsigned int width, height;
};

struct figures {
	size_t nr;
	struct figure *list;
	FILE *script;
	char *text;
	size_t bytes;
};

void figures_init(struct figures *f);

/* The next one; valid until another is added. Its size in CSS pixels. */
struct figure *figures_add(struct figures *f, const char *kind,
			   unsigned int width, unsigned int height);

void figure_add_key(struct figure *f, struct figure_key key);

/*
 * Runs gnuplot. Without one skip(), naming the package that brings it; its
 * failure ends in die(), its warnings are passed on.
 */
void figures_draw(struct figures *f);

/* ---- commands ---- */

#define PLOT_WIDTH 400

/* Characters of a unit that are shown, without their factor. */
#define PLOT_UNIT_MAX 20

/* Numbers of one metric along an axis, in a unit that suits them. */
struct plot_axis {
	char name; /* 'x' or 'y' */
	bool log;
	double factor;		      /* values are divided by it */
	char unit[PLOT_UNIT_MAX + 3]; /* "ms", "M pages/s" */
	double min, max;	      /* in that unit */
};

enum plot_base {
	PLOT_FROM_MIN,
	PLOT_FROM_ZERO, /* so that lengths are in proportion; unless log */
};

/*
 * Between the least and the largest value, with some room. Logarithmic where
 * they lie far apart and none is 0.
 */
void plot_axis_init(struct plot_axis *a, char name, enum plot_base base,
		    const char *unit, double least, double largest);

/* Range, scale, tics and their labels. */
void plot_axis_set(const struct plot_axis *a, FILE *script);

/* The unit, above the upper end of a y axis. */
void plot_axis_name(const struct plot_axis *y, FILE *script);

/* The symbol of series 1 to SVG_SERIES, hollow. */
enum svg_point plot_symbol(int series);

/*
 * What is left of @text when all but ASCII letters, digits, blanks and
 * ,=._+:/- have become '_', and of that the first @max characters. The buffer
 * has room for one more.
 */
const char *plot_word(char *buf, const char *text, size_t max);

#endif
