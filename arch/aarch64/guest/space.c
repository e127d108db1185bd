/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces: Arm ARM D8.13 (TLB maintenance), D8.14.1 (break before make).
 *
 * Pages of the window are not global. A space has ASID 1 on every vCPU, so that
 * what is left of the one before it would be found at once, unless
 * INVALIDATE_SWITCH gives it a fresh one each time.
 */
#include <guest/space.h>
#include <guest_tables.h>

#define ASID_SHIFT 48 /* in TTBR0_EL1 and in the operand of TLBI */
#define ASID_FIXED 1
#define ASID_LAST 255 /* TCR_EL1.AS is 0: 8 bits */

#define ESR_CLASS(esr) ((esr) >> 26 & 0x3f)
#define CLASS_DATA_ABORT 0x25		 /* from the same exception level */
#define ESR_FAULT_KIND(esr) ((esr)&0x3c) /* without the level */
#define FAULT_TRANSLATION 0x04
#define FAULT_PERMISSION 0x0c
#define ESR_WRITE BIT(6)

#define tlbi(operation, operand) \
	__asm__ volatile("tlbi " #operation ", %0" : : "r"(operand) : "memory")

static void complete(void)
{
	__asm__ volatile("dsb nsh\n\tisb" : : : "memory");
}

static void complete_on_all(void)
{
	__asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

static u64 operand_of(u64 asid, u64 gva)
{
	return asid << ASID_SHIFT | (gva >> 12 & (BIT(44) - 1));
}

static u64 read_ttbr0(void)
{
	u64 ttbr0;

	__asm__ volatile("mrs %0, ttbr0_el1" : "=r"(ttbr0));
	return ttbr0;
}

static void write_ttbr0(u64 gpa, u64 asid)
{
	__asm__ volatile("msr ttbr0_el1, %0\n\tisb"
			 :
			 : "r"(gpa | asid << ASID_SHIFT)
			 : "memory");
}

/*
 * The old ASID is out of use before all translations are dropped, or some could
 * come back under it.
 */
static void enter_with_fresh_asid(struct space *space, u64 gpa)
{
	struct guest_spaces *all = space->spaces;
	bool again = all->asid == ASID_LAST;

	all->asid = again ? 1 : all->asid + 1;
	space->asid = all->asid;
	write_ttbr0(gpa, space->asid);
	if (!again)
		return;
	__asm__ volatile("tlbi vmalle1" : : : "memory");
	complete();
}

u64 space_enter(u64 arg)
{
	struct space *space = (struct space *)arg;
	const struct guest_spaces *all = space->spaces;
	u64 gpa = (u64)space->table[all->levels - 1] - all->tables_offset;

	space_order_stores();
	if (all->invalidation == INVALIDATE_SWITCH) {
		enter_with_fresh_asid(space, gpa);
		return 0;
	}
	space->asid = ASID_FIXED;
	write_ttbr0(gpa, ASID_FIXED);
	return 0;
}

u64 space_leave(u64 arg)
{
	const struct guest_spaces *all = ((struct space *)arg)->spaces;

	write_ttbr0(all->host_root - all->tables_offset, 0);
	return 0;
}

/* Those of a space that this vCPU is not in are of an ASID out of use. */
static void switch_asid(struct space *space)
{
	u64 ttbr0 = read_ttbr0();

	if (ttbr0 >> ASID_SHIFT)
		enter_with_fresh_asid(space, ttbr0 & (BIT(ASID_SHIFT) - 1));
}

u64 space_invalidate(u64 arg)
{
	struct space *space = (struct space *)arg;
	u64 operand = operand_of(ASID_FIXED, space->dropped);

	switch (space->spaces->invalidation) {
	case INVALIDATE_PAGE:
		tlbi(vae1, operand);
		complete();
		break;
	case INVALIDATE_ASID:
		tlbi(aside1, operand_of(ASID_FIXED, 0));
		complete();
		break;
	case INVALIDATE_SWITCH:
		switch_asid(space);
		break;
	case INVALIDATE_BROADCAST:
		if (space->spaces->local)
			tlbi(vae1, operand);
		else
			tlbi(vae1is, operand);
		complete_on_all();
		break;
	}
	return 0;
}

/* Shared pages stay where they are, but the tables on the way to them do not.
 */
void space_forget(struct space *space, u32 pages)
{
	const struct guest_spaces *all = space->spaces;
	u64 shared = operand_of(ASID_FIXED, space_shared_page(all, 0));

	switch (all->invalidation) {
	case INVALIDATE_PAGE:
		for (u32 i = 0; i < pages; i++)
			tlbi(vae1, operand_of(ASID_FIXED, space_page(all, i)));
		tlbi(vae1, shared);
		complete();
		break;
	case INVALIDATE_ASID:
		tlbi(aside1, operand_of(ASID_FIXED, 0));
		complete();
		break;
	case INVALIDATE_BROADCAST:
		for (u32 i = 0; i < pages; i++)
			tlbi(vae1is,
			     operand_of(ASID_FIXED, space_page(all, i)));
		tlbi(vae1is, shared);
		complete_on_all();
		break;
	}
}

bool space_broadcasts(void)
{
	return true;
}

bool space_breaks_before_make(void)
{
	return true;
}

static bool is_fault(const struct guest_trap *trap, u64 kind)
{
	return ESR_CLASS(trap->syndrome) == CLASS_DATA_ABORT &&
	       ESR_FAULT_KIND(trap->syndrome) == kind;
}

bool space_trap_is_protection(const struct guest_trap *trap)
{
	return is_fault(trap, FAULT_PERMISSION) && (trap->syndrome & ESR_WRITE);
}

bool space_trap_is_unmapped(const struct guest_trap *trap)
{
	return is_fault(trap, FAULT_TRANSLATION);
}

/*
 * stp x29, x30, [sp, #-16]!; ldr x0, 1f; ldp x29, x30, [sp], #16; ret; 1: value
 *
 * The data cache gives it to where instructions come from (Arm ARM B2.7.4).
 */
void space_write_code(u64 at, u64 value)
{
	static const u32 code[] = { 0xa9bf7bfd, 0x58000060, 0xa8c17bfd,
				    0xd65f03c0 };
	volatile u32 *to = (u32 *)at;

	for (u32 i = 0; i < ARRAY_SIZE(code); i++)
		to[i] = code[i];
	*(volatile u64 *)&to[ARRAY_SIZE(code)] = value;
	for (u32 i = 0; i <= sizeof(code); i += sizeof(value))
		__asm__ volatile("dc cvau, %0" : : "r"(at + i) : "memory");
	__asm__ volatile("dsb ish\n\tic iallu\n\tdsb nsh\n\tisb"
			 :
			 :
			 : "memory");
}

u64 space_run_code(u64 at, u64 stack)
{
	register u64 value __asm__("x0");

	__asm__ volatile("mov x19, sp\n\t"
			 "mov sp, %2\n\t"
			 "blr %1\n\t"
			 "mov sp, x19"
			 : "=&r"(value)
			 : "r"(at), "r"(stack)
			 : "x19", "x30", "memory");
	return value;
}

/* Control memory lies below 48 bits. */
u64 space_table_entry(u64 gpa)
{
	return gpa | DESCRIPTOR_VALID | DESCRIPTOR_TABLE;
}

u64 space_page_entry(const struct guest_spaces *all, u64 gpa,
		     enum space_page how)
{
	struct table_format format = { all->page_bytes, all->port };
	u64 entry = descriptor_leaf(format, gpa,
				    how == SPACE_DEVICE ? MEMORY_DEVICE :
							  MEMORY_NORMAL);

	if (how == SPACE_READ_ONLY)
		entry |= DESCRIPTOR_READ_ONLY;
	return entry | DESCRIPTOR_TABLE | DESCRIPTOR_NOT_GLOBAL;
}

void space_order_stores(void)
{
	__asm__ volatile("dsb ishst\n\tisb" : : : "memory");
}
