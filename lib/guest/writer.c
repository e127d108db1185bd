/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/access.h>
#include <guest/writer.h>

static void fill_page(u64 gva, u64 bytes, u64 word)
{
	volatile u64 *at = (u64 *)gva, *end = (u64 *)(gva + bytes);

	while (at != end)
		*at++ = word;
}

static void fill_timed(struct guest_cpu *cpu, u64 gva, u64 bytes, u64 word)
{
	u64 from;

	if (!cpu->stalls.every || --cpu->stalls.left) {
		fill_page(gva, bytes, word);
		return;
	}
	cpu->stalls.left = cpu->stalls.every;
	from = arch_counter();
	fill_page(gva, bytes, word);
	stall_add(cpu, from);
}

static bool reads(const struct guest_writer *w)
{
	return w->rom.words != 0;
}

static void write_pass(struct guest_cpu *cpu, struct guest_writer *w, u64 pass)
{
	for (u64 i = 0; i < w->pages; i++) {
		if (i % WRITER_TURN_PAGES == 0 && reads(w))
			guest_rom_turn(cpu, &w->rom);
		fill_timed(cpu, w->base + i * w->page_bytes, w->page_bytes,
			   writer_word(pass, w->first + i));
		WRITE_ONCE(cpu->writes, cpu->writes + 1);
	}
	WRITE_ONCE(cpu->passes, pass);
}

static bool all_done(const struct guest_cpu *cpu)
{
	const struct guest_writer *first = guest_writer(cpu) - cpu->index;

	for (u32 i = 0; i < cpu->nr_cpus; i++)
		if (!READ_ONCE(first[i].done))
			return false;
	return true;
}

void guest_write_share(struct guest_cpu *cpu)
{
	struct guest_writer *w = guest_writer(cpu);
	u64 from;

	guest_rom_begin(&w->rom);
	for (u64 pass = 1; pass <= w->passes; pass++)
		write_pass(cpu, w, pass);
	WRITE_ONCE(w->done, 1);
	from = arch_counter();
	while (reads(w) && !all_done(cpu)) {
		guest_rom_turn(cpu, &w->rom);
		arch_pause();
	}
	w->overtime = arch_counter() - from;
}
