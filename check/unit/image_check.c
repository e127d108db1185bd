/* SPDX-License-Identifier: GPL-2.0-only */
/* Guest images: the real one of page_table_test, and what became of copies. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "child.h"
#include "image.h"
#include "util.h"

static size_t real_bytes(void)
{
	return embedded_image_end - embedded_image;
}

/* A copy to be damaged. */
struct copy {
	u8 *elf;
	size_t bytes;
};

static Elf64_Ehdr *header(const struct copy *c)
{
	return (void *)c->elf;
}

static Elf64_Phdr *segments(const struct copy *c)
{
	return (void *)(c->elf + header(c)->e_phoff);
}

static Elf64_Shdr *sections(const struct copy *c)
{
	return (void *)(c->elf + header(c)->e_shoff);
}

static Elf64_Phdr *load_segment(const struct copy *c)
{
	Elf64_Phdr *p = segments(c);

	while (p->p_type != PT_LOAD)
		p++;
	return p;
}

static Elf64_Shdr *symtab(const struct copy *c)
{
	Elf64_Shdr *s = sections(c);

	while (s->sh_type != SHT_SYMTAB)
		s++;
	return s;
}

static void empty(struct copy *c)
{
	c->bytes = 0;
}

static void cut_header(struct copy *c)
{
	c->bytes = sizeof(Elf64_Ehdr) - 1;
}

static void cut_segments(struct copy *c)
{
	c->bytes = sizeof(Elf64_Ehdr) + 10;
}

static void cut_sections(struct copy *c)
{
	c->bytes -= 8;
}

static void no_magic(struct copy *c)
{
	c->elf[0] = 0;
}

static void class_32(struct copy *c)
{
	c->elf[EI_CLASS] = ELFCLASS32;
}

static void shared_object(struct copy *c)
{
	header(c)->e_type = ET_DYN;
}

static void segments_elsewhere(struct copy *c)
{
	header(c)->e_phoff = ~UINT64_C(0) - 8;
}

static void segments_of_other_size(struct copy *c)
{
	header(c)->e_phentsize = sizeof(Elf32_Phdr);
}

static void sections_elsewhere(struct copy *c)
{
	header(c)->e_shoff = c->bytes;
}

static void sections_of_other_size(struct copy *c)
{
	header(c)->e_shentsize = 1;
}

static void segment_below(struct copy *c)
{
	load_segment(c)->p_vaddr = IMAGE_GVA - 4096;
}

static void segment_beyond_file(struct copy *c)
{
	load_segment(c)->p_offset = c->bytes - 1;
}

static void segment_overflow(struct copy *c)
{
	load_segment(c)->p_offset = ~UINT64_C(0);
}

static void segment_larger_in_file(struct copy *c)
{
	load_segment(c)->p_filesz = load_segment(c)->p_memsz + 1;
}

static void segment_wraps(struct copy *c)
{
	load_segment(c)->p_memsz = ~UINT64_C(0) - 4096;
}

static void segment_far_away(struct copy *c)
{
	load_segment(c)->p_vaddr = ~UINT64_C(0) - 8192;
}

static void nothing_to_load(struct copy *c)
{
	for (unsigned int i = 0; i < header(c)->e_phnum; i++)
		segments(c)[i].p_type = PT_NOTE;
}

static void stripped(struct copy *c)
{
	symtab(c)->sh_type = SHT_NULL;
}

static void no_sections(struct copy *c)
{
	header(c)->e_shnum = 0;
}

static void symbols_of_other_size(struct copy *c)
{
	symtab(c)->sh_entsize = 0;
}

static void symbols_beyond_file(struct copy *c)
{
	symtab(c)->sh_size = c->bytes;
}

static void names_nowhere(struct copy *c)
{
	symtab(c)->sh_link = header(c)->e_shnum;
}

static void names_beyond_file(struct copy *c)
{
	sections(c)[symtab(c)->sh_link].sh_offset = c->bytes;
}

static void names_overflow(struct copy *c)
{
	sections(c)[symtab(c)->sh_link].sh_offset = ~UINT64_C(0) - 100;
}

static void names_without_end(struct copy *c)
{
	Elf64_Shdr *names = &sections(c)[symtab(c)->sh_link];

	names->sh_size = 2;
	c->elf[names->sh_offset + 1] = 'x';
}

static void name_outside(struct copy *c)
{
	Elf64_Sym *sym = (void *)(c->elf + symtab(c)->sh_offset);

	sym[1].st_name = ~UINT32_C(0);
	sym[1].st_shndx = 1;
}

/* Uses a copy as a VM does. */
struct use {
	void (*damage)(struct copy *c);
};

static void use_copy(void *arg)
{
	const struct use *use = arg;
	struct copy c = { malloc(real_bytes()), real_bytes() };
	struct image image;
	u64 gva, bytes;
	char text[64];
	void *copy;

	memcpy(c.elf, embedded_image, c.bytes);
	use->damage(&c);
	/* so that a sanitizer sees the first byte beyond */
	copy = malloc(c.bytes ? c.bytes : 1);
	memcpy(copy, c.elf, c.bytes);
	free(c.elf);
	image_init(&image, copy, c.bytes);
	image_find(&image, "no_such_symbol", &gva, &bytes);
	image_symbolize(&image, IMAGE_GVA, text, sizeof(text));
	free(copy);
}

