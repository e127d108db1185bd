/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench_describe.h"
#include "bench_man.h"
#include "bench_options.h"
#include "clock.h"
#include "interrupt.h"
#include "kernel_log.h"
#include "lock_wait.h"
#include "memory_room.h"
#include "mode.h"
#include "point.h"
#include "quirks.h"
#include "remedy.h"
#include "report.h"
#include "report_scaling.h"
#include "results.h"
#include "rlimit.h"
#include "startup.h"
#include "steal.h"
#include "stops.h"
#include "util.h"
#include "variants.h"
#include "version.h"
#include "watchdog.h"

#define OUTPUT_LOST "the output is full or closed"
#define REPORT_LOST "writing the report: " OUTPUT_LOST

static u64 memory_of(const struct session *s, const struct point *p)
{
	return s->bench->memory ?
		       s->bench->memory(s->config, p->vcpus, p->bytes) :
		       p->bytes;
}

static void init_session(struct session *s)
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(s->started, sizeof(s->started), "%Y-%m-%dT%H:%M:%SZ", &tm);
	while (s->bench->metrics[s->nr_metrics].name)
		s->nr_metrics++;
	if (s->nr_metrics > METRICS_MAX)
		die("more than %d metrics", METRICS_MAX);
	while (s->bench->checks[s->nr_checks].name)
		s->nr_checks++;
	s->text = stdout;
	if (s->common->json && results_on_stdout(s->common->json))
		s->text = stderr;
	host_read(&s->host);
	points_init(s);
	s->kernel_log = kernel_log_open();
}

/* The line on standard error that tells a person at a terminal to wait. */
struct progress_line {
	struct session *session;
	const struct run *run;
};

static void clear_progress(struct session *s)
{
	if (s->progress_shown)
		fputs("\r\033[K", stderr);
	s->progress_shown = false;
}

static void show_progress(void *arg, u64 elapsed_ns)
{
	const struct progress_line *line = arg;
	const struct bench_config *c = line->session->common;
	const struct run *r = line->run;

	if (!isatty(STDERR_FILENO) || c->quiet || elapsed_ns < NSEC_PER_SEC)
		return;
	line->session->progress_shown = true;
	fprintf(stderr,
		"\r\033[K%s: %llu vCPUs, run %llu of %llu: %llu s in "
		"this phase",
		r->bench->name, (unsigned long long)r->nr_vcpus,
		(unsigned long long)r->index + 1,
		(unsigned long long)(c->warmup + c->runs),
		(unsigned long long)(elapsed_ns / NSEC_PER_SEC));
}

/* An early end: skip(), die() or a signal. Prints what there is. */
static int end_early(void *arg, int code, const char *message)
{
	struct session *s = arg;
	bool skipped;
	enum verdict verdict;
	char *error = NULL;

	/* a skip is decided before anything is measured, or not at all */
	if (code == EXIT_SKIP && s->begun)
		code = EXIT_FAIL;
	skipped = code == EXIT_SKIP && !s->common->strict;
	verdict = skipped ? VERDICT_SKIP : VERDICT_FAIL;
	clear_progress(s);
	for (unsigned int i = 0; i < s->nr_points; i++)
		if (s->points[i].started && !s->points[i].finished)
			report_point(s, &s->points[i]);
	report_scaling(s);
	if (!s->begun && code == EXIT_SKIP)
		report_skip(s, message);
	else
		report_bail_out(s, message);
	if (s->kernel_log)
		kernel_log_print(s->kernel_log, s->text);
	tell("%s", message);
	if (s->common->json)
		error = results_write(s->common->json, s, verdict, message);
	if (error)
		tell("%s", error);
	if (s->text_error)
		tell(REPORT_LOST ": %s", errno_text(s->text_error));
	if ((error || s->text_error) && code == EXIT_SKIP)
		code = EXIT_FAIL;
	free(error);
	if (code == EXIT_SKIP && s->common->strict) {
		tell("a skip is a failure: --strict");
		return EXIT_FAIL;
	}
	return code;
}

/* By the thread that watches, while the main thread may be anywhere. */
static void report_standstill(void *arg, const char *message)
{
	struct session *s = arg;

	if (ftrylockfile(s->text) == 0)
		report_bail_out(s, message);
	else
		dprintf(fileno(s->text), "Bail out! %s\n", message);
	dprintf(STDERR_FILENO, "%s: %s\n", s->bench->name, message);
}

/* Besides the main one, of one run. */
static u64 host_threads(const struct session *s)
{
	size_t offset = s->bench->host_threads;

	return offset ? *(u64 *)((char *)s->config + offset) - 1 : 0;
}

/* Everything that could skip, for all points, before the first is measured. */
static void check_requirements(struct session *s)
{
	const struct bench_config *c = s->common;
	unsigned int pa_bits = 0;
	bool takes_memory = backing_takes_memory(c->backing);
	u64 vcpus = 0, memory = 0, needed = 0, gpa;
	const char *no_locks;
	char *why;

	for (unsigned int i = 0; i < s->nr_points; i++) {
		u64 bytes = memory_of(s, &s->points[i]);

		vcpus = max_u64(vcpus, s->points[i].vcpus);
		memory = max_u64(memory, bytes);
		needed = max_u64(needed,
				 memory_needed(takes_memory ? bytes : 0, bytes,
					       s->points[i].vcpus));
	}
	pa_bits = vm_require(&(struct vm_needs){
		.mode = mode_find(c->mode),
		.nr_vcpus = vcpus,
		.nr_slots = c->slots,
		.eager_split = c->eager_split,
		.disable_quirks = c->disable_quirks,
		.host_threads = host_threads(s),
		.more_files = c->lock_wait ? LOCK_WAIT_FILES : 0,
		.bytes = memory });
	backing_require(c->backing, memory);
	why = limit_missing(LIMIT_DATA, needed);
	if (!why)
		why = memory_missing(needed);
	if (why)
		skip("%s", why);
	if (c->unaligned)
		memory += testmem_shift(mode_find(c->mode));
	gpa = c->gpa == TESTMEM_GPA_DEFAULT ? CONTROL_GPA_END : c->gpa;
	if (gpa >= BIT(pa_bits) || memory > BIT(pa_bits) - gpa)
		usage_error("--gpa %#llx: %llu bytes from there do not fit the "
			    "%u physical address bits of --mode %s",
			    (unsigned long long)gpa, (unsigned long long)memory,
			    pa_bits, c->mode);
	no_locks = c->lock_wait ? lock_wait_missing() : NULL;
	if (no_locks)
		skip("--lock-wait: %s", no_locks);
	variants_require(s);
	if (s->bench->require)
		s->bench->require(s->config);
}

