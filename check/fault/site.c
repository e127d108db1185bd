/* SPDX-License-Identifier: GPL-2.0-only */
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fault_arch.h"
#include "site.h"

#define STACK_BYTES 16384

struct program {
	char path[PATH_MAX];
	const unsigned char *file; /* NULL: none of ours */
	size_t bytes;
	struct program *next;
};

/* Where a thread's program has its code. */
struct thread {
	pid_t tid; /* 0: to be looked up anew */
	const struct program *program;
	uint64_t start, end; /* of the code */
	uint64_t offset;     /* of @start in the file */
};

static struct {
	const char *directory;
	char self[PATH_MAX]; /* what the child is before it is the program */
	struct program *programs;
	struct thread *thread;
	size_t nr;
} state;

void site_init(const char *directory)
{
	ssize_t len = readlink("/proc/self/exe", state.self, PATH_MAX - 1);

	state.self[len < 0 ? 0 : len] = '\0';
	state.directory = directory;
}

static void map_file(struct program *p)
{
	int fd = open(p->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *file;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		p->file = file == MAP_FAILED ? NULL : file;
		p->bytes = st.st_size;
	}
	if (fd >= 0)
		close(fd);
}

static const struct program *program_of(pid_t tid)
{
	size_t len = strlen(state.directory);
	char link[64], path[PATH_MAX];
	struct program *p;
	ssize_t got;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)tid);
	got = readlink(link, path, sizeof(path) - 1);
	path[got < 0 ? 0 : got] = '\0';
	for (p = state.programs; p; p = p->next)
		if (strcmp(p->path, path) == 0)
			return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	strcpy(p->path, path);
	if (strncmp(path, state.directory, len) == 0 && path[len] == '/' &&
	    strcmp(path, state.self) != 0)
		map_file(p);
	p->next = state.programs;
	state.programs = p;
	return p;
}

/* proc(5), maps: "START-END r-xp OFFSET DEV INODE   PATH" */
static void find_code(struct thread *t)
{
	char name[64], line[PATH_MAX + 128];
	unsigned long long start, end, offset;
	FILE *maps;
	int at;

	t->start = t->end = 0;
	snprintf(name, sizeof(name), "/proc/%d/maps", (int)t->tid);
	maps = t->program && t->program->file ? fopen(name, "re") : NULL;
	while (maps && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%llx-%llx r-xp %llx %*s %*s %n", &start, &end,
			   &offset, &at) != 3 ||
		    strcmp(line + at, t->program->path) != 0)
			continue;
		t->start = start;
		t->end = end;
		t->offset = offset;
		break;
	}
	if (maps)
		fclose(maps);
}

static struct thread *thread_get(pid_t tid)
{
	struct thread *t = NULL, *list;

	for (size_t i = 0; i < state.nr; i++) {
		if (state.thread[i].tid == tid)
			return &state.thread[i];
		if (!state.thread[i].tid)
			t = &state.thread[i];
	}
	if (!t) {
		list = reallocarray(state.thread, state.nr + 1, sizeof(*list));
		if (!list)
			return NULL;
		state.thread = list;
		t = &list[state.nr++];
	}
	t->tid = tid;
	t->program = program_of(tid);
	find_code(t);
	return t;
}

void site_forget(pid_t tid)
{
	for (size_t i = 0; i < state.nr; i++)
		if (state.thread[i].tid == tid)
			state.thread[i].tid = 0;
}

/* proc_pid_syscall(5): the last but one word is the stack pointer. */
static uint64_t stack_pointer(pid_t tid)
{
	unsigned long long sp = 0;
	char name[64], text[512];
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/syscall", (int)tid);
	f = fopen(name, "re");
	if (f && fgets(text, sizeof(text), f))
		sscanf(text, "%*s %*s %*s %*s %*s %*s %*s %llx", &sp);
	if (f)
		fclose(f);
	return sp;
}

static void read_stack(struct site *site, const struct thread *t,
		       const uint64_t *word, size_t words)
{
	const struct program *p = t->program;

	for (size_t i = 0; i < words && site->nr < SITE_FRAMES; i++) {
		uint64_t at = word[i] - t->start + t->offset;

		if (word[i] < t->start || word[i] >= t->end || at >= p->bytes ||
		    !fault_arch_is_call(p->file + at, word[i] - t->start))
			continue;
		site->at[site->nr++] = at;
	}
}

/* FNV-1a: draft-eastlake-fnv, 32 bits. */
static uint32_t hash(uint32_t from, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	while (bytes--)
		from = (from ^ *at++) * 16777619u;
	return from;
}

bool site_get(struct site *site, pid_t tid)
{
	static uint64_t word[STACK_BYTES / sizeof(uint64_t)];
	struct thread *t = thread_get(tid);
	uint64_t sp;
	ssize_t got = -1;
	const char *name;

	*site = (struct site){ .nr = 0 };
	if (!t || t->start == t->end)
		return false;
	sp = stack_pointer(tid);
	/* less where the stack ends */
	for (size_t want = STACK_BYTES; want >= 512 && got < 0; want /= 2) {
		struct iovec to = { word, want }, from = { (void *)sp, want };

		got = process_vm_readv(tid, &to, 1, &from, 1, 0);
	}
	if (got < 0)
		return false;
	read_stack(site, t, word, got / sizeof(*word));
	name = strrchr(t->program->path, '/') + 1;
	site->program = t->program->path;
	site->hash = hash(hash(2166136261u, name, strlen(name)), site->at,
			  site->nr * sizeof(*site->at));
	return site->nr;
}