static void test_broken(void **state __maybe_unused)
{
	static const struct {
		void (*damage)(struct copy *c);
		const char *message;
	} rows[] = {
		/* clang-format off */
		{ empty, "not an ELF file" },
		{ cut_header, "not an ELF file" },
		{ cut_segments, "program headers outside the file" },
		{ cut_sections, "section headers outside the file" },
		{ no_magic, "not an ELF file" },
		{ class_32, "not a statically linked 64-bit executable" },
		{ shared_object, "not a statically linked 64-bit executable" },
		{ segments_elsewhere, "program headers outside the file" },
		{ segments_of_other_size, "program headers outside the file" },
		{ sections_elsewhere, "section headers outside the file" },
		{ sections_of_other_size, "section headers outside the file" },
		{ segment_below, "segment outside the image" },
		{ segment_beyond_file, "segment outside the image" },
		{ segment_overflow, "segment outside the image" },
		{ segment_larger_in_file, "segment outside the image" },
		{ segment_wraps, "segment outside the image" },
		{ segment_far_away, "segment outside the image" },
		{ nothing_to_load, "nothing to load" },
		{ stripped, "stripped" },
		{ no_sections, "stripped" },
		{ symbols_of_other_size, "broken symbol table" },
		{ symbols_beyond_file, "broken symbol table" },
		{ names_nowhere, "broken symbol table" },
		{ names_beyond_file, "broken symbol table" },
		{ names_overflow, "broken symbol table" },
		{ names_without_end, "broken symbol table" },
		{ name_outside, "broken symbol table" },
		/* clang-format on */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct use use = { rows[i].damage };
		struct child child;

		child_run(&child, use_copy, &use);
		if (child.code != 1 || !strstr(child.err, rows[i].message))
			fail_msg("row %zu, '%s': exit %d, '%s'", i,
				 rows[i].message, child.code, child.err);
	}
}

static void test_sizes(void **state __maybe_unused)
{
	struct image image;

	image_init(&image, embedded_image, real_bytes());
	assert_int_equal(image.bytes % 4096, 0);
	assert_in_range(image.bytes, 4096, MIB(1));
	assert_true(image.entry >= IMAGE_GVA);
	assert_true(image.entry < IMAGE_GVA + image.bytes);
}

/* Every byte of a segment is in its place, and no other is written. */
static void test_load(void **state __maybe_unused)
{
	const struct copy c = { (u8 *)embedded_image, real_bytes() };
	struct image image;
	u8 *memory, *covered;

	image_init(&image, embedded_image, real_bytes());
	memory = xcalloc(image.bytes, 1);
	covered = xcalloc(image.bytes, 1);
	image_load(&image, memory);
	for (unsigned int i = 0; i < header(&c)->e_phnum; i++) {
		const Elf64_Phdr *p = &segments(&c)[i];
		u64 at = p->p_vaddr - IMAGE_GVA;

		if (p->p_type != PT_LOAD)
			continue;
		assert_memory_equal(memory + at, c.elf + p->p_offset,
				    p->p_filesz);
		memset(covered + at, 1, p->p_filesz);
	}
	for (u64 i = 0; i < image.bytes; i++)
		assert_true(covered[i] || !memory[i]);
	free(memory);
	free(covered);
}

static void test_find(void **state __maybe_unused)
{
	static const char *const functions[] = { "guest_main",
						 "guest_create_mappings",
						 "guest_adjust_mappings" };
	struct image image;
	u64 gva, bytes;

	image_init(&image, embedded_image, real_bytes());
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		assert_true(image_find(&image, functions[i], &gva, &bytes));
		assert_in_range(gva, IMAGE_GVA, IMAGE_GVA + image.bytes - 1);
		assert_true(bytes > 0);
	}
	assert_false(image_find(&image, "guest_mai", &gva, &bytes));
	assert_false(image_find(&image, "guest_main2", &gva, &bytes));
	assert_false(image_find(&image, "", &gva, &bytes));
}

static void test_symbolize(void **state __maybe_unused)
{
	struct image image;
	char text[64], expected[64];
	u64 gva, bytes;

	image_init(&image, embedded_image, real_bytes());
	assert_true(image_find(&image, "guest_main", &gva, &bytes));
	snprintf(expected, sizeof(expected), "%#llx guest_main+0x4",
		 (unsigned long long)gva + 4);
	assert_string_equal(
		image_symbolize(&image, gva + 4, text, sizeof(text)), expected);
	image_symbolize(&image, gva + bytes, text, sizeof(text));
	assert_null(strstr(text, "guest_main+"));
	assert_string_equal(image_symbolize(&image, 0x1234, text, sizeof(text)),
			    "0x1234");
	assert_string_equal(image_symbolize(&image, ~UINT64_C(0), text,
					    sizeof(text)),
			    "0xffffffffffffffff");
	/* a short buffer ends in time */
	image_symbolize(&image, gva, text, 5);
	assert_int_equal(strlen(text), 4);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),	  cmocka_unit_test(test_load),
		cmocka_unit_test(test_find),	  cmocka_unit_test(test_broken),
		cmocka_unit_test(test_symbolize),
	};

	return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
