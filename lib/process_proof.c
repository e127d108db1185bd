/* SPDX-License-Identifier: GPL-2.0-only */
#include "process_proof.h"

/* Of all vCPUs. */
struct total {
	u64 done, touched, cow_faults, moved, read_moved, watched;
	u64 reads, writes; /* exits */
};

static struct total total_of(const struct processes *p)
{
	struct total t = { 0 };

	for (u32 i = 0; i < p->run->nr_vcpus; i++) {
		const struct guest_process *of = &p->of[i];

		t.done += of->done;
		t.touched += of->touched;
		t.cow_faults += of->cow_faults;
		t.moved += of->moved;
		t.read_moved += of->read_moved;
		t.watched += of->watched;
		t.reads += p->registers[i].reads;
		t.writes += p->registers[i].writes;
	}
	return t;
}

/* Added to what is planned. */
static u64 wrong_count(const struct processes *p)
{
	return p->inject == PROCESS_INJECT_WRONG_COUNT;
}

void process_proof_check_pages(const struct processes *p, int id, u64 done)
{
	struct total t = total_of(p);
	u64 pages = done * p->of->pages + wrong_count(p);

	check(p->run, id, t.done == done && t.touched == pages,
	      "%llu of %llu in %llu processes", (unsigned long long)t.touched,
	      (unsigned long long)pages, (unsigned long long)t.done);
}

void process_proof_check_copies(const struct processes *p, int id, u64 done)
{
	u64 found = total_of(p).cow_faults;
	u64 planned = done * processes_cow_pages(p) + wrong_count(p);

	if (processes_cow_pages(p))
		check(p->run, id, found == planned,
		      "%llu of %llu, originals unchanged",
		      (unsigned long long)found, (unsigned long long)planned);
	else
		check_not_applicable(p->run, id, "no page is copied on write");
}

void process_proof_check_moves(const struct processes *p, int id, u64 done)
{
	u64 vcpus = p->run->nr_vcpus;
	u64 watched_moves = p->of->watched_moves * vcpus;
	u64 moved = done - vcpus + watched_moves + wrong_count(p);
	u64 watched = watched_moves * (vcpus - 1);
	struct total t = total_of(p);

	check(p->run, id, t.moved == moved && t.watched == watched,
	      "%llu of %llu pages moved, %llu of %llu seen by vCPUs that "
	      "waited for it, %llu in passing",
	      (unsigned long long)t.moved, (unsigned long long)moved,
	      (unsigned long long)t.watched, (unsigned long long)watched,
	      (unsigned long long)t.read_moved);
}

static u64 wrong_registers(const struct processes *p)
{
	u32 first = p->of->first_mmio;
	u64 wrong = 0;

	if (p->inject == PROCESS_INJECT_WRONG_CONTENT)
		p->registers[0].value[0]++;
	for (u32 i = 0; i < p->run->nr_vcpus; i++)
		for (u32 k = 0; k < p->registers[i].nr; k++)
			wrong += p->registers[i].value[k] !=
				 signature_of(i, p->of[i].done, first + k);
	return wrong;
}

void process_proof_check_registers(const struct processes *p, int id, u64 done)
{
	u64 planned = done * processes_mmio_pages(p) + wrong_count(p);
	struct total t = total_of(p);
	u64 wrong;

	if (!processes_mmio_pages(p)) {
		check_not_applicable(p->run, id, "no page of registers");
		return;
	}
	wrong = wrong_registers(p);
	check(p->run, id, t.reads == planned && t.writes == planned && !wrong,
	      "%llu reads and %llu writes of %llu, %llu registers wrong",
	      (unsigned long long)t.reads, (unsigned long long)t.writes,
	      (unsigned long long)planned, (unsigned long long)wrong);
}

void process_proof_check_device(const struct processes *p, int id)
{
	u32 first = p->of->first_device, nr = processes_device_pages(p);
	u64 right = 0;

	if (!nr) {
		check_not_applicable(p->run, id, "no page of its memory");
		return;
	}
	if (p->inject == PROCESS_INJECT_WRONG_CONTENT)
		++*processes_device_page(p, 0, 0);
	for (u32 i = 0; i < p->run->nr_vcpus; i++)
		for (u32 k = 0; k < nr; k++)
			right += *processes_device_page(p, i, k) ==
				 signature_of(i, p->of[i].done, first + k);
	check(p->run, id, right == nr * p->run->nr_vcpus,
	      "%llu of %llu pages hold what was written last",
	      (unsigned long long)right,
	      (unsigned long long)nr * p->run->nr_vcpus);
}
