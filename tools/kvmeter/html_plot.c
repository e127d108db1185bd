/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "child.h"
#include "clock.h"
#include "html_plot.h"
#include "remedy.h"
#include "scratch.h"
#include "util.h"

/* Figures take milliseconds each; this is for a machine in distress. */
#define TIMEOUT_NS (300 * NSEC_PER_SEC)

/* From here on values are shown on a logarithmic scale. */
#define LOG_FROM 20

/* More than any sample, and far from where doubles end. */
#define VALUE_MAX 1e30

/* Intervals between the tics of an axis. */
#define TICS_MAX 5

void figures_init(struct figures *f)
{
	*f = (struct figures){ 0 };
	f->script = open_memstream(&f->text, &f->bytes);
	if (!f->script)
		die("out of memory");
	/* decimal points, whatever the environment says */
	fputs("set encoding utf8\nset decimalsign '.'\n", f->script);
}

struct figure *figures_add(struct figures *f, const char *kind,
			   unsigned int width, unsigned int height)
{
	f->list = xrealloc(f->list, f->nr + 1, sizeof(*f->list));
	f->list[f->nr] = (struct figure){ .kind = kind };
	fprintf(f->script,
		"reset\n"
		"set terminal svg size %u,%u noenhanced font 'sans-serif,13'\n"
		"set output\n"
		"unset key\n"
		"set border 3 linecolor rgb '%s'\n"
		"set tics nomirror scale 0.4 textcolor rgb '%s'\n"
		"set xlabel offset 0,0.4 textcolor rgb '%s'\n",
		width, height, SVG_FAINT, SVG_INK, SVG_FAINT);
	return &f->list[f->nr++];
}

void figure_add_key(struct figure *f, struct figure_key key)
{
	f->keys = xrealloc(f->keys, f->nr_keys + 1, sizeof(*f->keys));
	f->keys[f->nr_keys++] = key;
}

/* ---- gnuplot ---- */

struct plot_files {
	char *script, *output, *errors;
};

static void files_init(struct plot_files *s)
{
	const char *directory = scratch_make();

	s->script = xasprintf("%s/script", directory);
	s->output = xasprintf("%s/output", directory);
	s->errors = xasprintf("%s/errors", directory);
}

static void files_fini(struct plot_files *s)
{
	scratch_remove();
	free(s->script);
	free(s->output);
	free(s->errors);
}

static void write_script(const struct figures *f, const struct plot_files *s)
{
	int fd =
		open(s->script, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int error = fd < 0 ? errno : write_all(fd, f->text, f->bytes);

	if (fd >= 0)
		close(fd);
	if (error)
		die("%s: %s%s (TMPDIR)", s->script, strerror(error),
		    file_remedy(error));
}

static struct child_end run_gnuplot(const struct plot_files *s)
{
	/* -d: nothing of the user's own settings */
	char *argv[] = { "gnuplot", "-d", s->script, NULL };

	/* in C it warns that it has no degree sign, which nobody asked for */
	setenv("LC_ALL", "C.UTF-8", 1);
	return child_run(&(struct child_config){
		.argv = argv,
		.stdout_path = s->output,
		.stderr_path = s->errors,
		.timeout_ns = TIMEOUT_NS,
	});
}

/*
 * What gnuplot has to say of the script names it. One of its thirty libraries
 * may find fault with the machine, as libnuma does; the figures are none the
 * worse for that.
 */
static void pass_on(const char *errors, const char *script)
{
	const char *of_script = errors ? strstr(errors, script) : NULL;

	if (of_script)
		warn("gnuplot: %s", of_script);
}

/* Why it failed, to be freed; NULL: it has not, but may have had to say. */
static char *complaint(const struct child_end *end, const struct plot_files *s)
{
	char *errors = read_text("%s", s->errors);

	if (end->timed_out)
		return xasprintf("gnuplot does not come to an end%s",
				 child_why_late(end));
	if (end->signal)
		return xasprintf("gnuplot: %s", child_signal_text(end));
	if (end->code != 0)
		return xasprintf("gnuplot: exit %d: %s", end->code,
				 errors ? errors : "");
	pass_on(errors, s->script);
	free(errors);
	return NULL;
}

static void take_figures(struct figures *f, const char *text)
{
	size_t i;

	for (i = 0; i < f->nr; i++) {
		struct figure *one = &f->list[i];

		one->svg = svg_take(&text, &one->width, &one->height);
		if (!one->svg)
			die("gnuplot has drawn %zu of %zu figures: is there "
			    "room in the directory for temporary files "
			    "(TMPDIR)? Else --no-figures does without",
			    i, f->nr);
	}
}

void figures_draw(struct figures *f)
{
	struct child_end end;
	struct plot_files s;
	char *why, *text;
	int error;

	fclose(f->script);
	if (f->nr == 0)
		return;
	files_init(&s);
	write_script(f, &s);
	end = run_gnuplot(&s);
	why = end.error || end.interrupted ? NULL : complaint(&end, &s);
	text = read_text("%s", s.output);
	error = errno;
	files_fini(&s);
	child_fini();
	if (end.error == ENOENT)
		skip("figures are drawn by gnuplot, which is not here: on "
		     "Debian apt-get install gnuplot-nox, or ask for "
		     "--no-figures");
	if (end.error)
		die("gnuplot: %s%s", strerror(end.error),
		    process_remedy(end.error));
	if (why)
		die("%s", why);
	if (!text)
		die("what gnuplot has drawn cannot be read: %s",
		    errno_text(error));
	take_figures(f, text);
	free(text);
	free(f->text);
}

/* ---- axes ---- */

static const struct scale {
	double factor;
	const char *ns, *count; /* names; a count's unit follows */
} scales[] = {
	{ 1e9, "s", "G " },
	{ 1e6, "ms", "M " },
	{ 1e3, "us", "k " },
	{ 1, "ns", "" },
};

static void choose_unit(struct plot_axis *a, const char *unit, double largest)
{
	char word[PLOT_UNIT_MAX + 1];
	size_t i = 0;

	while (i < ARRAY_SIZE(scales) - 1 && largest < scales[i].factor)
		i++;
	a->factor = scales[i].factor;
	if (strcmp(unit, "ns") == 0)
		snprintf(a->unit, sizeof(a->unit), "%s", scales[i].ns);
	else
		snprintf(a->unit, sizeof(a->unit), "%s%s", scales[i].count,
			 plot_word(word, unit, PLOT_UNIT_MAX));
}

void plot_axis_init(struct plot_axis *a, char name, enum plot_base base,
		    const char *unit, double least, double largest)
{
	double room;

	/* what is beyond all numbers has no place on an axis */
	least = fmax(0, fmin(least, VALUE_MAX));
	largest = fmax(0, fmin(largest, VALUE_MAX));
	*a = (struct plot_axis){ .name = name };
	choose_unit(a, unit, largest);
	a->log = least > 0 && largest / least >= LOG_FROM;
	a->min = least / a->factor;
	a->max = largest / a->factor;
	if (a->log) {
		room = pow(a->max / a->min, 0.07);
		a->min /= room;
		a->max *= room;
		return;
	}
	if (base == PLOT_FROM_ZERO || a->max == a->min)
		a->min = 0;
	if (a->max == 0)
		a->max = 1;
	room = (a->max - a->min) * 0.06;
	a->min = fmax(0, a->min - (a->min > 0 ? room : 0));
	a->max += room;
}

/* 1, 2 or 5 times a power of ten. */
static double nice_step(double at_least)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double decade = pow(10, floor(log10(at_least)));
	size_t i = 0;

	while (i < ARRAY_SIZE(steps) - 1 && steps[i] * decade < at_least)
		i++;
	return steps[i] * decade;
}

