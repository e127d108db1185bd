/* SPDX-License-Identifier: GPL-2.0-only */
/* An option ROM in a benchmark: checks and metrics, and a host that acts on its
 * own. Main thread only, while no vCPU runs. */
#ifndef KVMETER_ROM_BENCH_H
#define KVMETER_ROM_BENCH_H

#include "bench.h"
#include "option_rom.h"

/* Who enables and disables the ROM, and how often in a second; 0: see help. */
enum rom_by { ROM_BY_GUEST, ROM_BY_HOST };
struct rom_options {
	u64 bytes, rate;
	int by;
};
#define ROM_OPTIONS_DEFAULTS      \
	{                         \
		.bytes = KIB(64), \
	}
extern const char *const rom_by_names[];

/* Their rows; @offset is that of the struct in the config. */
/* clang-format off */
#define ROM_OPTION_ROWS(offset)                                               \
	{ OPT_CHOICE, 0, "by", "WHO",                                         \
	  (offset) + offsetof(struct rom_options, by),                        \
	  "who has it done: the guest, by an exit, or the host's main thread", \
	  .choices = rom_by_names },                                          \
	{ OPT_U64, 0, "rate", "N",                                            \
	  (offset) + offsetof(struct rom_options, rate),                      \
	  "how many times a second; 0: so that reading takes half of vCPU 0, or as fast as the host can", \
	  .max = 1000000 },                                                   \
	{ OPT_SIZE, 0, "rom-size", "SIZE",                                    \
	  (offset) + offsetof(struct rom_options, bytes),                     \
	  "bytes of the ROM", .min = KIB(4), .max = OPTION_ROM_BYTES_MAX,     \
	  .valid = option_rom_valid }
/* clang-format on */

/*
 * gang_round(@function), in which the reader and the host do as the options
 * say.
 */
struct timing rom_round(struct run *r, struct option_rom *rom,
			const struct rom_options *options,
			const char *function);

/* That every word read was of the generation that the host had shown. */
void rom_check_content(struct run *r, int id, const struct option_rom *rom);

struct rom_probe_checks {
	int read_only, gone;
};
/* Has the reader probe it by @function, which calls guest_rom_probe(). */
void rom_probe(struct run *r, struct option_rom *rom, const char *function,
	       struct rom_probe_checks checks);

/*
 * Adds the calls since option_rom_begin() to @metric[] of their kind, ends the
 * test if KVM refused one, and returns how many took the ROM away or changed
 * it: all but those that create.
 */
u64 rom_sample_calls(struct run *r, const struct option_rom *rom,
		     const int metric[ROM_CALLS]);

/* With all vCPUs idle: nanoseconds of the calls of one reading. */
u64 rom_call_idle(struct option_rom *rom);

#endif
