/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a program and waits for it. No shell is ever involved. Main thread only,
 * one child at a time.
 *
 * Signals that ask kvmeter to end (SIGHUP, SIGINT, SIGTERM, unless they were
 * ignored when it began) are blocked from child_init() on, so that none is lost
 * between two children and none ends kvmeter before it has tidied up. Whoever
 * loops over children looks at child_interrupted() and ends by
 * EXIT_INTERRUPTED plus its value.
 */
#ifndef KVMETER_CHILD_H
#define KVMETER_CHILD_H

#include "types.h"
#include "words.h"

struct child_config {
	/*
	 * argv[0] is a path or, without a slash, looked for in PATH. Standard
	 * input is /dev/null.
	 */
	char *const *argv;
	/* Fresh files, what is there is lost; NULL: inherited. May be equal. */
	const char *stdout_path, *stderr_path;
	/*
	 * While it is stopped (SIGSTOP) its time does not run, but as long it
	 * may be stopped at most. 0: none.
	 */
	u64 timeout_ns;
	/* Between asking it to end and killing it; 0: CHILD_GRACE_S. */
	u64 grace_ns;
	/* What a killed one may take to be gone; 0: CHILD_GONE_S. */
	u64 gone_ns;
};

struct child_end {
	int code;	    /* exit status; -1: it did not end by exiting */
	int signal;	    /* that ended it, or 0 */
	bool out_of_memory; /* SIGKILL, and the kernel's: it lacked memory */
	bool timed_out;
	int stop_signal;  /* that it was stopped by, when it timed out; or 0 */
	bool stuck;	  /* killed, and yet it has not ended: see dmesg */
	bool interrupted; /* kvmeter was; child_interrupted() says by what */
	u64 ns;		  /* from start to end, by the wall clock */
	int error; /* errno: it, or one of its files, could not be opened */
};

/* Long enough to print results and to restore what was changed. */
#define CHILD_GRACE_S 10

/* The kernel may have terabytes to free; what it takes for a hung task. */
#define CHILD_GONE_S 120

/*
 * From here on such signals wait for child_run() and child_interrupted(), and
 * writing to a reader that has gone is an error. child_run() does it where it
 * was not done before.
 */
void child_init(void);

/*
 * From here on they do what they did before. One that has come meanwhile ends
 * the process, by child_die().
 */
void child_fini(void);

/*
 * The child leads a process group, which is killed once the child has ended:
 * what it left behind does not disturb the next one. At the time limit, and if
 * kvmeter is interrupted, the group gets SIGTERM, and SIGKILL after
 * CHILD_GRACE_S, or at once upon the next such signal. It is given up if it has
 * not gone CHILD_GONE_S after that. If kvmeter itself dies, the child is
 * killed.
 *
 * After an interruption nothing is started: code -1, error 0, interrupted.
 */
struct child_end child_run(const struct child_config *cfg);

/*
 * The same, and what it prints as strings without white space at the end, to be
 * freed; NULL: /dev/null.
 */
struct child_end child_capture(char *const *argv, u64 timeout_ns, char **out,
			       char **err);

/*
 * The path of what child_run() would start, to be freed: @name itself if it has
 * a slash, else NULL if it is nowhere in PATH.
 */
char *child_find_program(const char *name);

/* To be put behind "no end within N s": "", or what the reason was. */
const char *child_why_late(const struct child_end *end);

/*
 * How a signal has ended it: "killed by signal 11 (Segmentation fault)",
 * "killed by the kernel for memory: ..." with the limit and the remedy. To be
 * freed.
 */
char *child_signal_text(const struct child_end *end);

/* The number of the first signal that asked kvmeter to end; 0: none yet. */
int child_interrupted(void);

/* Ends by that signal's number, saying so. */
void __noreturn child_die(void);

#endif
