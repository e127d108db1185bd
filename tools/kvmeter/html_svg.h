/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SVG as gnuplot writes it, cut down to lines, points and text that can stand
 * within a page: no identifiers, no titles, colours by the page's style sheet.
 */
#ifndef KVMETER_HTML_SVG_H
#define KVMETER_HTML_SVG_H

#include <stdio.h>

/* Colours that gnuplot is told, and the variables that they become. */
#define SVG_SERIES 6		 /* 1 to 6 */
#define SVG_COLOR(n) "#00000" #n /* SVG_COLOR(1): --c1 */
#define SVG_INK "#010000"	 /* --ink */
#define SVG_SOFT "#010001"	 /* --soft: grid */
#define SVG_BAND "#010002"	 /* --band: intervals */
#define SVG_BAD "#010003"	 /* --bad */
#define SVG_GOOD "#010004"	 /* --good */
#define SVG_FAINT "#010005"	 /* --faint: text of less weight */

/* Symbols as gnuplot numbers its pointtypes: each hollow, one more is filled.
 */
enum svg_point {
	SVG_SQUARE = 4,
	SVG_CIRCLE = 6,
	SVG_UP = 8,
	SVG_DOWN = 10,
	SVG_DIAMOND = 12,
	SVG_PENTAGON = 14,
};
#define SVG_FILLED 1

/*
 * The elements within the next <svg> of @text, and its size in the units that
 * its parent's viewBox takes; to be freed. @text moves behind it. NULL: there
 * is none. Only elements and attributes that draw are let through.
 */
char *svg_take(const char **text, unsigned int *width, unsigned int *height);

/* Once in a page, before the first figure: "#p7" is what <use> refers to. */
void svg_print_symbols(FILE *out);

#endif