static void run_once(struct session *s, struct point *p, u64 index)
{
	const struct bench_config *c = s->common;
	struct run r = {
		.bench = s->bench,
		.config = s->config,
		.nr_vcpus = p->vcpus,
		.bytes = p->bytes,
		.variant = p->variant,
		.index = index,
		.point = p,
		.dropped = index < c->warmup,
	};
	struct progress_line line = { s, &r };

	r.gang_config = (struct gang_config){
		.timeout_ns = c->timeout_s * NSEC_PER_SEC,
		.pin = &c->pin,
		.tick = show_progress,
		.tick_arg = &line,
	};
	interrupt_check();
	s->bench->run(&r);
	run_end(&r);
	run_check_metrics(&r);
	for (unsigned int i = 0; i < s->nr_metrics; i++)
		series_end_run(&p->series[i]);
}

static bool run_point(struct session *s, struct point *p)
{
	const struct bench_config *c = s->common;

	u64 steal = steal_read(), start_ns = now_ns();

	p->started = true;
	for (u64 i = 0; i < c->warmup + c->runs; i++)
		run_once(s, p, i);
	p->finished = true;
	p->ns = now_ns() - start_ns;
	p->steal_ns = steal == STEAL_UNKNOWN ? steal : steal_read() - steal;
	clear_progress(s);
	report_point(s, p);
	return point_passed(s, p);
}

/* Returns an exit code. */
static int run_session(struct session *s)
{
	enum verdict verdict = VERDICT_PASS;
	char *error = NULL;

	check_requirements(s);
	report_begin(s);
	for (unsigned int i = 0; i < s->nr_points; i++)
		if (!run_point(s, &s->points[i]))
			verdict = VERDICT_FAIL;
	report_scaling(s);
	variants_report(s);
	set_end_handler(NULL, NULL);
	if (s->common->json)
		error = results_write(s->common->json, s, verdict, NULL);
	report_flush(s);
	if (error)
		tell("%s", error);
	if (s->text_error)
		die(REPORT_LOST ": %s", errno_text(s->text_error));
	if (error)
		return EXIT_FAIL;
	return verdict == VERDICT_PASS ? EXIT_PASS : EXIT_FAIL;
}

/* --help, --version, and "help" as a value: nothing is run. */
static bool answer_question(const struct option_set *set, const void *defaults,
			    const struct bench_config *c)
{
	if (c->help)
		options_help(set, defaults, stdout);
	else if (c->version)
		printf("%s (kvmeter) %s\n", set->program, KVMETER_VERSION);
	else if (strcmp(c->backing, "help") == 0)
		backing_list(stdout);
	else if (c->mode && strcmp(c->mode, "help") == 0)
		mode_list(stdout);
	else if (c->disable_quirks && !strcmp(c->disable_quirks, "help"))
		quirks_list(stdout);
	else
		return false;
	if (fflush(stdout))
		die(OUTPUT_LOST ": %s", errno_text(errno));
	return true;
}

/* No rows: these are for programs, not for those who measure. */
static bool tell_program(const struct bench *bench,
			 const struct option_set *set, const char *word)
{
	if (strcmp(word, "--man") == 0)
		bench_man(bench, set, stdout);
	else if (strcmp(word, "--describe") == 0)
		bench_describe(bench, set, stdout);
	else
		return false;
	if (fflush(stdout))
		die(OUTPUT_LOST ": %s", errno_text(errno));
	return true;
}

int bench_main(const struct bench *bench, int argc, char **argv)
{
	const struct option_row *const tables[] = { bench_option_rows,
						    bench->options, NULL };
	const struct option_set set = { bench->name, bench->question, tables,
					NULL };
	struct session s = { .bench = bench, .options = &set };
	void *config = xcalloc(1, bench->config_bytes);
	int code;

	startup_init();
	/* a reader that goes away is no reason to lose the results */
	signal(SIGPIPE, SIG_IGN);
	if (argc == 2 && tell_program(bench, &set, argv[1])) {
		free(config);
		return EXIT_PASS;
	}
	memcpy(config, bench->defaults, bench->config_bytes);
	options_parse(&set, config, argc, argv);
	s.config = config;
	s.common = config;
	if (answer_question(&set, bench->defaults, s.common)) {
		free(config);
		return EXIT_PASS;
	}
	bench_options_finish(bench, config);
	init_session(&s);
	interrupt_init();
	stops_init();
	if (s.common->json)
		results_check_path(s.common->json);
	set_end_handler(end_early, &s);
	watchdog_start(&(struct watchdog_config){ .seconds = WATCHDOG_S,
						  .report = report_standstill,
						  .arg = &s });
	code = run_session(&s);
	kernel_log_close(s.kernel_log);
	points_fini(&s);
	host_fini(&s.host);
	free(config);
	return code;
}
