/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "child.h"
#include "clock.h"
#include "oom.h"
#include "outfile.h"
#include "patience.h"
#include "remedy.h"
#include "rlimit.h"
#include "util.h"

/* What a program may have to say, all in all. */
#define CAPTURE_BYTES MIB(1)

/* Between two looks at a child, at most. */
#define LOOK_NS NSEC_PER_SEC

/* Signals are a process's: the only state of this file. */
static struct {
	bool ready;
	sigset_t at_start;	  /* mask that children get */
	sigset_t ends;		  /* what asks us to end */
	sigset_t all;		  /* that, and SIGCHLD */
	int caught;		  /* the first of @ends */
	struct sigaction on_pipe; /* what SIGPIPE did */
} signals;

static void add_unless_ignored(int sig)
{
	struct sigaction old;

	/* whoever started us with one ignored (nohup) meant it */
	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaddset(&signals.ends, sig);
}

void child_init(void)
{
	static const struct sigaction ignore = { .sa_handler = SIG_IGN };

	if (signals.ready)
		return;
	signals.ready = true;
	sigemptyset(&signals.ends);
	add_unless_ignored(SIGHUP);
	add_unless_ignored(SIGINT);
	add_unless_ignored(SIGTERM);
	signals.all = signals.ends;
	sigaddset(&signals.all, SIGCHLD);
	/* ignored, it would take the child's status away from us */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &signals.all, &signals.at_start);
	sigaction(SIGPIPE, &ignore, &signals.on_pipe);
}

void child_fini(void)
{
	if (child_interrupted())
		child_die();
	sigaction(SIGPIPE, &signals.on_pipe, NULL);
	sigprocmask(SIG_SETMASK, &signals.at_start, NULL);
	signals.ready = false;
}

int child_interrupted(void)
{
	static const struct timespec now;
	int sig;

	child_init();
	while (!signals.caught) {
		sig = sigtimedwait(&signals.ends, NULL, &now);
		if (sig < 0 && errno != EINTR)
			break;
		if (sig > 0)
			signals.caught = sig;
	}
	return signals.caught;
}

void child_die(void)
{
	int sig = child_interrupted();

	end(EXIT_INTERRUPTED + sig, "interrupted by signal %d (%s)", sig,
	    strsignal(sig));
}

/* ---- in the child, before the program ---- */

/* @file is -1 if it could not be opened. */
static int redirect(int fd, int file)
{
	if (file < 0)
		return -1;
	/* dup2() of a descriptor onto itself would leave it to be closed */
	return file == fd ? fcntl(fd, F_SETFD, 0) : dup2(file, fd);
}

/* *@file: what it is about, also if it fails; NULL: a descriptor. */
static int redirect_all(const struct child_config *cfg, const int capture[2],
			const char **file)
{
	const char *out = cfg->stdout_path, *err = cfg->stderr_path;

	*file = "/dev/null";
	if (redirect(STDIN_FILENO, open(*file, O_RDONLY | O_CLOEXEC)) < 0)
		return -1;
	*file = NULL;
	for (int i = 0; i < 2; i++)
		if (capture[i] >= 0 && dup2(capture[i], STDOUT_FILENO + i) < 0)
			return -1;
	*file = out;
	if (out && redirect(STDOUT_FILENO, outfile_fresh(out)) < 0)
		return -1;
	*file = err;
	if (out && err && !strcmp(out, err))
		return dup2(STDOUT_FILENO, STDERR_FILENO);
	return err ? redirect(STDERR_FILENO, outfile_fresh(err)) : 0;
}

struct launch {
	const struct child_config *cfg;
	const char *path;
	const int *capture; /* descriptors for its output; -1: as @cfg says */
	pid_t parent;
};

/* From the child, if the program cannot be started. */
struct failure {
	long error;
	const char *file; /* of its configuration, in both; NULL: the program */
};

static void __noreturn become(const struct launch *l, int report)
{
	struct failure failure = { .file = NULL };

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != l->parent)
		_exit(EXIT_FAIL); /* it died before it could kill us */
	if (redirect_all(l->cfg, l->capture, &failure.file) >= 0) {
		failure.file = NULL;
		/* that we ignore them is our affair */
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		sigprocmask(SIG_SETMASK, &signals.at_start, NULL);
		execv(l->path, l->cfg->argv);
	}
	failure.error = errno;
	if (write(report, &failure, sizeof(failure)) < 0)
		_exit(EXIT_USAGE);
	_exit(EXIT_FAIL);
}

