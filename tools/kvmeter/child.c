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
#include "util.h"

/* Room for "/proc/self/fd/N". */
#define CAPTURE_PATH 32

/* Signals are a process's: the only state of this file. */
static struct {
	bool ready;
	sigset_t at_start; /* mask that children get */
	sigset_t ends;	   /* what asks us to end */
	sigset_t all;	   /* that, and SIGCHLD */
	int caught;	   /* the first of @ends */
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

/* ---- in the child, before the program ---- */

static int redirect(int fd, const char *path, int flags)
{
	int file = open(path, flags | O_CLOEXEC, 0666);

	if (file < 0)
		return -1;
	/* dup2() of a descriptor onto itself would leave it to be closed */
	return file == fd ? fcntl(fd, F_SETFD, 0) : dup2(file, fd);
}

static int redirect_all(const struct child_config *cfg)
{
	const int fresh = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
	const char *out = cfg->stdout_path, *err = cfg->stderr_path;

	if (redirect(STDIN_FILENO, "/dev/null", O_RDONLY) < 0)
		return -1;
	if (out && redirect(STDOUT_FILENO, out, fresh) < 0)
		return -1;
	if (out && err && !strcmp(out, err))
		return dup2(STDOUT_FILENO, STDERR_FILENO);
	return err ? redirect(STDERR_FILENO, err, fresh) : 0;
}

/* Writes errno to @report if the program cannot be started. */
static void __noreturn become(const struct child_config *cfg, const char *path,
			      pid_t parent, int report)
{
	int error;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAIL); /* it died before it could kill us */
	if (redirect_all(cfg) >= 0) {
		/* that we ignore it is our affair */
		signal(SIGPIPE, SIG_DFL);
		sigprocmask(SIG_SETMASK, &signals.at_start, NULL);
		execv(path, cfg->argv);
	}
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(EXIT_USAGE);
	_exit(EXIT_FAIL);
}

/* ---- in the parent ---- */

/*
 * What execvp() would take, which cannot be used: it has /bin/sh run a file
 * that is no program. To be freed.
 */
static char *find_program(const char *name)
{
	const char *dir = getenv("PATH");
	int len;

	for (; dir && !strchr(name, '/'); dir += len + 1) {
		char *path;

		len = strcspn(dir, ":");
		path = xasprintf("%.*s%s%s", len, dir, len ? "/" : "./", name);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
		if (!dir[len])
			break;
	}
	return xstrdup(name);
}

/* Returns 0 once the program runs, or the errno that @report tells. */
static int start_error(int report)
{
	int error = 0;
	ssize_t nr;

	do {
		nr = read(report, &error, sizeof(error));
	} while (nr < 0 && errno == EINTR);
	return nr == sizeof(error) ? error : 0;
}

static pid_t start(const struct child_config *cfg, const char *path, int *error)
{
	pid_t parent = getpid(), pid;
	int report[2];

	if (pipe2(report, O_CLOEXEC)) {
		*error = errno;
		return -1;
	}
	pid = fork();
	if (pid == 0)
		become(cfg, path, parent, report[1]);
	*error = pid < 0 ? errno : 0;
	close(report[1]);
	if (pid > 0) {
		setpgid(pid, pid); /* whoever comes first */
		*error = start_error(report[0]);
	}
	close(report[0]);
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

/* Returns a signal of signals.all, or 0 at the deadline (0: none). */
static int wait_signal(u64 deadline_ns)
{
	u64 now = now_ns(), left;
	struct timespec ts;
	int sig;

	if (!deadline_ns) {
		sig = sigwaitinfo(&signals.all, NULL);
	} else {
		left = deadline_ns > now ? deadline_ns - now : 0;
		ts.tv_sec = left / NSEC_PER_SEC;
		ts.tv_nsec = left % NSEC_PER_SEC;
		sig = sigtimedwait(&signals.all, NULL, &ts);
	}
	if (sig > 0)
		return sig;
	return errno == EINTR ? SIGCHLD : 0;
}

/* Asks the group to end; returns when to ask no longer. */
static u64 ask_to_end(pid_t pid)
{
	signal_group(pid, SIGTERM);
	return now_ns() + CHILD_GRACE_S * NSEC_PER_SEC;
}

/* Until the child is a zombie. */
static void wait_end(pid_t pid, u64 timeout_ns, struct child_end *end)
{
	u64 deadline = timeout_ns ? now_ns() + timeout_ns : 0;
	bool asked = false;
	int sig;

	while (!has_ended(pid)) {
		sig = wait_signal(deadline);
		if (sig == SIGCHLD)
			continue;
		if (sig && !signals.caught)
			signals.caught = sig;
		end->interrupted |= sig != 0;
		if (has_ended(pid))
			break;
		if (asked) {
			kill(-pid, SIGKILL);
			deadline = 0;
			continue;
		}
		end->timed_out = sig == 0;
		deadline = ask_to_end(pid);
		asked = true;
	}
}

struct child_end child_run(const struct child_config *cfg)
{
	struct child_end end = { .code = -1 };
	u64 begin = now_ns();
	int status = 0;
	char *path;
	pid_t pid;

	if (child_interrupted()) {
		end.interrupted = true;
		return end;
	}
	fflush(NULL); /* what was printed before stands before */
	path = find_program(cfg->argv[0]);
	pid = start(cfg, path, &end.error);
	free(path);
	if (pid < 0)
		return end;
	wait_end(pid, cfg->timeout_ns, &end);
	/* not reaped yet, its number is still that of the group */
	kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	end.ns = now_ns() - begin;
	if (end.error)
		return end;
	if (WIFEXITED(status))
		end.code = WEXITSTATUS(status);
	else
		end.signal = WTERMSIG(status);
	return end;
}

/* Where the child is to write; -1 if there is no need. */
static int capture_begin(char *const *text, char path[CAPTURE_PATH])
{
	int fd = -1;

	strcpy(path, "/dev/null");
	if (text) {
		fd = memfd_create("output", MFD_CLOEXEC);
		if (fd < 0)
			die("memfd_create: %s", strerror(errno));
		/* the child has it until it becomes the program */
		sprintf(path, "/proc/self/fd/%d", fd);
	}
	return fd;
}

static void capture_end(char **text, int fd)
{
	if (!text)
		return;
	*text = read_text("/proc/self/fd/%d", fd);
	if (!*text)
		die("/proc/self/fd/%d: %s", fd, strerror(errno));
	close(fd);
}

struct child_end child_capture(char *const *argv, u64 timeout_ns, char **out,
			       char **err)
{
	char out_path[CAPTURE_PATH], err_path[CAPTURE_PATH];
	struct child_config cfg = {
		.argv = argv,
		.stdout_path = out_path,
		.stderr_path = err_path,
		.timeout_ns = timeout_ns,
	};
	int out_fd = capture_begin(out, out_path);
	int err_fd = capture_begin(err, err_path);
	struct child_end end = child_run(&cfg);

	capture_end(out, out_fd);
	capture_end(err, err_fd);
	return end;
}
