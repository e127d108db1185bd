/* SPDX-License-Identifier: GPL-2.0-only */
/* A set of options with every type, for what checks parsing and output. */
#ifndef KVMETER_CHECK_OPTIONS_EXAMPLE_H
#define KVMETER_CHECK_OPTIONS_EXAMPLE_H

#include <string.h>
#include "options.h"

struct config {
	bool random;
	bool prefault;
	bool quiet;
	u64 write_percent;
	u64 slots;
	u64 seed;
	u64 chunk;
	struct u64_list vcpus;
	struct u64_list bytes;
	const char *json;
	const char *pin;
	int order;
	int mode;
	struct u64_list ways;
};

static const struct config defaults = {
	.prefault = true,
	.write_percent = 100,
	.slots = 1,
	.chunk = KIB(64),
	.vcpus = { .nr = 1, .v = { 1 } },
	.bytes = { .nr = 2, .v = { MIB(64), GIB(1) } },
	.pin = "none",
	.order = 1,
	.mode = -1,
	.ways = { .nr = 2, .v = { 2, 0 } },
};

static bool valid_pin(const void *member, const char **why)
{
	*why = "only even CPUs are there";
	return strcmp(*(const char *const *)member, "1");
}

static bool valid_chunk(const void *member, const char **why __maybe_unused)
{
	return *(const u64 *)member % 4096 == 0;
}

static const char *const orders[] = { "forward", "backward", "shuffled", NULL };
static const char *const modes[] = { "4K", "16K", NULL };

static const struct option_row common_rows[] = {
	{
		.type = OPT_U64_LIST,
		.letter = 'v',
		.name = "vcpus",
		.arg = "LIST",
		.offset = offsetof(struct config, vcpus),
		.help = "number of vCPUs; a list (1,2,4) or range (1-4) "
			"measures each in turn",
		.min = 1,
		.max = 512,
	},
	{
		.type = OPT_SIZE_LIST,
		.letter = 'b',
		.name = "bytes",
		.arg = "LIST",
		.offset = offsetof(struct config, bytes),
		.help = "memory per vCPU",
		.min = KIB(4),
		.max = GIB(1024),
	},
	{
		.type = OPT_U64,
		.letter = 'x',
		.name = "slots",
		.arg = "N",
		.offset = offsetof(struct config, slots),
		.help = "memslots that share the memory",
		.min = 1,
	},
	{
		.type = OPT_STRING,
		.letter = 'c',
		.name = "pin",
		.arg = "LIST",
		.offset = offsetof(struct config, pin),
		.help = "CPUs of the vCPU threads\nand last of the main thread",
		.valid = valid_pin,
	},
	{
		.type = OPT_STRING,
		.letter = 'J',
		.name = "json",
		.arg = "FILE",
		.offset = offsetof(struct config, json),
		.help = "results as JSON",
		.no_json = true,
	},
	{
		.type = OPT_FLAG,
		.letter = 'q',
		.name = "quiet",
		.offset = offsetof(struct config, quiet),
		.help = "say less",
		.no_json = true,
	},
	{ .type = OPT_END },
};

static const struct option_row own_rows[] = {
	{
		.type = OPT_U64,
		.letter = 'w',
		.name = "write-percent",
		.arg = "PERCENT",
		.offset = offsetof(struct config, write_percent),
		.help = "accesses that write",
		.max = 100,
	},
	{
		.type = OPT_FLAG,
		.letter = 'a',
		.name = "random-access",
		.offset = offsetof(struct config, random),
		.help = "visit pages in a random order",
	},
	{
		.type = OPT_NO_FLAG,
		.name = "prefault",
		.offset = offsetof(struct config, prefault),
		.help = "leave the host's page tables empty",
	},
	{
		.type = OPT_U64,
		.letter = 'r',
		.name = "seed",
		.arg = "N",
		.offset = offsetof(struct config, seed),
		.help = ".5 is no seed; 'a\\b' neither",
	},
	{
		.type = OPT_SIZE,
		.letter = 'k',
		.name = "chunk",
		.arg = "SIZE",
		.offset = offsetof(struct config, chunk),
		.help = "clear in chunks",
		.min = KIB(4),
		.valid = valid_chunk,
	},
	{
		.type = OPT_CHOICE,
		.letter = 'o',
		.name = "order",
		.arg = "ORDER",
		.offset = offsetof(struct config, order),
		.help = "how pages are visited",
		.choices = orders,
	},
	{
		.type = OPT_CHOICE_LIST,
		.letter = 'M',
		.name = "ways",
		.arg = "LIST",
		.offset = offsetof(struct config, ways),
		.help = "in turn",
		.choices = orders,
	},
	OPTION_PRESET(0, "straight", offsetof(struct config, ways), 0,
		      "the same as -M forward"),
	{
		.type = OPT_CHOICE,
		.name = "write-mode",
		.arg = "MODE",
		.offset = offsetof(struct config, mode),
		.help = "page size",
		.choices = modes,
	},
	{ .type = OPT_END },
};

static const struct option_row *const tables[] = { common_rows, own_rows,
						   NULL };

static const struct option_set set = {
	.program = "dirty_test",
	.summary = "Measures how dirty pages are tracked.",
	.tables = tables,
};

#endif
