/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A device's option ROM as a guest reads it: its driver enables the ROM by a
 * register, reads all of it and disables it again. Registers are no memory, so
 * that the host acts in between. Every word says where it stands, and the first
 * of each of KVM's pages which generation of the content it belongs to: what is
 * stale is so by pages, and the host has little to write.
 */
#ifndef KVMETER_GUEST_ROM_H
#define KVMETER_GUEST_ROM_H

#include <guest/types.h>

/* Offsets of the device's registers. What is written does not matter. */
enum rom_register { ROM_ENABLE = 0, ROM_DISABLE = 8 };

/* What a bus answers where nothing is. */
#define ROM_NOTHING (~UINT64_C(0))

/* Words of the smallest page. */
#define ROM_PAGE_WORDS 512

/* Word @i in generation @generation, which counts from 1. */
static inline u64 rom_word(u64 generation, u64 i)
{
	return i % ROM_PAGE_WORDS ? i : generation << 32 | i;
}

/* One vCPU uses it; the host may write to the second group while it runs. */
struct guest_rom {
	/* host to guest; words == 0: this vCPU reads no ROM */
	u64 gva;
	u64 words;
	u64 registers; /* GVA; 0: the host enables it when it likes */
	u64 page_bytes;
	u64 goes;     /* disabling takes it away */
	u64 interval; /* ticks from one reading to the next; 0: as often as
		       * reading takes no longer than what is done between */

	/* 0: the guest must not read it, else the generation there is */
	u64 shown __attribute__((aligned(64)));
	u64 newest; /* no generation is newer, not even one being shown */

	/* guest to host */
	u64 readings __attribute__((aligned(64)));
	u64 words_read;
	u64 cut_short; /* readings that the host ended by taking the ROM away */
	u64 wrong;     /* words that were not what they should be */
	u64 offset, expected, seen; /* of the first of them, in bytes */
	/* by guest_rom_probe() */
	u64 stores;
	u64 damaged;	 /* words that were wrong only after those */
	u64 still_there; /* words that did not answer ROM_NOTHING */
	u64 due;	 /* the guest's own: when to read again */
};

#ifdef KVMETER_GUEST

struct guest_cpu;

/* Before the first of guest_rom_turn(). */
void guest_rom_begin(struct guest_rom *rom);

/* Reads it if it is time. For a vCPU to call between other work. */
void guest_rom_turn(struct guest_cpu *cpu, struct guest_rom *rom);

/*
 * With registers: reads it, writes to each page, reads it again; and when it is
 * disabled, if it goes, looks for what is there of each page.
 */
void guest_rom_probe(struct guest_rom *rom);

#endif
#endif
