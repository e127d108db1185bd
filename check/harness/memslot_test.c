/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memslots at their limits, seen from the guest: add, move, delete, flags, a
 * thousand at once, one at the end of the guest's physical addresses. A slot
 * that is not there makes the guest's access an exit, which is how its absence
 * is proven. Prints TAP.
 */
#include <guest/guest.h>

#define PAGE 4096

#ifdef KVMETER_GUEST

GUEST_FUNCTION(guest_store)
{
	*(volatile u64 *)cpu->private = cpu->scratch;
}

GUEST_FUNCTION(guest_load)
{
	cpu->scratch = *(volatile u64 *)cpu->private;
}

#else

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "dirty.h"
#include "memslot.h"
#include "mode.h"
#include "util.h"
#include "vcpu.h"

#define MANY 1000
#define WINDOW MIB(16) /* of guest memory at each of the places */

/* Guest physical addresses and where the guest maps them. */
enum place { HERE, THERE, HIGH, PLACES };

static struct {
	unsigned int nr, failed;
	bool inject; /* leave out what the checks then must miss */
	struct vm *vm;
	u64 gpa[PLACES], gva[PLACES];
	u8 *host; /* WINDOW bytes */
} t;

static __printf(2, 3) void result(bool ok, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("%sok %u - ", ok ? "" : "not ", ++t.nr);
	vprintf(fmt, args);
	putchar('\n');
	va_end(args);
	t.failed += !ok;
}

static void create_vm(void)
{
	t.vm = vm_create(&(struct vm_config){
		.mode = mode_find(NULL),
		.nr_vcpus = 1,
		.image = embedded_image,
		.image_bytes = embedded_image_end - embedded_image,
	});
	t.host = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t.host == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	t.gpa[HERE] = GIB(16);
	t.gpa[THERE] = GIB(32);
	t.gpa[HIGH] = BIT(t.vm->pa_bits) - WINDOW;
	for (int i = 0; i < PLACES; i++) {
		t.gva[i] = TIB(1) + i * GIB(1);
		vm_map(t.vm, t.gva[i], t.gpa[i], WINDOW, PAGE);
	}
	vm_start(t.vm);
	vcpu_run(&t.vm->vcpus[0]);
}

/*
 * Accesses @place + @offset. True if it came through; else the guest left for
 * that address, and is brought back to its idle loop.
 */
static bool access_at(const char *function, enum place place, u64 offset)
{
	struct vcpu *vcpu = &t.vm->vcpus[0];
	enum vcpu_stop stop;

	vcpu->area->function = vm_function(t.vm, function);
	vcpu->area->private = t.gva[place] + offset;
	stop = vcpu_run(vcpu);
	if (stop == STOP_IDLE)
		return true;
	if (stop != STOP_EXIT || vcpu->run->exit_reason != KVM_EXIT_MMIO ||
	    vcpu->run->mmio.phys_addr != t.gpa[place] + offset)
		die("%s", vcpu_report(vcpu, stop, errno));
	if (vcpu_run(vcpu) != STOP_IDLE)
		die("no way back from the exit");
	return false;
}

static bool store(enum place place, u64 offset, u64 value)
{
	t.vm->vcpus[0].area->scratch = value;
	return access_at("guest_store", place, offset);
}

static bool load(enum place place, u64 offset, u64 *value)
{
	bool through = access_at("guest_load", place, offset);

	*value = t.vm->vcpus[0].area->scratch;
	return through;
}

static u64 *host_word(u64 offset)
{
	return (u64 *)(t.host + offset);
}

static struct memslot_config at(enum place place, u64 offset, u64 bytes)
{
	return (struct memslot_config){
		.gpa = t.gpa[place] + offset,
		.bytes = bytes,
		.hva = t.host + offset,
	};
}