/* ---- in the parent ---- */

/* Instead of execvp(), which has /bin/sh run a file that is no program. */
char *child_find_program(const char *name)
{
	const char *dir = getenv("PATH");
	int len;

	if (strchr(name, '/'))
		return xstrdup(name);
	for (; dir; dir += len + 1) {
		char *path;

		len = (int)strcspn(dir, ":");
		path = xasprintf("%.*s%s%s", len, dir, len ? "/" : "./", name);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
		if (!dir[len])
			break;
	}
	return NULL;
}

/* 0 if the program ran, or the errno that @report tells; once it has ended. */
static int start_error(int report)
{
	struct failure failure = { .file = NULL };
	ssize_t nr = read(report, &failure, sizeof(failure));

	close(report);
	if (nr != sizeof(failure))
		return 0;
	if (failure.file)
		warn("%s: %s", failure.file, errno_text((int)failure.error));
	return (int)failure.error;
}

/* *@report: what start_error() is to read. */
static pid_t start(const struct launch *l, int *report, int *error)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
		*error = errno;
		return -1;
	}
	pid = fork();
	if (pid == 0)
		become(l, ends[1]);
	*error = pid < 0 ? errno : 0;
	close(ends[1]);
	*report = ends[0];
	if (pid > 0)
		setpgid(pid, pid); /* whoever comes first */
	else
		close(ends[0]);
	return pid;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == pid;
}

static void signal_group(pid_t pid, int sig)
{
	kill(-pid, sig);
	kill(-pid, SIGCONT); /* one that is stopped would not notice */
}

/* Returns a signal of signals.all, or 0 after @ns. */
static int wait_signal(u64 ns)
{
	struct timespec ts = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };
	int sig = sigtimedwait(&signals.all, NULL, &ts);

	if (sig > 0)
		return sig;
	return errno == EINTR ? SIGCHLD : 0;
}

/* A child that is waited for. */
struct wait {
	pid_t pid;
	u64 timeout_ns; /* of what is done now; 0: none */
	u64 look_ns;	/* between two looks */
	struct patience patience;
	u64 seen_ns; /* of the patience */
	u64 ran_ns, stopped_ns;
	int stop_signal; /* that it is stopped by, or 0 */
};

static void begin_wait(struct wait *w, u64 timeout_ns)
{
	w->look_ns = timeout_ns ? min_u64(LOOK_NS, timeout_ns / 4 + 1) :
				  LOOK_NS;
	patience_begin(&w->patience, w->look_ns);
	w->timeout_ns = timeout_ns;
	w->seen_ns = w->ran_ns = w->stopped_ns = 0;
}

/*
 * While it is stopped its time does not run; but it may not be so for ever.
 * Returns true at the limit of either.
 */
static bool is_over(struct wait *w)
{
	u64 now = patience_look(&w->patience);
	siginfo_t info = { .si_pid = 0 };

	*(w->stop_signal ? &w->stopped_ns : &w->ran_ns) += now - w->seen_ns;
	w->seen_ns = now;
	while (waitid(P_PID, w->pid, &info, WSTOPPED | WCONTINUED | WNOHANG) ==
		       0 &&
	       info.si_pid == w->pid) {
		w->stop_signal = info.si_code == CLD_STOPPED ? info.si_status :
							       0;
		info.si_pid = 0;
	}
	return w->timeout_ns &&
	       max_u64(w->ran_ns, w->stopped_ns) >= w->timeout_ns;
}

/* Until the child is a zombie (true), or a signal asks us to end, or the limit.
 */
static bool wait_a_while(struct wait *w, struct child_end *end)
{
	while (!has_ended(w->pid)) {
		int sig = wait_signal(w->look_ns);

		if (sig && sig != SIGCHLD) {
			if (!signals.caught)
				signals.caught = sig;
			end->interrupted = true;
			return has_ended(w->pid);
		}
		if (is_over(w))
			return has_ended(w->pid);
	}
	return true;
}

static u64 or_seconds(u64 ns, u64 seconds)
{
	return ns ? ns : seconds * NSEC_PER_SEC;
}

/* The same, having asked it to end, and then killed it. */
static void wait_end(pid_t pid, const struct child_config *cfg,
		     struct child_end *end)
{
	struct wait w = { .pid = pid };

