/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bench_describe.h"
#include "child.h"
#include "clock.h"
#include "programs.h"
#include "remedy.h"
#include "util.h"

#define TESTS_VARIABLE "KVMETER_TESTS"
#define SUFFIX "_test"
#define DESCRIBE_TIMEOUT_NS (20 * NSEC_PER_SEC)

/* Else memory or descriptors are wanting, which tells nothing of the path. */
static bool is_fault_of_path(int error)
{
	static const int faults[] = { EACCES,  ELOOP,  ENAMETOOLONG,
				      ENOENT,  ENODEV, ENXIO,
				      ENOTDIR, EPERM,  ETXTBSY };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++)
		if (error == faults[i])
			return true;
	return false;
}

/* Does the file say of itself that it can be asked? */
static bool knows_describe(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;
	struct stat st;
	void *text;

	if (fd < 0 && !is_fault_of_path(errno))
		die("%s: open: %s", path, errno_text(errno));
	if (fd < 0)
		return false;
	if (fstat(fd, &st))
		die("%s: fstat: %s", path, errno_text(errno));
	if (S_ISREG(st.st_mode) && st.st_size > 0) {
		text = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (text == MAP_FAILED)
			die("%s: mmap: %s", path, errno_text(errno));
		found = memmem(text, st.st_size, BENCH_DESCRIBE_SCHEMA,
			       strlen(BENCH_DESCRIBE_SCHEMA));
		munmap(text, st.st_size);
	}
	close(fd);
	return found;
}

static int is_named_test(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > strlen(SUFFIX) &&
	       !strcmp(entry->d_name + len - strlen(SUFFIX), SUFFIX);
}

/* How it ended, if not by exiting with 0, and what it said; to be freed. */
static char *fault_of(const struct child_end *end, const char *says)
{
	if (end->error)
		return xasprintf("cannot be started: %s%s",
				 strerror(end->error),
				 process_remedy(end->error));
	if (end->timed_out)
		return xasprintf("no answer for %llu s%s",
				 (unsigned long long)(DESCRIBE_TIMEOUT_NS /
						      NSEC_PER_SEC),
				 child_why_late(end));
	if (end->signal)
		return child_signal_text(end);
	return end->code ? xasprintf("exit code %d%s%.*s", end->code,
				     *says ? ": " : "",
				     (int)strcspn(says, "\n"), says) :
			   NULL;
}

static json_t *parse_description(const char *path, const char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	const char *schema = json_string_value(json_object_get(root, "schema"));

	if (!root)
		usage_error("%s --describe: line %d: %s", path, error.line,
			    error.text);
	if (!schema || strcmp(schema, BENCH_DESCRIBE_SCHEMA) ||
	    !json_string_value(json_object_get(root, "bench")) ||
	    !json_string_value(json_object_get(root, "question")) ||
	    !json_is_array(json_object_get(root, "options")) ||
	    !json_is_array(json_object_get(root, "metrics")) ||
	    !json_is_array(json_object_get(root, "checks")))
		usage_error("%s --describe: not " BENCH_DESCRIBE_SCHEMA, path);
	return root;
}

static bool is_fault_of_program(int error)
{
	return error == ENOENT || error == ENOEXEC || error == EACCES ||
	       error == ENOTDIR;
}

static json_t *describe(const char *path)
{
	char *argv[] = { (char *)path, "--describe", NULL };
	char *text, *says, *fault;
	struct child_end ended =
		child_capture(argv, DESCRIBE_TIMEOUT_NS, &text, &says);
	json_t *root;

	if (ended.interrupted)
		child_die();
	fault = fault_of(&ended, says);
	/* for want of descriptors or memory, not of a program */
	if (ended.error && !is_fault_of_program(ended.error))
		die("%s --describe: %s", path, fault);
	if (fault)
		usage_error("%s --describe: %s", path, fault);
	root = parse_description(path, text);
	free(says);
	free(text);
	return root;
}

static void add(struct programs *p, const char *directory, const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);
	bool may = access(path, X_OK) == 0;

	if (!may && !is_fault_of_path(errno))
		die("%s: access: %s", path, errno_text(errno));
	if (!may || !knows_describe(path)) {
		free(path);
		return;
	}
	p->list = xrealloc(p->list, p->nr + 1, sizeof(*p->list));
	p->list[p->nr++] = (struct program){
		.name = xstrdup(name),
		.path = path,
		.description = describe(path),
	};
}

/* Returns NULL if there are any, else why not. */
static const char *look_into(struct programs *p, const char *directory)
{
	struct dirent **entries;
	int nr = scandir(directory, &entries, is_named_test, alphasort);

	if (nr < 0 && !is_fault_of_path(errno))
		die("%s: scandir: %s", directory, errno_text(errno));
	if (nr < 0)
		return errno_text(errno);
	for (int i = 0; i < nr; i++) {
		add(p, directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (p->nr > 0)
		p->directory = xstrdup(directory);
	return p->nr > 0 ? NULL : "nothing there is one";
}

/* To be freed. */
static char *own_directory(void)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		die("/proc/self/exe: %s: name the directory of the benchmarks "
		    "by --tests or " TESTS_VARIABLE,
		    strerror(errno));
	path[len] = '\0';
	*strrchr(path, '/') = '\0';
	return xstrdup(path);
}

static void look_around(struct programs *p)
{
	char *here = own_directory();
	char *build = xasprintf("%s/../../tests", here);
	char *real = realpath(build, NULL);
	int error = errno;
	const char *why;

	why = look_into(p, here);
	if (why && real)
		why = look_into(p, real);
	else if (why)
		why = errno_text(error);
	if (why)
		usage_error("no benchmarks in %s nor in %s (%s): name their "
			    "directory by --tests or " TESTS_VARIABLE,
			    here, real ? real : build, why);
	free(here);
	free(build);
	free(real);
}

void programs_find(struct programs *p, const char *directory)
{
	const char *variable = getenv(TESTS_VARIABLE), *why;

	*p = (struct programs){ 0, NULL, NULL };
	if (directory) {
		why = look_into(p, directory);
		if (why)
			usage_error("no benchmarks in %s: %s", directory, why);
	} else if (variable && *variable) {
		why = look_into(p, variable);
		if (why)
			usage_error("no benchmarks in %s, which " TESTS_VARIABLE
				    " names: %s",
				    variable, why);
	} else {
		look_around(p);
	}
}

const struct program *program_lookup(const struct programs *p, const char *name)
{
	for (size_t i = 0; i < p->nr; i++)
		if (!strcmp(p->list[i].name, name))
			return &p->list[i];
	return NULL;
}

const struct program *program_by_name(const struct programs *p,
				      const char *name)
{
	const struct program *found = program_lookup(p, name);

	if (!found)
		usage_error("%s: no such benchmark: there are %s", name,
			    programs_names(p));
	return found;
}

char *programs_names(const struct programs *p)
{
	char *names = xstrdup("");

	for (size_t i = 0; i < p->nr; i++) {
		char *more = xasprintf("%s%s%s", names, i ? ", " : "",
				       p->list[i].name);

		free(names);
		names = more;
	}
	return names;
}

const char *program_text(const struct program *p, const char *member)
{
	const char *text =
		json_string_value(json_object_get(p->description, member));

	return text ? text : "";
}
