/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest that reads an option ROM, over memory and registers made up here:
 * what it takes for right while the host changes the ROM under it, and when it
 * reads again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "types.h"
#define KVMETER_GUEST
#include <guest_arch.h>
static u64 clock_now, load_ticks;
static u64 made_up_load(u64 gva);
static void made_up_store(u64 gva, u64 value);
#define arch_counter() (++clock_now)
#define arch_device_load made_up_load
#define arch_device_store made_up_store
#include "../../lib/guest/rom.c"

#define PAGE ROM_PAGE_WORDS
#define PAGES 16
#define WORDS (PAGES * PAGE)
#define GVA UINT64_C(0x10000)
#define REGISTERS UINT64_C(0x20000)

static struct guest_rom rom;
static struct guest_cpu cpu;
static u64 word[WORDS];
static unsigned int enabled, disabled;
static bool writable;
/* What the host does just before word @at is read. */
static u64 at;
static void (*act)(void);

static void fill(u64 generation)
{
	for (u64 i = 0; i < WORDS; i++)
		word[i] = rom_word(generation, i);
}

static void show(u64 generation)
{
	fill(generation);
	rom.newest = generation;
	rom.shown = generation;
}

static void hide(void)
{
	rom.shown = 0;
	for (u64 i = 0; i < WORDS; i++)
		word[i] = ROM_NOTHING;
}

static u64 made_up_load(u64 gva)
{
	u64 i = (gva - GVA) / sizeof(u64);

	assert_in_range(i, 0, WORDS - 1);
	clock_now += load_ticks;
	if (act && i == at)
		act();
	return word[i];
}

static void made_up_store(u64 gva, u64 value)
{
	if (gva == REGISTERS + ROM_ENABLE) {
		enabled++;
		show(rom.newest + 1);
	} else if (gva == REGISTERS + ROM_DISABLE) {
		disabled++;
		hide();
	} else if (writable) {
		word[(gva - GVA) / sizeof(u64)] = value;
	}
}

static int setup(void **state __maybe_unused)
{
	memset(&cpu, 0, sizeof(cpu));
	rom = (struct guest_rom){ .gva = GVA,
				  .words = WORDS,
				  .goes = 1,
				  .page_bytes = 4 * PAGE * sizeof(u64) };
	enabled = 0;
	disabled = 0;
	load_ticks = 0;
	writable = false;
	act = NULL;
	at = 5 * PAGE;
	hide();
	return 0;
}

static void check_registers(void **state __maybe_unused)
{
	rom.registers = REGISTERS;
	read_once(&rom);
	read_once(&rom);
	assert_int_equal(enabled, 2);
	assert_int_equal(disabled, 2);
	assert_int_equal(rom.readings, 2);
	assert_int_equal(rom.words_read, 2 * WORDS);
	assert_int_equal(rom.wrong, 0);
}

static void spoil(void)
{
	word[5 * PAGE] = rom_word(rom.newest - 1, 5 * PAGE);
	word[7 * PAGE] = rom_word(rom.newest, 8 * PAGE);
}

/* With registers nothing is excused, and the first wrong word is told. */
static void check_wrong(void **state __maybe_unused)
{
	rom.registers = REGISTERS;
	rom.newest = 6;
	act = spoil;
	read_once(&rom);
	assert_int_equal(rom.wrong, 2);
	assert_int_equal(rom.offset, 5 * PAGE * sizeof(u64));
	assert_int_equal(rom.expected, rom_word(7, 5 * PAGE));
	assert_int_equal(rom.seen, rom_word(6, 5 * PAGE));
}

static void spoil_within(void)
{
	rom.newest++;
	word[5 * PAGE + 1] = rom_word(rom.newest, 5 * PAGE);
	word[5 * PAGE + 2] ^= rom.newest << 32;
	word[5 * PAGE + 3]++;
}

/* Within a page no word belongs to a generation, however new. */
static void check_wrong_within(void **state __maybe_unused)
{
	show(3);
	act = spoil_within;
	read_once(&rom);
	assert_int_equal(rom.wrong, 3);
	assert_int_equal(rom.offset, (5 * PAGE + 1) * sizeof(u64));
}

