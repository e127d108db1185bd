/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "memslot.h"
#include "mmio.h"
#include "option_rom.h"
#include "remedy.h"
#include "testmem.h"
#include "util.h"

#define REGISTERS_GPA TEST_DEVICE_GPA
#define HERE_GPA (TEST_DEVICE_GPA + OPTION_ROM_BYTES_MAX)
#define AWAY_GPA (TEST_DEVICE_GPA + 2 * OPTION_ROM_BYTES_MAX)
#define CALLS_ROOM 1024 /* at first */

/* Of one kind. */
struct record {
	u64 *ns;
	u64 nr, room;
};

/* What enabling and disabling does. */
struct op_row {
	void (*enable)(struct option_rom *rom);
	void (*disable)(struct option_rom *rom);
	u64 first_gpa; /* 0: the slot is not there at first */
	bool goes;     /* from where the guest reads it, when disabled */
	bool renewed;  /* KVM lets no other slot change its memory */
};

/*
 * The thread that enables and disables it alone writes: a vCPU's, or the main
 * thread, which reads when no vCPU runs.
 */
struct option_rom {
	struct vm *vm;
	struct option_rom_config cfg;
	const struct op_row *op;
	u8 *mem; /* two generations, so that a stale mapping finds the old one
		  */
	struct memslot slot;
	bool left_behind; /* by cfg.kept */
	u64 generation;
	struct record record[ROM_CALLS];
	struct rom_exits exits;
	int error; /* of the first call that failed, -errno */
	const char *failed;
	char trouble[256];
};

static u8 *content(const struct option_rom *rom)
{
	u64 half = rom->op->renewed ? rom->generation % 2 : 0;

	return rom->mem + half * rom->cfg.bytes;
}

static void fail(struct option_rom *rom, const char *what, int error)
{
	if (rom->error)
		return;
	rom->failed = what;
	rom->error = error;
	/* guests would wait for a ROM that does not come */
	snprintf(rom->trouble, sizeof(rom->trouble), "%s: %s", what,
		 errno_text(-error));
	__atomic_store_n(&rom->vm->trouble, rom->trouble, __ATOMIC_RELEASE);
}

/* Not xrealloc(): a vCPU's thread must not end the process. */
static void add_ns(struct option_rom *rom, enum rom_call call, u64 ns)
{
	struct record *r = &rom->record[call];

	if (r->nr == r->room) {
		u64 room = r->room ? 2 * r->room : CALLS_ROOM;
		u64 *more = realloc(r->ns, room * sizeof(*r->ns));

		if (!more) {
			fail(rom, "room for the times of calls", -ENOMEM);
			return;
		}
		r->ns = more;
		r->room = room;
	}
	r->ns[r->nr++] = ns;
}

static void done(struct option_rom *rom, enum rom_call call, u64 from_ns,
		 int error)
{
	static const char *const what[] = {
		[ROM_CALL_CREATE] =
			"KVM_SET_USER_MEMORY_REGION, creating the slot of the ROM",
		[ROM_CALL_DELETE] =
			"KVM_SET_USER_MEMORY_REGION, deleting the slot of the ROM",
		[ROM_CALL_MOVE] =
			"KVM_SET_USER_MEMORY_REGION, moving the slot of the ROM",
		[ROM_CALL_FLAGS] =
			"KVM_SET_USER_MEMORY_REGION, changing the flags of the slot of the ROM",
	};
	u64 ns = now_ns() - from_ns;

	if (error)
		fail(rom, what[call], error);
	else
		add_ns(rom, call, ns);
}

static struct memslot_config slot_config(const struct option_rom *rom, u64 gpa)
{
	return (struct memslot_config){
		.gpa = gpa,
		.bytes = rom->cfg.bytes,
		.hva = content(rom),
		.flags = rom->cfg.writable ? 0 : KVM_MEM_READONLY,
	};
}

static void create_slot(struct option_rom *rom)
{
	struct memslot_config cfg = slot_config(rom, HERE_GPA);
	u64 from = now_ns();

	done(rom, ROM_CALL_CREATE, from,
	     __memslot_add(&rom->slot, rom->vm, &cfg));
}

static void delete_slot(struct option_rom *rom)
{
	u64 from = now_ns();

	done(rom, ROM_CALL_DELETE, from, __memslot_delete(&rom->slot));
}

static void move_slot(struct option_rom *rom, u64 gpa)
{
	u64 from = now_ns();

	done(rom, ROM_CALL_MOVE, from, __memslot_move(&rom->slot, gpa));
}

static void move_here(struct option_rom *rom)
{
	move_slot(rom, HERE_GPA);
}

static void move_away(struct option_rom *rom)
{
	move_slot(rom, AWAY_GPA);
}

static void set_log(struct option_rom *rom, u32 log)
{
	u32 others = rom->slot.flags & ~KVM_MEM_LOG_DIRTY_PAGES;
	u64 from = now_ns();

	done(rom, ROM_CALL_FLAGS, from,
	     __memslot_set_flags(&rom->slot, others | log));
}

static void log_on(struct option_rom *rom)
{
	set_log(rom, KVM_MEM_LOG_DIRTY_PAGES);
}

static void log_off(struct option_rom *rom)
{
	set_log(rom, 0);
}

static void do_nothing(struct option_rom *rom __maybe_unused)
{
}

static const struct op_row ops[] = {
	[ROM_NONE] = { do_nothing, do_nothing, 0, false, false },
	[ROM_TOGGLE] = { create_slot, delete_slot, 0, true, true },
	[ROM_MOVE] = { move_here, move_away, AWAY_GPA, true, false },
	[ROM_FLAGS] = { log_on, log_off, HERE_GPA, false, false },
};

