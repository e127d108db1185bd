/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inject OPTION... -- PROGRAM [ARGUMENT...]
 *
 * Runs a program and has one of its system calls fail, without a change to it:
 * a seccomp filter notifies this process of calls, which lets them go on
 * (SECCOMP_USER_NOTIF_FLAG_CONTINUE) or answers with an errno instead of the
 * kernel. Threads and children of the program are in it, too. Only calls of the
 * wanted kind are notified, so that others take no longer than ever.
 *
 *   --record FILE    all calls go on; lists what was called from where
 *   --fail KIND      as recorded: ioctl(KVM_CREATE_VM), clone3(thread)
 *     --error NUMBER   the errno
 *     --site HASH      only calls from there (default: from anywhere)
 *     --nth N          the N-th of these (default 1)
 *     --on             and all of these after it
 *   --under DIR      only programs below it (default: none)
 *   --limit SECONDS  until it is killed (default 20)
 *   --report FILE    how it went
 *
 * Exits as the program does; 128 + N after signal N, 124 at the limit. The
 * report has a line each: "failed SUBJECT" of the first call that was made to
 * fail, "at FRAMES" of it, "files N" open as the program ended, "left NAME" of
 * a process that outlived it, "hung", "signal N", "seen N" calls that fit.
 */
#include <errno.h>
#include <getopt.h>
#include <linux/seccomp.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "inject.h"
#include "site.h"

#define EXIT_HUNG 124
/* What a program leaves has so long to go by itself. */
#define GRACE_S 3.0
/* And what was killed so long to be gone. */
#define GONE_S 10.0
#define TICK_MS 20
#define SUBJECT_BYTES 256

static struct options {
	const char *record, *fail, *report, *under;
	int error;
	uint32_t site; /* 0: any */
	unsigned long nth;
	bool on;
	double limit_s;
} options = { .nth = 1, .limit_s = 20, .under = "/dev/null" };

static struct {
	pid_t pid;
	bool ended;
	double ended_at;
	int status; /* of waitpid() */
	bool hung;
	unsigned long seen;
	bool failed;
	FILE *report;
} run;

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

void broken(const char *what)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(EXIT_BROKEN);
}

static unsigned int count_files(pid_t pid)
{
	unsigned int nr = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));)
		nr += e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return nr;
}

/* Is it to fail? Says so in the report, if it is the first. */
static bool is_wanted(const struct seccomp_notif *call, const struct site *site)
{
	char subject[SUBJECT_BYTES];

	if (options.site && site->hash != options.site)
		return false;
	run.seen++;
	if (options.on ? run.seen < options.nth : run.seen != options.nth)
		return false;
	if (run.failed)
		return true;
	run.failed = true;
	call_subject(subject, sizeof(subject), call->pid, &call->data);
	subject[strcspn(subject, "\n")] = '\0';
	fprintf(run.report, "failed %s\nat ", subject);
	site_print(site, run.report);
	fputc('\n', run.report);
	return true;
}

/* Returns the errno that the call is to have, or 0. */
static int judge(const struct seccomp_notif *call)
{
	char name[CALL_NAME_BYTES], subject[SUBJECT_BYTES];
	struct site site;
	int error = 0;

	call_name(name, call->pid, &call->data);
	if (call->data.nr == SYS_exit_group && (pid_t)call->pid == run.pid)
		fprintf(run.report, "files %u\n", count_files(run.pid));
	if (options.fail && strcmp(name, options.fail) != 0)
		error = -1;
	if (!error && site_get(&site, call->pid)) {
		if (options.fail && is_wanted(call, &site))
			return options.error;
		call_subject(subject, sizeof(subject), call->pid, &call->data);
		if (options.record)
			record_call(name, &site, subject);
	}
	if (call->data.nr == SYS_execve)
		site_forget(call->pid);
	return 0;
}

static void answer(int listener, struct seccomp_notif *call)
{
	struct seccomp_notif_resp resp = { 0 };
	int error;

	memset(call, 0, sizeof(*call));
	/* a signal may have called its thread away */
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, call))
		return;
	resp.id = call->id;
	error = judge(call);
	/* the one that fails by not doing what it was asked for: brk(2) */
	if (error && call->data.nr != SYS_brk)
		resp.error = -error;
	if (!error)
		resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
}

static void kill_one(pid_t pid)
{
	char path[64], name[64] = "";
	FILE *comm;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	comm = fopen(path, "re");
	if (comm && fgets(name, sizeof(name), comm) && run.ended && !run.hung)
		fprintf(run.report, "left %s", name);
	if (comm)
		fclose(comm);
	kill(pid, SIGKILL);
}

