/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest image: the freestanding ELF that a test's guest half is linked into
 * and that is embedded in the test's binary. See elf(5).
 *
 * Read-only after image_init(); any thread.
 */
#ifndef KVMETER_IMAGE_H
#define KVMETER_IMAGE_H

#include "types.h"

/* Where images are linked to (lib/guest/image.lds). */
#define IMAGE_GVA UINT64_C(0x400000)

/* The image embedded in this program (lib/embed.S). */
extern const u8 embedded_image[] __attribute__((visibility("hidden")));
extern const u8 embedded_image_end[] __attribute__((visibility("hidden")));

struct image {
	const u8 *elf; /* borrowed */
	size_t elf_bytes;
	size_t symtab; /* index of its section header */
	u64 entry;     /* GVA */
	u64 bytes;     /* in memory, from IMAGE_GVA, a multiple of 4096 */
};

/* Dies with the reason if @elf is not such an image. */
void image_init(struct image *image, const void *elf, size_t elf_bytes);

/* Copies the image into @image->bytes of zeroed memory at @to. */
void image_load(const struct image *image, void *to);

/* GVA and size of a symbol; false if there is none of that name. */
bool image_find(const struct image *image, const char *name, u64 *gva,
		u64 *bytes);

/*
 * "0x400586 guest_main+0x12" for an address in a function of the image, else
 * only the number. Returns @buf.
 */
const char *image_symbolize(const struct image *image, u64 gva, char *buf,
			    size_t buf_bytes);

#endif
