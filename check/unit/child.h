/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs what ends its process in a child, and brings back how it ended.
 * Assertions belong into the parent: cmocka's do not work in a child.
 */
#ifndef KVMETER_CHECK_CHILD_H
#define KVMETER_CHECK_CHILD_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit code of a child whose @body returned. */
#define CHILD_RETURNED 99

struct child {
	int code; /* exit code; plus 1000, a signal's number */
	char out[8192];
	char err[8192];
	/* while it runs */
	pid_t pid;
	FILE *out_file, *err_file;
};

static inline void child_read(FILE *f, char *text, size_t size)
{
	rewind(f);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

static inline void child_start(struct child *child, void (*body)(void *arg),
			       void *arg)
{
	child->out_file = tmpfile();
	child->err_file = tmpfile();
	fflush(NULL);
	child->pid = fork();
	if (child->pid == 0) {
		dup2(fileno(child->out_file), STDOUT_FILENO);
		dup2(fileno(child->err_file), STDERR_FILENO);
		body(arg);
		exit(CHILD_RETURNED);
	}
}

static inline void child_finish(struct child *child)
{
	int status;

	waitpid(child->pid, &status, 0);
	child->code = WIFEXITED(status) ? WEXITSTATUS(status) :
					  1000 + WTERMSIG(status);
	child_read(child->out_file, child->out, sizeof(child->out));
	child_read(child->err_file, child->err, sizeof(child->err));
}

static inline void child_run(struct child *child, void (*body)(void *arg),
			     void *arg)
{
	child_start(child, body, arg);
	child_finish(child);
}

#endif
