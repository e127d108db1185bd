/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kvmeter bisect: what is recorded of a bisection, and its steps. "Good" is
 * what the commits before the one that is looked for are, "bad" the others;
 * with --find faster bad is what is faster.
 */
#ifndef KVMETER_BISECT_H
#define KVMETER_BISECT_H

#include "input.h"
#include "threshold.h"

#define BISECT_SCHEMA "kvmeter-bisect/1"

/* What of a commit's work is left to others. */
enum hook {
	HOOK_BUILD, /* once a step */
	HOOK_BOOT,  /* before each run */
	HOOK_RUN,   /* writes results */
	NR_HOOKS,
};

/* A metric at a point by which commits are judged. */
struct bisect_figure {
	const struct series *good; /* of the side */
	double factor;		   /* threshold.h */
};

struct bisect {
	const char *path;
	bool find_faster;
	bool half_way; /* thresholds lie between good and bad */
	double alpha;  /* of a step */
	u64 max_runs;  /* invocations of a step */
	u64 hook_timeout_s;
	char **hooks[NR_HOOKS]; /* words, ended by NULL; NULL: none */
	struct side good, bad;	/* bad may have no files */
	size_t nr_figures;
	struct bisect_figure *figures;
};

/* "build", "boot", "run" */
const char *hook_name(enum hook hook);

/* Writes @b->path whole or not at all; end() with EXIT_FAIL if not at all. */
void bisect_save(const struct bisect *b);

/* Of a file that bisect_save() has written. */
void bisect_load(struct bisect *b, const char *path, struct problems *p);

/*
 * Good is from several boots: then files of one boot count as one, since they
 * share what is special to it.
 */
bool bisect_by_boots(const struct bisect_figure *f);

/*
 * The values of @f on the sides of good and bad, and on that of the commit.
 * False if that has none.
 */
bool bisect_values(const struct bisect *b, const struct bisect_figure *f,
		   const struct side *commit, struct threshold_figure *values);

/* "create of page_table_test vcpus=1 bytes=64M"; to be freed. */
char *bisect_figure_text(const struct bisect_figure *f);

/* The median of good, of files' medians. */
double bisect_good(const struct bisect_figure *f);

/* What it is, and its factor. */
json_t *bisect_figure_json(const struct bisect_figure *f);

/* "+5.0%" */
const char *bisect_threshold(char *buf, const struct bisect_figure *f);

/* alpha of each look at a commit: every one may err. */
double bisect_alpha(const struct bisect *b);

/* ---- record ---- */

/* What of it comes from the command line. */
struct bisect_choice {
	const char *metrics; /* with commas; NULL: all that will do */
	double threshold;    /* fraction; 0: half of the way to bad */
};

/* Finds figures and thresholds; end() with EXIT_USAGE where there is none. */
void bisect_choose(struct bisect *b, const struct bisect_choice *choice);

/* ---- step ---- */

/* What git bisect run makes of an exit code: git-bisect(1). */
enum step_code {
	STEP_GOOD = 0,
	STEP_BAD = 1,
	STEP_SKIP = 125,  /* can't tell */
	STEP_ABORT = 128, /* so is all above: no verdict, and no further step */
};

/*
 * From here on the process ends with STEP_ABORT or more, unless a verdict has
 * been reached: an error must not look like "bad".
 */
void step_guard(void);
void step_conclude(enum step_code code);

/* Ends the process: no other commit could be judged either. */
void __noreturn step_abort(const char *fmt, ...) __printf(1, 2);

/* The same by 128 and the signal that child_interrupted() tells. */
void __noreturn step_interrupted(void);

int step_run(const struct bisect *b, const char *log_path);

/* Where results and output of hooks are, by commit. */
struct hook_run {
	enum hook hook;
	const char *commit;
	const char *result; /* file that HOOK_RUN is to write; absolute */
	const char *output; /* file for what the hook prints */
	u64 invocation;	    /* 1, 2 ... */
};

/*
 * NULL once the hook has succeeded, else why this commit can't be told, to be
 * freed. step_abort() if no commit could.
 */
char *hook_run(const struct bisect *b, const struct hook_run *run);

/* step_abort() if a hook's program is not there. */
void hooks_check(const struct bisect *b);

/* ---- log ---- */

struct step {
	char *commit, *subject; /* "unknown", "" outside of a repository */
	enum step_code code;
	char *reason; /* of STEP_SKIP */
	const struct results *last;
	u64 invocations;
	size_t runs;
	const struct bisect *of;
	struct threshold_figure *values; /* of its figures; NULL: none yet */
};

void log_append(const char *path, const struct step *s);
void log_print(const char *path, FILE *out);

/* The figure on which the verdict depends: the worst or the least certain. */
size_t step_decisive(const struct step *s);

const char *step_verdict(enum step_code code);

#endif
