/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"
#include "remedy.h"
#include "report_locks.h"
#include "results.h"
#include "steal.h"
#include "util.h"
#include "version.h"

/* What is tried beforehand: no results are shorter. */
#define LEAST_BYTES 2048

/* "-", or another name of it such as /dev/stdout. */
bool results_on_stdout(const char *path)
{
	struct stat a, b;

	return strcmp(path, "-") == 0 ||
	       (stat(path, &a) == 0 && fstat(STDOUT_FILENO, &b) == 0 &&
		a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* Closed before the results come, a pipe would have its reader end. */
static struct outfile special;

/* Abandons @f; returns 0, or an errno if the shortest results find no room. */
static int try_writing(struct outfile *f)
{
	static const char block[LEAST_BYTES];
	int error = write_all(f->fd, block, sizeof(block));

	outfile_abandon(f);
	return error;
}

void results_check_path(const char *path)
{
	struct outfile f;
	int error;

	if (results_on_stdout(path))
		return;
	error = outfile_open(&f, path);
	if (!error && f.temporary)
		error = try_writing(&f);
	else if (!error)
		special = f;
	if (error)
		usage_error("--json '%s': %s%s", path, outfile_error(error),
			    file_remedy(error));
}

static void write_histogram(struct json *j, const struct tail *t)
{
	json_object_begin(j, "histogram");
	histogram_json_summary(&t->all, j);
	histogram_json_buckets(&t->all, j);
	if (t->vcpu) {
		json_array_begin(j, "vcpus");
		for (unsigned int i = 0; i < t->nr_vcpus; i++) {
			json_object_begin(j, NULL);
			histogram_json_summary(&t->vcpu[i], j);
			json_object_end(j);
		}
		json_array_end(j);
	}
	json_object_end(j);
}

/*
 * Which samples are of one run. The last ones may be of a run that did not end.
 */
static void write_runs(struct json *j, const struct series *s)
{
	u64 each = s->nr_runs ? s->run_samples[0] : 0;
	bool alike = each && s->nr == each * s->nr_runs;

	for (unsigned int i = 0; i < s->nr_runs; i++)
		alike &= s->run_samples[i] == each;
	if (alike)
		json_u64(j, "samples_per_run", each);
	else if (each)
		json_u64_array(j, "samples_of_runs", s->run_samples,
			       s->nr_runs);
}

static void write_metric(struct json *j, const struct session *s,
			 const struct point *p, unsigned int metric)
{
	const struct metric_row *row = &s->bench->metrics[metric];
	const struct series *series = &p->series[metric];

	json_object_begin(j, NULL);
	json_text(j, "name", row->name);
	json_text(j, "unit", metric_unit_name(row->unit));
	json_text(j, "better", metric_better_name(row));
	json_u64_array(j, "samples", series->samples, series->nr);
	if (series->vcpu_samples) {
		json_array_begin(j, "vcpu_samples");
		for (unsigned int i = 0; i < series->nr; i++)
			json_u64_array(j, NULL,
				       series->vcpu_samples +
					       (size_t)i * series->nr_vcpus,
				       series->nr_vcpus);
		json_array_end(j);
	}
	write_runs(j, series);
	if (series->pages)
		json_u64(j, "accesses", series->pages);
	if (series->thread_pages)
		json_u64(j, "thread_accesses", series->thread_pages);
	if (series->remark)
		json_text(j, "remark", series->remark);
	if (series->tail && series->tail->all.nr)
		write_histogram(j, series->tail);
	results_locks(s, &series->locks, j);
	json_object_end(j);
}

/* What each run's tail was, as metrics that can be compared. */
static void write_tail(struct json *j, const struct metric_row *row,
		       const struct tail *t)
{
	for (unsigned int i = 0; i < HISTOGRAM_QUANTILES; i++) {
		const struct histogram_quantile *q = &histogram_quantiles[i];
		char *name;

		if (!q->suffix)
			continue;
		name = xasprintf("%s_%s", row->name, q->suffix);
		json_object_begin(j, NULL);
		json_text(j, "name", name);
		json_text(j, "unit", metric_unit_name(row->unit));
		json_text(j, "better", metric_better_name(row));
		json_u64_array(j, "samples", t->of_runs[i], t->nr_runs);
		json_u64(j, "samples_per_run", 1);
		json_object_end(j);
		free(name);
	}
}

static void write_metrics(struct json *j, const struct session *s,
			  const struct point *p)
{
	json_array_begin(j, "metrics");
	for (unsigned int i = 0; i < s->nr_metrics; i++) {
		const struct tail *t = p->series[i].tail;

		if (p->series[i].nr)
			write_metric(j, s, p, i);
		if (t && t->nr_runs)
			write_tail(j, &s->bench->metrics[i], t);
	}
	json_array_end(j);
}

static void write_checks(struct json *j, const struct session *s,
			 const struct point *p)
{
	json_array_begin(j, "checks");
	for (unsigned int i = 0; i < s->nr_checks; i++) {
		const struct check_state *c = &p->checks[i];

		if (c->result == CHECK_NOT_APPLICABLE)
			continue;
		json_object_begin(j, NULL);
		json_text(j, "name", s->bench->checks[i].name);
		json_text(j, "result", check_result_name(c->result));
		json_text(j, "detail", c->detail);
		json_object_end(j);
	}
	json_array_end(j);
}

static void write_stats(struct json *j, const struct session *s,
			const struct point *p)
{
	json_object_begin(j, "stats");
	for (unsigned int i = 0; i < s->nr_metrics; i++) {
		const struct series *series = &p->series[i];

		if (!series->nr_stats)
			continue;
		json_object_begin(j, s->bench->metrics[i].name);
		for (unsigned int k = 0; k < series->nr_stats; k++)
			json_s64(j, series->stats[k].name,
				 series->stats[k].change);
		json_object_end(j);
	}
	json_object_end(j);
}

static void write_host_usage(struct json *j, const struct thread_usage *u)
{
	json_object_begin(j, "host");
	json_u64(j, "user_ns", u->user_ns);
	json_u64(j, "sys_ns", u->sys_ns);
	json_u64(j, "voluntary_switches", u->voluntary);
	json_u64(j, "involuntary_switches", u->involuntary);
	json_u64(j, "delay_ns", u->delay_ns);
	json_object_end(j);
}

static void write_usage(struct json *j, const struct session *s,
			const struct point *p)
{
	json_object_begin(j, "usage");
	for (unsigned int i = 0; i < s->nr_metrics; i++) {
		const struct usage *u = &p->series[i].usage;
		struct thread_usage all = thread_usage_add(u->vcpus, u->host);

		if (!p->series[i].timed)
			continue;
		json_object_begin(j, s->bench->metrics[i].name);
		json_u64(j, "user_ns", all.user_ns);
		json_u64(j, "sys_ns", all.sys_ns);
		json_u64(j, "in_run_ns", u->in_run_ns);
		json_u64(j, "voluntary_switches", all.voluntary);
		json_u64(j, "involuntary_switches", all.involuntary);
		json_u64(j, "delay_ns", all.delay_ns);
		write_host_usage(j, &u->host);
		json_object_end(j);
	}
	json_object_end(j);
}

static void write_point(struct json *j, const struct session *s,
			const struct point *p)
{
	json_object_begin(j, NULL);
	json_object_begin(j, "config");
	json_u64(j, "vcpus", p->vcpus);
	json_u64(j, "bytes", p->bytes);
	if (s->bench->variants)
		json_text(j, s->bench->variants->key, point_variant(s, p));
	json_object_end(j);
	write_metrics(j, s, p);
	write_checks(j, s, p);
	write_stats(j, s, p);
	write_usage(j, s, p);
	if (p->finished && p->steal_ns != STEAL_UNKNOWN)
		json_u64(j, "steal_ns", p->steal_ns);
	else
		json_unknown(j, "steal_ns");
	json_u64(j, "stopped_runs", p->stopped_runs);
	json_array_begin(j, "notes");
	for (unsigned int i = 0; i < p->nr_notes; i++)
		json_text(j, NULL, p->notes[i]);
	json_array_end(j);
	json_object_end(j);
}

static void write_session(FILE *out, const struct session *s,
			  enum verdict verdict, const char *reason)
{
	static const char *const verdicts[] = { "pass", "fail", "skip" };
	struct json j;

	json_init(&j, out);
	json_object_begin(&j, NULL);
	json_text(&j, "schema", "kvmeter/1");
	json_text(&j, "bench", s->bench->name);
	json_text(&j, "version", KVMETER_VERSION);
	json_text(&j, "started", s->started);
	json_text(&j, "boot_id", s->host.boot_id);
	json_object_begin(&j, "config");
	options_json(s->options, s->config, &j);
	json_object_end(&j);
	host_json(&s->host, &j);
	json_array_begin(&j, "points");
	for (unsigned int i = 0; i < s->nr_points; i++)
		if (s->points[i].started)
			write_point(&j, s, &s->points[i]);
	json_array_end(&j);
	json_text(&j, "verdict", verdicts[verdict]);
	json_text(&j, "reason", reason);
	json_object_end(&j);
}

/* Shows a full disk now; 0 or an errno. */
static int write_to_stdout(const struct session *s, enum verdict verdict,
			   const char *reason)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int error = out ? 0 : errno;

	if (out)
		write_session(out, s, verdict, reason);
	if (out && fclose(out))
		error = errno;
	if (!error)
		error = write_all(STDOUT_FILENO, text, bytes);
	free(text);
	return error;
}

static int write_to_file(const char *path, const struct session *s,
			 enum verdict verdict, const char *reason)
{
	struct outfile f;
	sigset_t all, old;
	int error;

	/* a signal must not leave the temporary file behind */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	f = special;
	special = (struct outfile){ .out = NULL };
	error = f.out ? 0 : outfile_open(&f, path);
	/* but a reader of a pipe may take its time */
	if (!error && !f.temporary)
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!error) {
		write_session(f.out, s, verdict, reason);
		error = outfile_close(&f);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

char *results_write(const char *path, const struct session *s,
		    enum verdict verdict, const char *reason)
{
	int error = results_on_stdout(path) ?
			    write_to_stdout(s, verdict, reason) :
			    write_to_file(path, s, verdict, reason);

	if (!error)
		return NULL;
	return xasprintf("--json %s: %s: the results are lost%s", path,
			 outfile_error(error), file_remedy(error));
}