/* Our children: whoever loses its parent becomes one. */
static void kill_all(void)
{
	struct dirent *e;
	char path[300];
	DIR *proc = opendir("/proc");

	while (proc && (e = readdir(proc))) {
		int ppid = 0;
		FILE *stat;

		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		stat = atoi(e->d_name) ? fopen(path, "re") : NULL;
		if (stat && fscanf(stat, "%*d (%*[^)]) %*c %d", &ppid) == 1 &&
		    ppid == getpid())
			kill_one(atoi(e->d_name));
		if (stat)
			fclose(stat);
	}
	if (proc)
		closedir(proc);
}

/* Returns false once there are no children. */
static bool reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != run.pid)
			continue;
		run.ended = true;
		run.ended_at = seconds_now();
		run.status = status;
	}
	return pid == 0;
}

static void supervise(int listener, struct seccomp_notif *call)
{
	double limit = seconds_now() + options.limit_s;
	struct pollfd p = { .fd = listener, .events = POLLIN };

	while (reap()) {
		poll(&p, 1, TICK_MS);
		if (p.revents & POLLIN) {
			answer(listener, call);
		} else if (p.revents & POLLHUP) {
			/* all who had the filter are gone, or about to */
			p.fd = -1;
			usleep(100);
		}
		if (!run.ended && seconds_now() > limit) {
			run.hung = true;
			kill_all();
			if (seconds_now() > limit + GONE_S)
				return;
		} else if (run.ended &&
			   seconds_now() > run.ended_at + GRACE_S) {
			kill_all();
		}
	}
}

static void parse(int argc, char **argv)
{
	static const struct option names[] = {
		{ "record", 1, NULL, 'r' }, { "fail", 1, NULL, 'f' },
		{ "error", 1, NULL, 'e' },  { "site", 1, NULL, 's' },
		{ "nth", 1, NULL, 'n' },    { "on", 0, NULL, 'o' },
		{ "under", 1, NULL, 'u' },  { "limit", 1, NULL, 'l' },
		{ "report", 1, NULL, 'R' }, { NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "+", names, NULL)) != -1) {
		switch (c) {
		case 'r':
			options.record = optarg;
			break;
		case 'f':
			options.fail = optarg;
			break;
		case 'e':
			options.error = atoi(optarg);
			break;
		case 's':
			options.site = strtoul(optarg, NULL, 16);
			break;
		case 'n':
			options.nth = strtoul(optarg, NULL, 10);
			break;
		case 'o':
			options.on = true;
			break;
		case 'u':
			options.under = optarg;
			break;
		case 'l':
			options.limit_s = atof(optarg);
			break;
		case 'R':
			options.report = optarg;
			break;
		default:
			exit(EXIT_BROKEN);
		}
	}
	if (optind == argc || !options.record == !options.fail ||
	    !options.error != !options.fail) {
		fprintf(stderr,
			"usage: see the head of check/fault/inject.c\n");
		exit(EXIT_BROKEN);
	}
}

static void write_record(void)
{
	FILE *out = options.record ? fopen(options.record, "we") : NULL;

	if (!options.record)
		return;
	if (!out)
		broken(options.record);
	record_write(out);
	if (fclose(out))
		broken(options.record);
}

/* What the kernel gives may be larger than what our headers know. */
static struct seccomp_notif *notification_alloc(void)
{
	struct seccomp_notif_sizes sizes;
	size_t bytes = sizeof(struct seccomp_notif);

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes))
		broken("seccomp has no notification");
	return calloc(1, sizes.seccomp_notif > bytes ? sizes.seccomp_notif :
						       bytes);
}

int main(int argc, char **argv)
{
	struct seccomp_notif *call = notification_alloc();
	unsigned int request = 0;
	int nr = -1, listener;

	parse(argc, argv);
	if (options.fail && !call_find(options.fail, &nr, &request)) {
		errno = EINVAL;
		broken(options.fail);
	}
	run.report = fopen(options.report ? options.report : "/dev/null", "we");
	if (!call || !run.report)
		broken("report");
	site_init(options.under);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	listener = supervised_start(argv + optind, nr, request, &run.pid);
	supervise(listener, call);
	write_record();
	if (run.hung)
		fprintf(run.report, "hung\n");
	else if (WIFSIGNALED(run.status))
		fprintf(run.report, "signal %d\n", WTERMSIG(run.status));
	fprintf(run.report, "seen %lu\n", run.seen);
	if (fclose(run.report))
		broken("report");
	if (run.hung)
		return EXIT_HUNG;
	return WIFEXITED(run.status) ? WEXITSTATUS(run.status) :
				       128 + WTERMSIG(run.status);
}
