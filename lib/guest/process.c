/* SPDX-License-Identifier: GPL-2.0-only */
#include <guest/process.h>

#define SHARED_PAGE 0xffff /* in signatures: no process has so many */

static struct guest_spaces *spaces_of(const struct guest_process *p)
{
	return (struct guest_spaces *)p->spaces;
}

static struct space *space_of(const struct guest_process *p)
{
	return (struct space *)p->space;
}

/* Where the host has mapped the frame that page @page is in. */
static u64 *memory_of(const struct guest_process *p, u32 page)
{
	return frame_memory(&p->frames, ((u64 *)p->frame)[page]);
}

/* What the current process is to write. */
static u64 own_signature(const struct guest_process *p, u32 page)
{
	return signature_of(p->vcpu, p->done + 1, page);
}

/* What it finds before it has written. */
static u64 first_signature(const struct guest_process *p, u32 page)
{
	if (page < p->first_cow)
		return own_signature(p, page);
	/* a device still has what the process before has written */
	return signature_of(p->vcpu, page < p->first_device ? 0 : p->done,
			    page);
}

static void expect(const struct guest_process *p, u64 page, u64 seen,
		   u64 expected)
{
	guest_assert_that(seen == expected,
			  "process %lu, page %lu: expected %#lx, seen %#lx",
			  p->done + 1, page, expected, seen);
}

static u64 original_gpa(const struct guest_process *p, u32 page)
{
	return p->originals_gpa +
	       (page - p->first_cow) * spaces_of(p)->page_bytes;
}

static u64 shared_gpa(const struct guest_process *p, u64 moved)
{
	return p->shared_gpa + moved % 2 * spaces_of(p)->page_bytes;
}

/* As if page and process had been moved to where they are for the @moved'th
 * time. */
static u64 shared_signature(u64 vcpu, u64 moved)
{
	return signature_of(vcpu, moved, SHARED_PAGE);
}

void process_populate(struct guest_cpu *cpu)
{
	struct guest_process *p = (struct guest_process *)cpu->private;

	for (u32 i = 0; i < p->frames.nr; i++) {
		frame_memory(&p->frames, ((u64 *)p->frames.ring)[i])[0] = 0;
		WRITE_ONCE(cpu->writes, cpu->writes + 1);
	}
	for (u32 i = p->first_cow; i < p->first_device; i++)
		frame_memory(&p->frames, original_gpa(p, i))[0] =
			signature_of(p->vcpu, 0, i);
	frame_memory(&p->frames, shared_gpa(p, 0))[0] =
		shared_signature(p->vcpu, 0);
	space_map_shared(spaces_of(p), p->vcpu, shared_gpa(p, 0));
}

static void copy_on_write(struct guest_process *p, u32 page)
{
	u64 *frame = (u64 *)p->frame, gpa = frame_take(&p->frames);

	guest_assert_that(frame[page] == original_gpa(p, page),
			  "process %lu, page %lu: is copied, and cannot be "
			  "written by a stale translation",
			  p->done + 1, (u64)page);
	arch_copy_words(frame_memory(&p->frames, gpa), memory_of(p, page),
			spaces_of(p)->page_bytes / sizeof(u64));
	frame[page] = gpa;
	p->cow_faults++;
	space_remap(space_of(p), page, gpa);
}

static bool handle_fault(struct guest_cpu *cpu, struct guest_trap *trap)
{
	struct guest_process *p = (struct guest_process *)cpu->private;
	u64 page = (trap->address - spaces_of(p)->window) /
		   spaces_of(p)->page_bytes;

	if (space_trap_is_protection(trap) && page >= p->first_cow &&
	    page < p->first_device) {
		copy_on_write(p, page);
		return true;
	}
	/* another vCPU moves its shared page and may wait for this one */
	if (!space_trap_is_unmapped(trap) ||
	    page - spaces_of(p)->page_bytes / sizeof(u64) >= cpu->nr_cpus)
		return false;
	space_wait(space_of(p));
	return true;
}

struct guest_process *process_begin(struct guest_cpu *cpu, struct space *space)
{
	struct guest_process *p = (struct guest_process *)cpu->private;

	/* what space_serve() asks for, before the first one is made */
	space->spaces = spaces_of(p);
	space->asid = 0;
	p->space = (u64)space;
	cpu->trap_handler = (u64)handle_fault;
	return p;
}

void process_end(struct guest_cpu *cpu)
{
	struct guest_process *p = (struct guest_process *)cpu->private;

	space_serve_all(space_of(p));
	cpu->trap_handler = 0;
}

static u64 first_gpa(struct guest_process *p, u32 page)
{
	u64 bytes = spaces_of(p)->page_bytes;

	if (page < p->first_cow)
		return frame_take(&p->frames);
	if (page < p->first_device)
		return original_gpa(p, page);
	if (page < p->first_mmio)
		return p->device_gpa + (page - p->first_device) * bytes;
	return p->mmio_gpa + (page - p->first_mmio) * bytes;
}

void process_fill_pages(struct guest_process *p)
{
	for (u32 i = 0; i < p->pages; i++)
		((u64 *)p->frame)[i] = first_gpa(p, i);
	space_write_code((u64)memory_of(p, 0), first_signature(p, 0));
	for (u32 i = 1; i < p->first_cow; i++) {
		memory_of(p, i)[0] = first_signature(p, i) + p->wrong;
		memory_of(p, i)[1] = 0;
	}
}

