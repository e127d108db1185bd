/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file "index" of a directory of results: how each program ended, since
 * its own files cannot tell. It is no *.json, so that the directory holds
 * nothing of that name but results.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "foreign.h"
#include "outfile.h"
#include "remedy.h"
#include "run.h"
#include "util.h"

#define SCHEMA "kvmeter-run/1"

static char *index_path(const char *dir)
{
	return xasprintf("%s/index", dir);
}

static const char *kernel_release(void)
{
	static struct utsname name;

	uname(&name);
	return name.release;
}

bool run_index_exists(const char *dir)
{
	char *path = index_path(dir);
	bool exists = access(path, F_OK) == 0;

	free(path);
	return exists;
}

json_t *run_index_entries(const char *dir)
{
	char *path = index_path(dir);
	json_t *root = foreign_read(path, NULL);
	const char *schema = json_string_value(json_object_get(root, "schema"));
	json_t *entries = NULL;

	if (schema && !strcmp(schema, SCHEMA))
		entries = json_incref(json_object_get(root, "entries"));
	json_decref(root);
	free(path);
	return entries;
}

static void write_index(const struct suite_run *r)
{
	char *path = index_path(r->dir);
	struct outfile f;
	int error = outfile_open(&f, path);

	if (!error) {
		json_dumpf(r->index, f.out, JSON_INDENT(2));
		fputc('\n', f.out);
		error = outfile_close(&f);
	}
	if (error)
		die("%s: %s%s", path, outfile_error(error), file_remedy(error));
	free(path);
}

void run_index_begin(struct suite_run *r)
{
	r->index = json_pack("{s:s, s:s, s:{}}", "schema", SCHEMA, "kernel",
			     kernel_release(), "entries");
	if (!r->index)
		die("out of memory");
	/* from here on the directory is known to be one of ours */
	write_index(r);
}

void run_index_read(struct suite_run *r)
{
	char *path = index_path(r->dir);
	const char *schema, *kernel;
	char *why;

	r->index = foreign_read(path, &why);
	if (!r->index)
		usage_error("%s", why);
	schema = json_string_value(json_object_get(r->index, "schema"));
	kernel = json_string_value(json_object_get(r->index, "kernel"));
	if (!schema || strcmp(schema, SCHEMA) || !kernel ||
	    !json_is_object(json_object_get(r->index, "entries")))
		usage_error("%s: not " SCHEMA, path);
	if (strcmp(kernel, kernel_release()))
		usage_error("%s: these are results of Linux %s, and this is "
			    "%s: choose another directory",
			    r->dir, kernel, kernel_release());
	free(path);
}

static json_t *pack_words(char *const *words)
{
	json_t *array = json_array();

	for (; *words; words++)
		if (json_array_append_new(array, json_string(*words)))
			die("%s: a word of a command is not UTF-8: rename it",
			    *words);
	return array;
}

/*
 * What tells a program from one that was built anew; to be freed. Times of
 * files are only compared with themselves: the clock may be set meanwhile.
 */
static char *identify(const struct program *program)
{
	struct stat st;

	if (!program || stat(program->path, &st))
		return xstrdup("none");
	return xasprintf("%llu bytes of %lld.%09ld",
			 (unsigned long long)st.st_size,
			 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

static bool is_of_same_program(const json_t *entry, const struct entry *e)
{
	const char *then = json_string_value(json_object_get(entry, "program"));
	char *now = identify(e->program);
	bool same = then && strcmp(then, now) == 0;

	free(now);
	return same;
}

bool run_index_find(const struct suite_run *r, struct entry *e)
{
	const json_t *entry =
		json_object_get(json_object_get(r->index, "entries"), e->name);
	json_t *command = pack_words(e->command);
	json_int_t ns = 0;
	bool same = json_equal(command, json_object_get(entry, "command")) &&
		    is_of_same_program(entry, e);

	json_decref(command);
	if (!same ||
	    json_unpack((json_t *)entry, "{s:i, s:i, s:b, s:I, s:i}", "code",
			&e->end.code, "signal", &e->end.signal, "timed_out",
			&e->end.timed_out, "ns", &ns, "error", &e->end.error))
		return false;
	e->end.ns = ns;
	return true;
}

void run_index_add(struct suite_run *r, const struct entry *e)
{
	char *program = identify(e->program);
	json_t *entry = json_pack("{s:o, s:s, s:i, s:i, s:b, s:I, s:i}",
				  "command", pack_words(e->command), "program",
				  program, "code", e->end.code, "signal",
				  e->end.signal, "timed_out", e->end.timed_out,
				  "ns", (json_int_t)e->end.ns, "error",
				  e->end.error);

	if (!entry)
		die("%s: out of memory", e->name);
	json_object_set_new(json_object_get(r->index, "entries"), e->name,
			    entry);
	free(program);
	write_index(r);
}
