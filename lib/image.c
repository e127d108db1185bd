/* SPDX-License-Identifier: GPL-2.0-only */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "image.h"
#include "util.h"

#define IMAGE_ALIGN 4096
#define IMAGE_LIMIT GIB(1) /* far more than any guest is linked to */

/* The linker's output, embedded with the alignment that embed.S gives it. */
static const Elf64_Ehdr *header(const struct image *image)
{
	return (const void *)image->elf;
}

static const Elf64_Shdr *section(const struct image *image, size_t index)
{
	const Elf64_Ehdr *e = header(image);

	return (const Elf64_Shdr *)(const void *)(image->elf + e->e_shoff) +
	       index;
}

static const Elf64_Phdr *segment(const struct image *image, size_t index)
{
	const Elf64_Ehdr *e = header(image);

	return (const Elf64_Phdr *)(const void *)(image->elf + e->e_phoff) +
	       index;
}

static bool in_file(const struct image *image, u64 offset, u64 bytes)
{
	return offset <= image->elf_bytes && bytes <= image->elf_bytes - offset;
}

static const char *header_fault(const struct image *image)
{
	const Elf64_Ehdr *e = header(image);

	if (image->elf_bytes < sizeof(*e) ||
	    memcmp(e->e_ident, ELFMAG, SELFMAG) != 0)
		return "not an ELF file";
	if (e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_type != ET_EXEC)
		return "not a statically linked 64-bit executable";
	if (e->e_phentsize != sizeof(Elf64_Phdr) ||
	    !in_file(image, e->e_phoff, (u64)e->e_phnum * e->e_phentsize))
		return "program headers outside the file";
	if (e->e_shentsize != sizeof(Elf64_Shdr) ||
	    !in_file(image, e->e_shoff, (u64)e->e_shnum * e->e_shentsize))
		return "section headers outside the file";
	return NULL;
}

static const char *find_segments(struct image *image)
{
	image->bytes = 0;
	for (size_t i = 0; i < header(image)->e_phnum; i++) {
		const Elf64_Phdr *p = segment(image, i);

		if (p->p_type != PT_LOAD || !p->p_memsz)
			continue;
		if (p->p_vaddr < IMAGE_GVA || p->p_filesz > p->p_memsz ||
		    p->p_memsz > IMAGE_LIMIT ||
		    p->p_vaddr - IMAGE_GVA > IMAGE_LIMIT ||
		    !in_file(image, p->p_offset, p->p_filesz))
			return "segment outside the image";
		image->bytes =
			max_u64(image->bytes,
				ALIGN_UP(p->p_vaddr - IMAGE_GVA + p->p_memsz,
					 IMAGE_ALIGN));
	}
	return image->bytes ? NULL : "nothing to load";
}

/* Do all names of symbol table @s end inside the file? */
static bool names_are_inside(const struct image *image, const Elf64_Shdr *s)
{
	const Elf64_Sym *sym = (const void *)(image->elf + s->sh_offset);
	const Elf64_Shdr *names = section(image, s->sh_link);

	if (!in_file(image, names->sh_offset, names->sh_size) ||
	    !names->sh_size ||
	    image->elf[names->sh_offset + names->sh_size - 1] != '\0')
		return false;
	for (u64 nr = s->sh_size / s->sh_entsize; nr--; sym++)
		if (sym->st_name >= names->sh_size)
			return false;
	return true;
}

static const char *find_symtab(struct image *image)
{
	for (size_t i = 0; i < header(image)->e_shnum; i++) {
		const Elf64_Shdr *s = section(image, i);

		if (s->sh_type != SHT_SYMTAB)
			continue;
		if (s->sh_entsize != sizeof(Elf64_Sym) ||
		    s->sh_link >= header(image)->e_shnum ||
		    !in_file(image, s->sh_offset, s->sh_size) ||
		    !names_are_inside(image, s))
			return "broken symbol table";
		image->symtab = i;
		return NULL;
	}
	return "stripped: host and guest meet by symbol";
}

void image_init(struct image *image, const void *elf, size_t elf_bytes)
{
	const char *fault;

	image->elf = elf;
	image->elf_bytes = elf_bytes;
	fault = header_fault(image);
	if (!fault)
		fault = find_segments(image);
	if (!fault)
		fault = find_symtab(image);
	if (fault)
		die("guest image of %zu bytes: %s", elf_bytes, fault);
	image->entry = header(image)->e_entry;
}

void image_load(const struct image *image, void *to)
{
	for (size_t i = 0; i < header(image)->e_phnum; i++) {
		const Elf64_Phdr *p = segment(image, i);

		if (p->p_type == PT_LOAD)
			memcpy((u8 *)to + (p->p_vaddr - IMAGE_GVA),
			       image->elf + p->p_offset, p->p_filesz);
	}
}

static const Elf64_Sym *symbols(const struct image *image, size_t *nr)
{
	const Elf64_Shdr *s = section(image, image->symtab);

	*nr = s->sh_size / s->sh_entsize;
	return (const void *)(image->elf + s->sh_offset);
}

static const char *symbol_name(const struct image *image, const Elf64_Sym *sym)
{
	size_t strtab = section(image, image->symtab)->sh_link;

	return (const char *)image->elf + section(image, strtab)->sh_offset +
	       sym->st_name;
}

bool image_find(const struct image *image, const char *name, u64 *gva,
		u64 *bytes)
{
	size_t nr;
	const Elf64_Sym *sym = symbols(image, &nr);

	for (; nr--; sym++) {
		if (sym->st_shndx == SHN_UNDEF ||
		    strcmp(symbol_name(image, sym), name) != 0)
			continue;
		*gva = sym->st_value;
		*bytes = sym->st_size;
		return true;
	}
	return false;
}

const char *image_symbolize(const struct image *image, u64 gva, char *buf,
			    size_t buf_bytes)
{
	size_t nr;
	const Elf64_Sym *sym = symbols(image, &nr);

	for (; nr--; sym++) {
		if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC ||
		    gva < sym->st_value || gva - sym->st_value >= sym->st_size)
			continue;
		snprintf(buf, buf_bytes, "%#llx %s+%#llx",
			 (unsigned long long)gva, symbol_name(image, sym),
			 (unsigned long long)(gva - sym->st_value));
		return buf;
	}
	snprintf(buf, buf_bytes, "%#llx", (unsigned long long)gva);
	return buf;
}
