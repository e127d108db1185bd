/* SPDX-License-Identifier: GPL-2.0-only */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "patience.h"
#include "remedy.h"
#include "thread_start.h"
#include "util.h"
#include "watchdog.h"

/* Looks before it barks: beside what is timed, a wake-up each 10 s that reads
 * two files of /proc. */
#define LOOKS 12

/* Main threads are watched but once: the only state of this file. */
static struct {
	struct watchdog_config cfg;
	pthread_t main;
	u64 look_ns;
} dog;

/* Of the main thread, whose id is that of the process. */
static char *read_task(const char *file)
{
	return read_text("/proc/self/task/%d/%s", (int)getpid(), file);
}

/* Both counts at the end of the file, in one. */
static u64 switches(void)
{
	static const char name[] = "voluntary_ctxt_switches:";
	char *text = read_task("status"),
	     *at = text ? strstr(text, name) : NULL;
	u64 sum = 0;

	while (at) {
		at += strlen(name);
		sum += strtoull(at, NULL, 10);
		at = strstr(at, name);
	}
	free(text);
	return sum;
}

/* Documentation/filesystems/proc.rst: the third field, behind the name. */
static bool is_traced(void)
{
	char *text = read_task("stat"),
	     *name = text ? strrchr(text, ')') : NULL;
	bool is = name && strlen(name) > 2 && strchr("tT", name[2]);

	free(text);
	return is;
}

/* The number of the system call; -1: in none, or it cannot be told. */
static long system_call(void)
{
	char *text = read_task("syscall"), *end = text;
	long nr = text ? strtol(text, &end, 10) : -1;

	if (end == text)
		nr = -1;
	free(text);
	return nr;
}

/* It waits for what is not ours, or for the time that it was told. */
static bool may_wait(void)
{
	static const long calls[] = { SYS_write, SYS_writev, SYS_nanosleep,
				      SYS_clock_nanosleep,
				      SYS_restart_syscall };
	long nr = system_call();

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (nr == calls[i])
			return true;
	return is_traced();
}

static void __noreturn bark(void)
{
	char *where = read_task("wchan");
	char *message = xasprintf(
		"the main thread has stood still for %llu s, in system call "
		"%ld%s%s: see dmesg",
		(unsigned long long)dog.cfg.seconds, system_call(),
		where && strlen(where) > 1 ? ", " : "",
		where && strlen(where) > 1 ? where : "");

	dog.cfg.report(dog.cfg.arg, message);
	_exit(EXIT_FAIL);
}

static void *watch(void *unused)
{
	struct patience patience;
	u64 last = 0;

	prctl(PR_SET_NAME, "watchdog");
	patience_begin(&patience, dog.look_ns);
	for (;;) {
		u64 now = cpu_ns_of(dog.main) + switches();

		if (now != last || may_wait())
			patience_begin(&patience, dog.look_ns);
		else if (patience_look(&patience) >=
			 dog.cfg.seconds * NSEC_PER_SEC)
			bark();
		last = now;
		sleep_until_ns(now_ns() + dog.look_ns);
	}
	return unused;
}

void watchdog_start(const struct watchdog_config *cfg)
{
	pthread_t thread;
	int error;

	dog.cfg = *cfg;
	dog.main = pthread_self();
	dog.look_ns = cfg->seconds * NSEC_PER_SEC / LOOKS;
	error = thread_start(&thread, watch, NULL);
	if (error)
		warn("nobody watches the main thread: %s", errno_text(error));
	else
		pthread_detach(thread);
}
