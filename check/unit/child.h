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
};

static inline void child_read(FILE *f, char *text, size_t size)
{
	rewind(f);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

static inline void child_run(struct child *child, void (*body)(void *arg),
			     void *arg)
{
	FILE *out = tmpfile(), *err = tmpfile();
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
		body(arg);
		exit(CHILD_RETURNED);
	}
	waitpid(pid, &status, 0);
	child->code = WIFEXITED(status) ? WEXITSTATUS(status) :
					  1000 + WTERMSIG(status);
	child_read(out, child->out, sizeof(child->out));
	child_read(err, child->err, sizeof(child->err));
}

#endif
