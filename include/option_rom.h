/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A device with an option ROM (guest/rom.h), the host's half: its registers,
 * and a read-only memslot that comes and goes as the guest enables and disables
 * the ROM. Each time it comes its content is another generation.
 */
#ifndef KVMETER_OPTION_ROM_H
#define KVMETER_OPTION_ROM_H

#include <guest/rom.h>
#include "vm.h"

#define OPTION_ROM_BYTES_MAX MIB(32)

/* What enabling and disabling does. */
enum rom_op {
	ROM_NONE,   /* nothing: there is no ROM, and no one to read it */
	ROM_TOGGLE, /* creates and deletes the slot */
	ROM_MOVE,   /* moves it there and away */
	ROM_FLAGS,  /* switches its dirty log on and off: the slot stays */
};

/* Does it delete or move the slot? */
bool rom_op_zaps(enum rom_op op);

/* Calls of KVM_SET_USER_MEMORY_REGION. */
enum rom_call {
	ROM_CALL_CREATE,
	ROM_CALL_DELETE,
	ROM_CALL_MOVE,
	ROM_CALL_FLAGS,
	ROM_CALLS
};

/* For an option row: bytes of one. */
bool option_rom_valid(const void *member, const char **why);

/* Skips if this KVM has no read-only slots. */
void option_rom_require(void);

struct option_rom_config {
	enum rom_op op;
	u64 bytes; /* a multiple of the host's and the guest's page */
	struct guest_rom *guest; /* the reader's, in control memory; lent */
	/* for checks, which must notice: new generations hold the one before;
	 * the slot can be written; disabling leaves it as it is, until it is
	 * enabled again */
	bool stale, writable, kept;
};

struct option_rom;

/*
 * Between run_create() and run_start(). Free while no vCPU runs and before
 * run_end(), or leave it to the end of the process.
 */
struct option_rom *option_rom_create(struct vm *vm,
				     const struct option_rom_config *cfg);
void option_rom_free(struct option_rom *rom); /* NULL is fine */

struct guest_rom *option_rom_reader(const struct option_rom *rom);

/*
 * While no vCPU runs: forgets what was recorded, and tells the reader how to
 * get at the ROM, as often as it likes.
 */
void option_rom_begin(struct option_rom *rom);

/*
 * The host does what the guest's registers do. The main thread, and only while
 * no vCPU uses the registers. What KVM refuses is in option_rom_error().
 */
void option_rom_enable(struct option_rom *rom);
void option_rom_disable(struct option_rom *rom);

/* ---- while no vCPU runs ---- */

/* "deleting the slot of the ROM: ..." of the first call that KVM refused, to be
 * freed; or NULL. */
char *option_rom_error(const struct option_rom *rom);

/* Nanoseconds of each call since option_rom_begin(); lent. */
struct rom_calls {
	const u64 *ns;
	u64 nr;
};
struct rom_calls option_rom_calls(const struct option_rom *rom,
				  enum rom_call call);

/* Accesses that found no memory, or none to write, since then. */
struct rom_exits {
	u64 loads, stores;
};
struct rom_exits option_rom_exits(const struct option_rom *rom);

#endif