/* A new generation costs the host a word of each page. */
static void check_generations(void **state __maybe_unused)
{
	u64 differ = 0;

	for (u64 i = 0; i < WORDS; i++)
		differ += rom_word(1, i) != rom_word(2, i);
	assert_int_equal(differ, PAGES);
}

static void take_away(void)
{
	hide();
}

static void check_cut_short(void **state __maybe_unused)
{
	show(3);
	act = take_away;
	read_once(&rom);
	assert_int_equal(rom.cut_short, 1);
	assert_int_equal(rom.words_read, 5 * PAGE);
	assert_int_equal(rom.wrong, 0);
	/* nothing to read now */
	read_once(&rom);
	assert_int_equal(rom.readings, 1);
}

static void lose_it(void)
{
	hide();
	rom.shown = 3;
}

/* It is not there, although the host has not taken it away. */
static void check_lost(void **state __maybe_unused)
{
	show(3);
	act = lose_it;
	read_once(&rom);
	assert_int_equal(rom.cut_short, 0);
	assert_int_equal(rom.wrong, WORDS - 5 * PAGE);
}

static void renew(void)
{
	show(4);
}

static void check_renewed(void **state __maybe_unused)
{
	show(3);
	act = renew;
	read_once(&rom);
	assert_int_equal(rom.wrong, 0);
	assert_int_equal(rom.words_read, WORDS);
}

static void renew_stale(void)
{
	show(4);
	word[9 * PAGE] = rom_word(3, 9 * PAGE);
}

/* Once the new generation was seen, the old one is stale. */
static void check_stale(void **state __maybe_unused)
{
	show(3);
	act = renew_stale;
	read_once(&rom);
	assert_int_equal(rom.wrong, 1);
	assert_int_equal(rom.offset, 9 * PAGE * sizeof(u64));
}

static void come_early(void)
{
	fill(4);
}

/* No generation is that new. */
static void check_too_new(void **state __maybe_unused)
{
	show(3);
	act = come_early;
	read_once(&rom);
	assert_int_equal(rom.wrong, PAGES - 5);
}

static void check_probe(void **state __maybe_unused)
{
	rom.registers = REGISTERS;
	guest_rom_probe(&rom);
	assert_int_equal(rom.stores, PAGES / 4);
	assert_int_equal(rom.damaged, 0);
	assert_int_equal(rom.still_there, 0);
}

static void check_probe_writable(void **state __maybe_unused)
{
	rom.registers = REGISTERS;
	writable = true;
	guest_rom_probe(&rom);
	assert_int_equal(rom.damaged, PAGES / 4);
}

/* Reading takes as long as what is done between, or comes at its rate. */
static void check_turns(void **state __maybe_unused)
{
	u64 until;

	rom.registers = REGISTERS;
	load_ticks = 10;
	guest_rom_begin(&rom);
	guest_rom_turn(&cpu, &rom);
	assert_int_equal(rom.readings, 1);
	until = clock_now + WORDS * load_ticks - 10;
	while (clock_now < until)
		guest_rom_turn(&cpu, &rom);
	assert_int_equal(rom.readings, 1);
	clock_now += 20;
	guest_rom_turn(&cpu, &rom);
	assert_int_equal(rom.readings, 2);
	assert_int_equal(cpu.reads, 2);
}

static void check_interval(void **state __maybe_unused)
{
	u64 from = clock_now;

	rom.registers = REGISTERS;
	rom.interval = 1000;
	guest_rom_begin(&rom);
	while (clock_now < from + 10 * rom.interval + 500)
		guest_rom_turn(&cpu, &rom);
	assert_int_equal(rom.readings, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(check_registers, setup),
		cmocka_unit_test_setup(check_wrong, setup),
		cmocka_unit_test_setup(check_wrong_within, setup),
		cmocka_unit_test_setup(check_generations, setup),
		cmocka_unit_test_setup(check_cut_short, setup),
		cmocka_unit_test_setup(check_lost, setup),
		cmocka_unit_test_setup(check_renewed, setup),
		cmocka_unit_test_setup(check_stale, setup),
		cmocka_unit_test_setup(check_too_new, setup),
		cmocka_unit_test_setup(check_probe, setup),
		cmocka_unit_test_setup(check_probe_writable, setup),
		cmocka_unit_test_setup(check_turns, setup),
		cmocka_unit_test_setup(check_interval, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
