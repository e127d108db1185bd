/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/guest.h>
#include <guest/rom.h>

static void write_register(const struct guest_rom *rom, enum rom_register reg)
{
	arch_device_store(rom->registers + reg, 1);
}

static u64 read_word(const struct guest_rom *rom, u64 i)
{
	return arch_device_load(rom->gva + i * sizeof(u64));
}

static void add_wrong(struct guest_rom *rom, u64 i, u64 expected, u64 seen)
{
	if (rom->wrong++)
		return;
	rom->offset = i * sizeof(u64);
	rom->expected = expected;
	rom->seen = seen;
}

/* A generation that the host has shown since: the next words are of it. */
static bool is_newer(const struct guest_rom *rom, u64 i, u64 seen,
		     u64 *generation)
{
	u64 found = seen >> 32;

	if (seen != rom_word(found, i) || found <= *generation ||
	    found > READ_ONCE(rom->newest))
		return false;
	*generation = found;
	return true;
}

/* Only a host that acts on its own may change the ROM under the reader. */
static void read_through(struct guest_rom *rom, u64 generation)
{
	u64 shown = generation;

	for (u64 i = 0; i < rom->words; i++) {
		u64 seen = read_word(rom, i);

		if (seen == rom_word(generation, i))
			continue;
		if (!rom->registers && seen == ROM_NOTHING &&
		    READ_ONCE(rom->shown) != shown) {
			rom->cut_short++;
			rom->words_read += i;
			return;
		}
		if (rom->registers || !is_newer(rom, i, seen, &generation))
			add_wrong(rom, i, rom_word(generation, i), seen);
	}
	rom->words_read += rom->words;
}

static void read_once(struct guest_rom *rom)
{
	u64 generation;

	if (rom->registers)
		write_register(rom, ROM_ENABLE);
	generation = READ_ONCE(rom->shown);
	if (generation) {
		read_through(rom, generation);
		rom->readings++;
	}
	if (rom->registers)
		write_register(rom, ROM_DISABLE);
}

void guest_rom_begin(struct guest_rom *rom)
{
	rom->due = arch_counter() + rom->interval;
}

void guest_rom_turn(struct guest_cpu *cpu, struct guest_rom *rom)
{
	u64 from = arch_counter(), to;

	if (from < rom->due)
		return;
	read_once(rom);
	to = arch_counter();
	rom->due = rom->interval ? rom->due + rom->interval : to + (to - from);
	/* what it cannot keep up with is not made up for */
	if (rom->due < to)
		rom->due = to;
	WRITE_ONCE(cpu->reads, cpu->reads + 1);
}

void guest_rom_probe(struct guest_rom *rom)
{
	u64 page_words = rom->page_bytes / sizeof(u64), before;

	if (!rom->words)
		return;
	write_register(rom, ROM_ENABLE);
	read_through(rom, rom->shown);
	before = rom->wrong;
	for (u64 i = 0; i < rom->words; i += page_words, rom->stores++)
		arch_device_store(rom->gva + i * sizeof(u64), ROM_NOTHING - 1);
	read_through(rom, rom->shown);
	rom->damaged = rom->wrong - 2 * before;
	write_register(rom, ROM_DISABLE);
	for (u64 i = 0; rom->goes && i < rom->words; i += page_words)
		rom->still_there += read_word(rom, i) != ROM_NOTHING;
}