	begin_wait(&w, cfg->timeout_ns);
	if (wait_a_while(&w, end))
		return;
	if (!end->interrupted) {
		end->timed_out = true;
		end->stop_signal = w.stop_signal;
	}
	signal_group(pid, SIGTERM);
	begin_wait(&w, or_seconds(cfg->grace_ns, CHILD_GRACE_S));
	if (wait_a_while(&w, end))
		return;
	kill(-pid, SIGKILL);
	begin_wait(&w, or_seconds(cfg->gone_ns, CHILD_GONE_S));
	while (!wait_a_while(&w, end) && !is_over(&w))
		;
	end->stuck = !has_ended(pid);
}

/* Not reaped before, its number is still that of the group. */
static void reap(pid_t pid, u64 kills_before, struct child_end *end)
{
	bool asked = end->timed_out || end->interrupted;
	int status = 0;

	kill(-pid, SIGKILL);
	if (end->stuck)
		return;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status))
		end->code = WEXITSTATUS(status);
	else
		end->signal = WTERMSIG(status);
	end->out_of_memory = end->signal == SIGKILL && !asked &&
			     oom_kills() > kills_before;
}

static struct child_end run(const struct child_config *cfg,
			    const int capture[2])
{
	struct launch l = { cfg, NULL, capture, getpid() };
	struct child_end end = { .code = -1 };
	u64 begin = now_ns(), kills = oom_kills();
	char *path;
	int report;
	pid_t pid;

	if (child_interrupted()) {
		end.interrupted = true;
		return end;
	}
	fflush(NULL); /* what was printed before stands before */
	l.path = path = child_find_program(cfg->argv[0]);
	if (!path) {
		end.error = ENOENT;
		return end;
	}
	pid = start(&l, &report, &end.error);
	free(path);
	if (pid < 0)
		return end;
	wait_end(pid, cfg, &end);
	reap(pid, kills, &end);
	end.ns = now_ns() - begin;
	end.error = start_error(report);
	if (end.error)
		end.code = -1;
	return end;
}

struct child_end child_run(const struct child_config *cfg)
{
	static const int none[2] = { -1, -1 };

	return run(cfg, none);
}

char *child_signal_text(const struct child_end *end)
{
	char *remedy, *text;

	if (!end->out_of_memory)
		return xasprintf("killed by signal %d (%s)", end->signal,
				 strsignal(end->signal));
	remedy = oom_remedy();
	text = xasprintf("killed by the kernel for memory: %s", remedy);
	free(remedy);
	return text;
}

const char *child_why_late(const struct child_end *end)
{
	static char text[128];

	text[0] = '\0';
	if (end->stop_signal)
		snprintf(text, sizeof(text),
			 ": it was stopped by signal %d (%s), and nobody "
			 "continued it",
			 end->stop_signal, strsignal(end->stop_signal));
	else if (end->stuck)
		snprintf(text, sizeof(text),
			 ", not even when it was killed: see dmesg");
	return text;
}

/* Where the child is to write; -1 if there is no need. */
static int capture_begin(char *const *text)
{
	char *why;
	int fd;

	if (!text)
		return -1;
	why = limit_missing(LIMIT_FILE_BYTES, CAPTURE_BYTES);
	if (why)
		end(EXIT_USAGE, "what a program says is to be kept: %s", why);
	fd = memfd_create("output", MFD_CLOEXEC);
	if (fd < 0)
		die("memfd_create: %s%s", strerror(errno),
		    process_remedy(errno));
	return fd;
}

/* Not by a path below /proc, which need not be there. */
static char *capture_end(int fd)
{
	FILE *in = lseek(fd, 0, SEEK_SET) < 0 ? NULL : fdopen(fd, "r");
	char *text = in ? read_text_from(in) : NULL;

	if (!text)
		die("what a program said cannot be read: %s",
		    errno_text(errno));
	fclose(in);
	return text;
}

struct child_end child_capture(char *const *argv, u64 timeout_ns, char **out,
			       char **err)
{
	struct child_config cfg = {
		.argv = argv,
		.stdout_path = out ? NULL : "/dev/null",
		.stderr_path = err ? NULL : "/dev/null",
		.timeout_ns = timeout_ns,
	};
	int capture[2] = { capture_begin(out), capture_begin(err) };
	struct child_end end = run(&cfg, capture);

	if (out)
		*out = capture_end(capture[0]);
	if (err)
		*err = capture_end(capture[1]);
	return end;
}
