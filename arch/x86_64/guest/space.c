/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces: SDM vol. 3, 4.10; APM vol. 2, 5.5.
 *
 * Without PCIDs a load of CR3 drops every translation that is not global, and
 * none is. They are switched on for INVALIDATE_ASID alone: spaces then have
 * PCID 1, and the load of CR3 keeps what INVPCID is to drop.
 */
#include <guest/space.h>
#include <guest_tables.h>

#define CR3_KEEP BIT(63) /* with CR4.PCIDE: keep this PCID's translations */
#define CR4_PCIDE BIT(17)
#define SPACE_PCID 1
#define INVPCID_SINGLE_CONTEXT 1

/* Error code of #PF: SDM vol. 3, 4.7. */
#define VECTOR_PF 14
#define PF_PRESENT BIT(0)
#define PF_WRITE BIT(1)

static bool has_pcid(const struct guest_spaces *all)
{
	return all->invalidation == INVALIDATE_ASID;
}

static u64 read_cr3(void)
{
	u64 cr3;

	__asm__ volatile("mov %%cr3, %0" : "=r"(cr3) : : "memory");
	return cr3;
}

static void write_cr3(u64 cr3)
{
	__asm__ volatile("mov %0, %%cr3" : : "r"(cr3) : "memory");
}

/* PCIDs may be switched on while that of the current space is 0. */
static void enable_pcid(void)
{
	u64 cr4;

	__asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
	if (!(cr4 & CR4_PCIDE))
		__asm__ volatile("mov %0, %%cr4" : : "r"(cr4 | CR4_PCIDE));
}

static void drop_pcid(u64 pcid)
{
	struct {
		u64 pcid, gva;
	} descriptor = { pcid, 0 };

	__asm__ volatile("invpcid %0, %1"
			 :
			 : "m"(descriptor), "r"((u64)INVPCID_SINGLE_CONTEXT)
			 : "memory");
}

static u64 cr3_of(const struct guest_spaces *all, const void *root, u64 pcid)
{
	u64 gpa = (u64)root - all->tables_offset;

	return has_pcid(all) ? gpa | pcid | CR3_KEEP : gpa;
}

u64 space_enter(u64 arg)
{
	struct space *space = (struct space *)arg;
	const struct guest_spaces *all = space->spaces;

	if (has_pcid(all))
		enable_pcid();
	write_cr3(cr3_of(all, space->table[all->levels - 1], SPACE_PCID));
	return 0;
}

u64 space_leave(u64 arg)
{
	const struct guest_spaces *all = ((struct space *)arg)->spaces;

	write_cr3(cr3_of(all, (const void *)all->host_root, 0));
	return 0;
}

u64 space_invalidate(u64 arg)
{
	const struct space *space = (struct space *)arg;

	switch (space->spaces->invalidation) {
	case INVALIDATE_ASID:
		drop_pcid(SPACE_PCID);
		break;
	case INVALIDATE_SWITCH:
		write_cr3(read_cr3());
		break;
	default:
		__asm__ volatile("invlpg (%0)"
				 :
				 : "r"(space->dropped)
				 : "memory");
	}
	return 0;
}

/* Leaving the space has done it where there are no PCIDs. */
void space_forget(struct space *space, u32 pages)
{
	(void)pages;
	if (has_pcid(space->spaces))
		drop_pcid(SPACE_PCID);
}

bool space_broadcasts(void)
{
	return false;
}

bool space_breaks_before_make(void)
{
	return false;
}

bool space_trap_is_protection(const struct guest_trap *trap)
{
	return trap->cause == VECTOR_PF &&
	       (trap->syndrome & (PF_PRESENT | PF_WRITE)) ==
		       (PF_PRESENT | PF_WRITE);
}

bool space_trap_is_unmapped(const struct guest_trap *trap)
{
	return trap->cause == VECTOR_PF && !(trap->syndrome & PF_PRESENT);
}

/* mov $value, %rax; ret */
void space_write_code(u64 at, u64 value)
{
	volatile u8 *code = (u8 *)at;

	*code++ = 0x48;
	*code++ = 0xb8;
	for (u32 i = 0; i < sizeof(value); i++)
		*code++ = value >> 8 * i;
	*code = 0xc3;
}

/* The call leaves its return address on that stack. */
u64 space_run_code(u64 at, u64 stack)
{
	u64 value;

	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov %2, %%rsp\n\t"
			 "call *%1\n\t"
			 "mov %%rbx, %%rsp"
			 : "=&a"(value)
			 : "r"(at), "r"(stack)
			 : "rbx", "memory", "cc");
	return value;
}

u64 space_table_entry(u64 gpa)
{
	return gpa | ENTRY_TABLE;
}

u64 space_page_entry(const struct guest_spaces *all, u64 gpa,
		     enum space_page how)
{
	(void)all;
	switch (how) {
	case SPACE_READ_ONLY:
		return gpa | (ENTRY_LEAF & ~ENTRY_WRITE);
	case SPACE_DEVICE:
		return gpa | ENTRY_LEAF | ENTRY_UNCACHED;
	default:
		return gpa | ENTRY_LEAF;
	}
}

/* Stores are seen in order: SDM vol. 3, 8.2.2. */
void space_order_stores(void)
{
	__asm__ volatile("" : : : "memory");
}