static void check_add_delete(void)
{
	struct memslot_config cfg = at(HERE, 0, WINDOW);
	struct memslot slot, other;

	result(!store(HERE, 0, 1), "no slot: a store leaves the guest");
	memslot_add(&slot, t.vm, &cfg);
	result(store(HERE, PAGE, 2) && *host_word(PAGE) == 2,
	       "added: a store reaches host memory");
	result(__memslot_add(&other, t.vm, &cfg) == -EEXIST,
	       "a second slot there is refused with EEXIST");
	cfg.bytes = PAGE + 1;
	result(__memslot_add(&other, t.vm, &cfg) == -EINVAL,
	       "a slot of %u bytes is refused with EINVAL", PAGE + 1);
	result(store(HERE, PAGE, 3) && *host_word(PAGE) == 3,
	       "the first slot is as before");
	if (!t.inject)
		memslot_delete(&slot);
	result(!store(HERE, PAGE, 4) && *host_word(PAGE) == 3,
	       "deleted: a store leaves the guest");
}

static void check_move(void)
{
	struct memslot_config cfg = at(HERE, 0, WINDOW);
	struct memslot slot;
	u64 found;

	memslot_add(&slot, t.vm, &cfg);
	store(HERE, 0, 5);
	memslot_move(&slot, t.gpa[THERE]);
	result(!store(HERE, 0, 6), "moved: nothing at the old address");
	result(load(THERE, 0, &found) && found == 5,
	       "moved: the same memory at the new one");
	result(slot.gpa == t.gpa[THERE], "moved: the slot knows");
	memslot_delete(&slot);
}

static void check_flags(void)
{
	struct memslot_config cfg = at(HERE, 0, WINDOW);
	u64 bitmap[WINDOW / PAGE / 64], found;
	struct memslot slot;

	memslot_add(&slot, t.vm, &cfg);
	store(HERE, 0, 7);
	memslot_log_dirty(&slot, DIRTY_LOG_ON);
	store(HERE, 3 * PAGE, 8);
	store(HERE, 70 * PAGE, 9);
	memslot_get_dirty(&slot, bitmap);
	result(bitmap[0] == BIT(3) && bitmap[1] == BIT(70 - 64) &&
		       bitmap_count(bitmap, ARRAY_SIZE(bitmap)) == 2,
	       "logging: the two pages written, and no other");
	memslot_log_dirty(&slot, DIRTY_LOG_OFF);
	result(slot.flags == 0, "logging off: the slot knows");
	memslot_delete(&slot);
	if (!kvm_has(t.vm->fd, KVM_CAP_READONLY_MEM)) {
		result(true, "read-only # SKIP no KVM_CAP_READONLY_MEM");
		return;
	}
	cfg.flags = KVM_MEM_READONLY;
	memslot_add(&slot, t.vm, &cfg);
	result(load(HERE, 0, &found) && found == 7, "read-only: a load works");
	result(!store(HERE, 0, 10) && *host_word(0) == 7,
	       "read-only: a store leaves the guest");
	memslot_delete(&slot);
}

static void check_high(void)
{
	struct memslot_config cfg = at(HIGH, 0, WINDOW);
	struct memslot slot;
	int error = __memslot_add(&slot, t.vm, &cfg);

	if (error) {
		result(true, "the last %u bits # SKIP %s", t.vm->pa_bits,
		       strerror(-error));
		return;
	}
	result(store(HIGH, WINDOW - PAGE, 11) &&
		       *host_word(WINDOW - PAGE) == 11,
	       "the last page of %u physical address bits", t.vm->pa_bits);
	memslot_delete(&slot);
}