u64 process_create(u64 process)
{
	struct guest_process *p = (struct guest_process *)process;
	const u64 *frame = (const u64 *)p->frame;
	struct space *space = space_of(p);
	u32 i = 0;

	space_create(space, spaces_of(p));
	for (; i < p->first_cow; i++)
		space_map(space, i, frame[i], SPACE_WRITABLE);
	for (; i < p->first_device; i++)
		space_map(space, i, frame[i], SPACE_READ_ONLY);
	for (; i < p->first_mmio; i++)
		space_map(space, i, frame[i], SPACE_WRITABLE);
	for (; i < p->pages; i++)
		space_map(space, i, frame[i], SPACE_DEVICE);
	return space_enter(p->space);
}

/* It may have been moved again meanwhile, but not back. Was it, by another? */
static bool read_shared_page(struct guest_process *p, u32 vcpu)
{
	u64 moved = __atomic_load_n((const u64 *)p->published +
					    vcpu * PUBLISHED_WORDS,
				    __ATOMIC_ACQUIRE);
	u64 seen =
		READ_ONCE(*(const u64 *)space_shared_page(spaces_of(p), vcpu));

	guest_assert_that(seen >= shared_signature(vcpu, moved) &&
				  seen < shared_signature(vcpu + 1, 0),
			  "process %lu, page of vCPU %lu that was moved %lu "
			  "times: seen %#lx by a stale translation",
			  p->done + 1, (u64)vcpu, moved, seen);
	return vcpu != p->vcpu && moved;
}

void process_use_pages(struct guest_process *p)
{
	const struct guest_spaces *all = spaces_of(p);
	u32 nr_cpus = guest_cpu()->nr_cpus;

	/* its stack ends with page 1 */
	expect(p, 0, space_run_code(space_page(all, 0), space_page(all, 2)),
	       first_signature(p, 0));
	for (u32 i = 1; i < p->pages; i++) {
		volatile u64 *word = (u64 *)space_page(all, i);

		expect(p, i, word[0], first_signature(p, i));
		if (i < p->first_device) {
			word[1] = own_signature(p, i);
			expect(p, i, word[0], first_signature(p, i));
			expect(p, i, word[1], own_signature(p, i));
		} else {
			word[0] = own_signature(p, i);
		}
		space_serve(space_of(p));
		p->read_moved += read_shared_page(p, i % nr_cpus);
	}
	p->touched += p->pages;
}

/* Of this vCPU, which alone moves it. */
static void expect_shared(const struct guest_process *p, u64 seen)
{
	u64 expected = shared_signature(p->vcpu, p->moved);

	guest_assert_that(seen == expected,
			  "process %lu, shared page: expected %#lx, seen %#lx",
			  p->done + 1, expected, seen);
}

void process_move_shared_page(struct guest_process *p)
{
	u64 gpa = shared_gpa(p, p->moved + 1);
	volatile u64 *word = (u64 *)space_shared_page(spaces_of(p), p->vcpu);

	frame_memory(&p->frames, gpa)[0] =
		shared_signature(p->vcpu, p->moved + 1);
	/* so that there is a translation to drop */
	expect_shared(p, *word);
	space_remap_shared(space_of(p), p->vcpu, gpa);
	p->moved++;
	expect_shared(p, *word);
	__atomic_store_n((u64 *)p->published + p->vcpu * PUBLISHED_WORDS,
			 p->moved, __ATOMIC_RELEASE);
}

/* The number of the last move that @vcpu waits for, beside those it has made.
 */
static u64 *watching_of(const struct guest_process *p, u32 vcpu)
{
	return (u64 *)p->published + vcpu * PUBLISHED_WORDS + 1;
}

/* Reads the page, so that its translation is known, until it is moved. */
static void watch_move(struct guest_process *p, u32 mover, u64 number)
{
	const u64 *moved = (const u64 *)p->published + mover * PUBLISHED_WORDS;
	u64 before = __atomic_load_n(moved, __ATOMIC_ACQUIRE);

	read_shared_page(p, mover);
	__atomic_store_n(watching_of(p, p->vcpu), number, __ATOMIC_RELEASE);
	while (__atomic_load_n(moved, __ATOMIC_ACQUIRE) == before) {
		space_wait(space_of(p));
		read_shared_page(p, mover);
	}
	read_shared_page(p, mover);
	p->watched++;
}

static void move_watched(struct guest_process *p, u32 nr_cpus, u64 number)
{
	for (u32 i = 0; i < nr_cpus; i++) {
		while (i != p->vcpu &&
		       __atomic_load_n(watching_of(p, i), __ATOMIC_ACQUIRE) <
			       number) {
			space_serve(space_of(p));
			arch_pause();
		}
	}
	process_move_shared_page(p);
}

void process_watch_moves(struct guest_process *p)
{
	u32 nr_cpus = guest_cpu()->nr_cpus;

	for (u32 i = 0; i < p->watched_moves * nr_cpus; i++) {
		if (i % nr_cpus == p->vcpu)
			move_watched(p, nr_cpus, i + 1);
		else
			watch_move(p, i % nr_cpus, i + 1);
	}
}

u64 process_exit(u64 process)
{
	struct guest_process *p = (struct guest_process *)process;
	struct space *space = space_of(p);

	space_leave(p->space);
	space_forget(space, p->pages);
	space_free(space, p->pages);
	return 0;
}

void process_check_pages(struct guest_process *p)
{
	for (u32 i = 1; i < p->first_device; i++)
		expect(p, i, memory_of(p, i)[1], own_signature(p, i));
	for (u32 i = p->first_cow; i < p->first_device; i++) {
		const u64 *original =
			frame_memory(&p->frames, original_gpa(p, i));

		expect(p, i, original[0], signature_of(p->vcpu, 0, i));
		expect(p, i, original[1], 0);
	}
	for (u32 i = 0; i < p->first_device; i++)
		frame_give(&p->frames, ((u64 *)p->frame)[i]);
	p->done++;
}
