/* SPDX-License-Identifier: GPL-2.0-only */
#include "clock.h"
#include "rom_bench.h"
#include "util.h"

const char *const rom_by_names[] = {
	[ROM_BY_GUEST] = "guest",
	[ROM_BY_HOST] = "host",
	NULL,
};

void rom_check_content(struct run *r, int id, const struct option_rom *rom)
{
	const struct guest_rom *g = option_rom_reader(rom);

	if (!g->words)
		check_not_applicable(r, id, "there is no ROM");
	else if (g->wrong)
		check(r, id, false,
		      "%llu of %llu words wrong, the first at offset %#llx: "
		      "%#llx expected, %#llx seen",
		      (unsigned long long)g->wrong,
		      (unsigned long long)g->words_read,
		      (unsigned long long)g->offset,
		      (unsigned long long)g->expected,
		      (unsigned long long)g->seen);
	else if (!g->words_read)
		check_unverified(r, id, "it was not read while it was there");
	else
		check(r, id, true, "%llu words read, none wrong",
		      (unsigned long long)g->words_read);
}

static void check_gone(struct run *r, int id, const struct guest_rom *g,
		       u64 loads)
{
	u64 looks = g->stores; /* one for each page, like those */

	if (!g->goes)
		check_not_applicable(r, id, "the slot stays");
	else
		check(r, id, !g->still_there && loads == looks,
		      "%llu of %llu reads exited, %llu found something",
		      (unsigned long long)loads, (unsigned long long)looks,
		      (unsigned long long)g->still_there);
}

void rom_probe(struct run *r, struct option_rom *rom, const char *function,
	       struct rom_probe_checks checks)
{
	const struct guest_rom *g = option_rom_reader(rom);
	struct rom_exits exits;

	option_rom_begin(rom);
	if (!g->words) {
		check_not_applicable(r, checks.read_only, "there is no ROM");
		check_not_applicable(r, checks.gone, "there is no ROM");
		return;
	}
	gang_round(r->gang, function);
	exits = option_rom_exits(rom);
	check(r, checks.read_only, exits.stores == g->stores && !g->damaged,
	      "%llu of %llu writes exited, %llu words changed",
	      (unsigned long long)exits.stores, (unsigned long long)g->stores,
	      (unsigned long long)g->damaged);
	check_gone(r, checks.gone, g, exits.loads);
}

static void must(const struct option_rom *rom)
{
	char *failed = option_rom_error(rom);

	if (failed)
		die("%s", failed);
}

u64 rom_sample_calls(struct run *r, const struct option_rom *rom,
		     const int metric[ROM_CALLS])
{
	u64 nr = 0;

	must(rom);
	for (int k = 0; k < ROM_CALLS; k++) {
		struct rom_calls calls = option_rom_calls(rom, k);

		for (u64 i = 0; i < calls.nr; i++)
			sample_time(r, metric[k],
				    (struct timing){ .ns = calls.ns[i] });
		nr += k == ROM_CALL_CREATE ? 0 : calls.nr;
	}
	return nr;
}

static struct timing round_under_host(struct gang *gang, struct option_rom *rom,
				      const char *function, u64 period_ns)
{
	u64 next = now_ns();

	gang_start(gang, function);
	do {
		next = max_u64(next + period_ns, now_ns());
		option_rom_enable(rom);
		gang_sleep_until(gang, next - period_ns / 2);
		option_rom_disable(rom);
	} while (gang_sleep_until(gang, next));
	return gang_wait(gang);
}

struct timing rom_round(struct run *r, struct option_rom *rom,
			const struct rom_options *options, const char *function)
{
	struct guest_rom *reader = option_rom_reader(rom);
	u64 period_ns = options->rate ? NSEC_PER_SEC / options->rate : 0;

	option_rom_begin(rom);
	if (!reader->words)
		return gang_round(r->gang, function);
	if (options->by == ROM_BY_HOST) {
		reader->registers = 0;
		return round_under_host(r->gang, rom, function, period_ns);
	}
	reader->interval = period_ns / run_tick_ns(r);
	return gang_round(r->gang, function);
}

static u64 sum(struct rom_calls calls)
{
	u64 ns = 0;

	for (u64 i = 0; i < calls.nr; i++)
		ns += calls.ns[i];
	return ns;
}

u64 rom_call_idle(struct option_rom *rom)
{
	u64 ns = 0;

	option_rom_begin(rom);
	option_rom_enable(rom);
	option_rom_disable(rom);
	must(rom);
	for (int k = 0; k < ROM_CALLS; k++)
		ns += sum(option_rom_calls(rom, k));
	return ns;
}