/* A slot for every second page; the pages between them are holes. */
static void check_many(void)
{
	static struct memslot slot[MANY];
	unsigned int stored = 0, holes = 0, deleted = 0, kept = 0;

	for (u64 i = 0; i < MANY; i++) {
		struct memslot_config cfg = at(HERE, 2 * i * PAGE, PAGE);

		memslot_add(&slot[i], t.vm, &cfg);
	}
	for (u64 i = 0; i < MANY; i++) {
		u64 offset = 2 * i * PAGE;

		stored += store(HERE, offset, 1000 + i) &&
			  *host_word(offset) == 1000 + i;
		holes += !store(HERE, offset + PAGE, 1);
	}
	result(stored == MANY, "%u of %u slots at once", stored, MANY);
	result(holes == MANY, "%u of %u holes between them", holes, MANY);
	for (u64 i = 0; i < MANY; i += 2)
		memslot_delete(&slot[i]);
	for (u64 i = 0; i < MANY; i += 2) {
		deleted += !store(HERE, 2 * i * PAGE, 1);
		kept += store(HERE, 2 * (i + 1) * PAGE, 1);
	}
	result(deleted == MANY / 2 && kept == MANY / 2,
	       "every second one deleted: %u gone, %u there", deleted, kept);
	for (u64 i = 1; i < MANY; i += 2)
		memslot_delete(&slot[i]);
}

/* Numbers come back: from deleted slots, and from those that KVM refused. */
static void check_numbers(void)
{
	struct memslot_config here = at(HERE, 0, PAGE),
			      there = at(THERE, 0, PAGE);
	struct memslot a, b, c;

	memslot_add(&a, t.vm, &here);
	memslot_add(&b, t.vm, &there);
	result(a.id == 1 && b.id == 2, "the first numbers are 1 and 2");
	result(__memslot_add(&c, t.vm, &there) == -EEXIST &&
		       c.id == MEMSLOT_NO_ID,
	       "a refused slot has no number");
	memslot_delete(&a);
	result(a.id == MEMSLOT_NO_ID, "neither has a deleted one");
	result(__memslot_delete(&a) == -EINVAL &&
		       __memslot_set_flags(&a, 0) == -EINVAL,
	       "a deleted slot cannot be deleted again, nor changed");
	memslot_add(&a, t.vm, &here);
	result(a.id == 1, "a deleted slot's number is given out again");
	memslot_delete(&b);
	memslot_delete(&a);
}

/* One after the other, more slots than there are numbers. */
static void check_turnover(void)
{
	struct memslot_config here = at(HERE, 0, PAGE);
	unsigned int nr = memslot_limit(t.vm) + 8, same = 0;
	struct memslot slot;

	for (unsigned int i = 0; i < nr; i++) {
		memslot_add(&slot, t.vm, &here);
		same += slot.id == 1;
		memslot_delete(&slot);
	}
	result(same == nr, "%u of %u slots in turn have one number", same, nr);
}

/* All that there are, on one page of the host, and one more. */
static void check_all(void)
{
	unsigned int nr = memslot_limit(t.vm) - 1, added;
	struct memslot *slot = xcalloc(nr, sizeof(*slot)), more;
	struct memslot_config cfg = at(HERE, 0, PAGE);

	for (added = 0; added < nr; added++) {
		cfg.gpa = t.gpa[HERE] + (u64)added * PAGE;
		if (__memslot_add(&slot[added], t.vm, &cfg))
			break;
	}
	result(added == nr, "%u of %u slots, all that there are", added, nr);
	cfg.gpa += PAGE;
	result(__memslot_add(&more, t.vm, &cfg) == -ENOSPC,
	       "one more is refused with ENOSPC");
	while (added)
		memslot_delete(&slot[--added]);
	free(slot);
}

/* An argument breaks a deletion, to see that it is noticed. */
int main(int argc, char **argv)
{
	(void)argv;
	t.inject = argc > 1;
	create_vm();
	result(memslot_limit(t.vm) >= MANY, "KVM has %u slots",
	       memslot_limit(t.vm));
	check_add_delete();
	if (t.inject)
		goto out;
	check_move();
	check_flags();
	check_high();
	check_many();
	check_numbers();
	check_turnover();
	check_all();
out:
	munmap(t.host, WINDOW);
	vm_free(t.vm);
	printf("1..%u\n", t.nr);
	return t.failed ? EXIT_FAIL : EXIT_PASS;
}

#endif
