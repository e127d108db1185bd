/* SPDX-License-Identifier: GPL-2.0-only */
/* What an input has allocated, by the hooks that sanitizers offer. */
#include <sanitizer/allocator_interface.h>
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

/* Of a hash table without deletions, but of all: a power of two. */
#define SLOTS_SHIFT 20
#define SLOTS (1ul << SLOTS_SHIFT)

enum { FREE, GONE };

/* Of what leaks. */
#define SHOWN 20
#define SHOWN_BYTES 128

/* Pointers are kept inverted, or leak checkers would find them here. */
static struct {
	bool has_hooks, recording;
	size_t known[SLOTS];
	size_t nr, used[SLOTS];
} memory;

static size_t first_slot(size_t key)
{
	return (u64)key * 0x9e3779b97f4a7c15 >> (64 - SLOTS_SHIFT);
}

static size_t next_slot(size_t i)
{
	return (i + 1) % SLOTS;
}

/* Neither hook may allocate. */
static void on_malloc(const volatile void *p, size_t size)
{
	size_t key = ~(size_t)p, i;

	(void)size;
	/* half full it is slow: what comes later is never freed */
	if (!memory.recording || memory.nr == SLOTS / 2)
		return;
	for (i = first_slot(key); memory.known[i] > GONE; i = next_slot(i))
		;
	if (memory.known[i] == FREE)
		memory.used[memory.nr++] = i;
	memory.known[i] = key;
}

static void on_free(const volatile void *p)
{
	size_t key = ~(size_t)p, i;

	if (!memory.nr || !p)
		return;
	for (i = first_slot(key); memory.known[i] != FREE; i = next_slot(i)) {
		if (memory.known[i] == key) {
			memory.known[i] = GONE;
			return;
		}
	}
}

void memory_begin(bool keep)
{
	if (!memory.has_hooks &&
	    !__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free))
		fuzz_fault("no room for hooks of malloc() and free()");
	memory.has_hooks = true;
	memory.recording = !keep;
	if (keep)
		__lsan_disable();
}

/* It keeps the last of these texts until it is asked for another one. */
static void replace_texts_of_libc(void)
{
	strerror(-1);
	strsignal(-1);
}

void memory_end(void)
{
	size_t i;

	if (!memory.recording)
		__lsan_enable();
	memory.recording = false;
	replace_texts_of_libc();
	for (i = 0; i < memory.nr; i++) {
		size_t *key = &memory.known[memory.used[i]];

		if (*key != GONE)
			free((void *)~*key);
		*key = FREE;
	}
	memory.nr = 0;
}

/* What is not among these comes from before, or from the mutations. */
static void show_what_is_left(void)
{
	size_t shown = 0, i, j;

	for (i = 0; i < memory.nr && shown < SHOWN; i++) {
		size_t key = memory.known[memory.used[i]], bytes;
		const unsigned char *p = (void *)~key;

		if (key == GONE)
			continue;
		bytes = __sanitizer_get_allocated_size(p);
		fprintf(stderr, "of this input: %p, %zu bytes: ", (void *)p,
			bytes);
		for (j = 0; j < bytes && j < SHOWN_BYTES; j++)
			fprintf(stderr, "%c",
				p[j] >= ' ' && p[j] < 0x7f ? p[j] : '.');
		fprintf(stderr, "\n");
		shown++;
	}
}

void memory_check_leaks(void)
{
	bool recording = memory.recording;

	memory.recording = false;
	if (__lsan_do_recoverable_leak_check()) {
		show_what_is_left();
		fuzz_fault("memory can no longer be reached");
	}
	memory.recording = recording;
}