static void set_linear_tics(const struct plot_axis *a, FILE *script)
{
	double step = nice_step((a->max - a->min) / TICS_MAX);
	double first = ceil(a->min / step);
	const char *sep = "";
	double at;

	for (int i = 0; i < 20; i++) {
		at = (first + i) * step;
		if (at > a->max)
			break;
		fprintf(script, "%s\"%.10g\" %.10g", sep, at, at);
		sep = ", ";
	}
}

/* The fewer powers of ten there are, the more numbers in between. */
static void set_log_tics(const struct plot_axis *a, FILE *script)
{
	static const struct {
		double decades; /* at most so many are shown */
		size_t nr;
		double parts[3];
	} rows[] = {
		{ 2.3, 3, { 1, 2, 5 } },
		{ 3.5, 2, { 1, 3 } },
		{ INFINITY, 1, { 1 } },
	};
	int first = floor(log10(a->min)), last = ceil(log10(a->max)), decade;
	int skip_by = (int)max_u64(1, (last - first) / TICS_MAX);
	const char *sep = "";
	size_t row = 0, i;

	while (log10(a->max / a->min) > rows[row].decades)
		row++;
	for (decade = first; decade <= last; decade += skip_by) {
		for (i = 0; i < rows[row].nr; i++) {
			double v = rows[row].parts[i] * pow(10, decade);

			if (v < a->min || v > a->max)
				continue;
			fprintf(script, "%s\"%.10g\" %.10g", sep, v, v);
			sep = ", ";
		}
	}
}

void plot_axis_set(const struct plot_axis *a, FILE *script)
{
	fprintf(script, "set %crange [%.10g:%.10g]\n", a->name, a->min, a->max);
	if (a->log)
		fprintf(script, "set logscale %c\n", a->name);
	fprintf(script, "set %ctics (", a->name);
	if (a->log)
		set_log_tics(a, script);
	else
		set_linear_tics(a, script);
	fputs(")\n", script);
	fprintf(script, "set grid %ctics linetype 1 linecolor rgb '%s'\n",
		a->name, SVG_SOFT);
}

void plot_axis_name(const struct plot_axis *y, FILE *script)
{
	fprintf(script,
		"set tmargin 2\n"
		"set label 1 '%s%s' at screen 0.015, screen 0.955 left "
		"textcolor rgb '%s'\n",
		y->unit, y->log ? ", logarithmic" : "", SVG_FAINT);
}

enum svg_point plot_symbol(int series)
{
	static const enum svg_point symbols[SVG_SERIES] = {
		SVG_CIRCLE,  SVG_SQUARE, SVG_UP,
		SVG_DIAMOND, SVG_DOWN,	 SVG_PENTAGON,
	};

	return symbols[(series - 1) % SVG_SERIES];
}

const char *plot_word(char *buf, const char *text, size_t max)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789 ,=._+:/-";
	size_t i;

	for (i = 0; i < max && text[i]; i++)
		if (strchr(plain, text[i]))
			buf[i] = text[i];
		else
			buf[i] = '_';
	buf[i] = '\0';
	return buf;
}