/* Every @step-th word. */
static void fill(u8 *mem, u64 bytes, u64 generation, u64 step)
{
	u64 *word = (u64 *)(void *)mem;

	for (u64 i = 0; i < bytes / sizeof(u64); i += step)
		word[i] = rom_word(generation, i);
}

static void show(struct option_rom *rom, u64 generation)
{
	__atomic_store_n(&rom->cfg.guest->shown, generation, __ATOMIC_SEQ_CST);
}

void option_rom_enable(struct option_rom *rom)
{
	if (rom->left_behind)
		rom->op->disable(rom);
	rom->left_behind = false;
	rom->generation++;
	/* within what is measured, so only what differs */
	fill(content(rom), rom->cfg.bytes, rom->generation - rom->cfg.stale,
	     ROM_PAGE_WORDS);
	__atomic_store_n(&rom->cfg.guest->newest, rom->generation,
			 __ATOMIC_SEQ_CST);
	rom->op->enable(rom);
	show(rom, rom->generation);
}

void option_rom_disable(struct option_rom *rom)
{
	show(rom, 0);
	if (rom->cfg.kept)
		rom->left_behind = true;
	else
		rom->op->disable(rom);
}

static void access_registers(void *arg, struct mmio_access *access)
{
	if (access->is_write && access->offset == ROM_ENABLE)
		option_rom_enable(arg);
	else if (access->is_write && access->offset == ROM_DISABLE)
		option_rom_disable(arg);
}

/* What no slot backs, or none that can be written. */
static void access_rom(void *arg, struct mmio_access *access)
{
	struct option_rom *rom = arg;

	if (access->is_write)
		rom->exits.stores++;
	else
		rom->exits.loads++;
	access->value = ROM_NOTHING;
}

static void add_range(struct option_rom *rom, u64 gpa, u64 bytes,
		      void (*access)(void *arg, struct mmio_access *access))
{
	mmio_add(rom->vm, &(struct mmio_range){ gpa, bytes, access, rom });
	vm_map(rom->vm, testmem_window(rom->vm, gpa), gpa, bytes,
	       rom->vm->mode->page_bytes);
}

struct option_rom *option_rom_create(struct vm *vm,
				     const struct option_rom_config *cfg)
{
	struct option_rom *rom = xcalloc(1, sizeof(*rom));
	u64 page = testmem_shift(vm->mode);

	rom->vm = vm;
	rom->cfg = *cfg;
	rom->op = &ops[cfg->op];
	rom->mem = mmap(NULL, 2 * cfg->bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (rom->mem == MAP_FAILED)
		die("memory for a ROM: %s", errno_text(errno));
	fill(rom->mem, cfg->bytes, 0, 1);
	fill(rom->mem + cfg->bytes, cfg->bytes, 0, 1);
	add_range(rom, REGISTERS_GPA, page, access_registers);
	add_range(rom, HERE_GPA, cfg->bytes, access_rom);
	add_range(rom, AWAY_GPA, cfg->bytes, access_rom);
	if (rom->op->first_gpa) {
		struct memslot_config slot =
			slot_config(rom, rom->op->first_gpa);

		memslot_add(&rom->slot, vm, &slot);
	}
	return rom;
}

void option_rom_free(struct option_rom *rom)
{
	if (!rom)
		return;
	/* a slot that is not there refuses, which is as well */
	if (rom->slot.vm)
		__memslot_delete(&rom->slot);
	munmap(rom->mem, 2 * rom->cfg.bytes);
	for (unsigned int i = 0; i < ROM_CALLS; i++)
		free(rom->record[i].ns);
	free(rom);
}

struct guest_rom *option_rom_reader(const struct option_rom *rom)
{
	return rom->cfg.guest;
}

bool rom_op_zaps(enum rom_op op)
{
	return ops[op].goes;
}

void option_rom_begin(struct option_rom *rom)
{
	for (unsigned int i = 0; i < ROM_CALLS; i++)
		rom->record[i].nr = 0;
	rom->exits = (struct rom_exits){ 0 };
	*rom->cfg.guest = (struct guest_rom){ 0 };
	if (rom->cfg.op == ROM_NONE)
		return;
	*rom->cfg.guest = (struct guest_rom){
		.gva = testmem_window(rom->vm, HERE_GPA),
		.words = rom->cfg.bytes / sizeof(u64),
		.registers = testmem_window(rom->vm, REGISTERS_GPA),
		.page_bytes = testmem_shift(rom->vm->mode),
		.goes = rom->op->goes,
		.newest = rom->generation,
	};
}

char *option_rom_error(const struct option_rom *rom)
{
	if (!rom->error)
		return NULL;
	return xasprintf("%s: %s", rom->failed, errno_text(-rom->error));
}

void option_rom_require(void)
{
	int kvm_fd = kvm_open();

	if (!kvm_has(kvm_fd, KVM_CAP_READONLY_MEM))
		skip("this KVM has no KVM_CAP_READONLY_MEM, which a ROM needs");
	close(kvm_fd);
}

bool option_rom_valid(const void *member, const char **why)
{
	*why = "not a multiple of the host's base page";
	return *(const u64 *)member % sysconf(_SC_PAGESIZE) == 0;
}

struct rom_calls option_rom_calls(const struct option_rom *rom,
				  enum rom_call call)
{
	return (struct rom_calls){ rom->record[call].ns, rom->record[call].nr };
}

struct rom_exits option_rom_exits(const struct option_rom *rom)
{
	return rom->exits;
}
