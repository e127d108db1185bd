/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces that guest code makes, uses and takes down by itself.
 *
 * A space has tables of its own below one entry of the top level, the window;
 * everything else is mapped in it as the host has mapped it. The window begins
 * with one last-level table of the space's own pages, numbered from 0; the
 * next one is shared by all spaces of the VM.
 *
 * Tables come from a pool in control memory and are given back zeroed. Whoever
 * may write them may make and take down spaces; entering one and invalidating
 * translations takes the guest's kernel mode.
 */
#ifndef KVMETER_GUEST_SPACE_H
#define KVMETER_GUEST_SPACE_H

#include <guest/guest.h>

#define SPACE_LEVELS 5	      /* of tables, at most */
#define SPACE_ROOT_ENTRIES 64 /* that the host's top level may use */

/* How translations are dropped that must not be used any more. */
enum space_invalidation {
	INVALIDATE_PAGE,      /* of one page, on this vCPU */
	INVALIDATE_ASID,      /* of one space, on this vCPU */
	INVALIDATE_SWITCH,    /* by loading the root again, or a fresh ASID */
	INVALIDATE_BROADCAST, /* of one page, on every vCPU */
	INVALIDATE_NOTHING,   /* to see that it is noticed */
};

/* How a page of the window is mapped. */
enum space_page {
	SPACE_READ_ONLY,
	SPACE_WRITABLE,
	SPACE_DEVICE, /* writable; neither cached nor prefetched */
};

/* What one vCPU needs to make spaces. Begun by the host, spaces_alloc(). */
struct guest_spaces {
	/* by the host */
	u64 host_root;	 /* GVA of the top-level table that the host has made */
	u64 shared_leaf; /* GVA of the last-level table that all share */
	u64 window;	 /* GVA */
	u64 page_bytes;	 /* of the mode; also what a table takes */
	u64 tables_offset; /* GVA - GPA of control memory */
	u64 shootdown;	   /* GVA of what the VM's vCPUs share */
	u64 pool;	   /* GVA of u64[]: GVAs of tables that are free */
	u32 pool_nr;
	u32 levels;	  /* of tables */
	u32 invalidation; /* enum space_invalidation */
	u32 local; /* never reach other vCPUs, to see that it is noticed */
	u32 window_index; /* in the top-level table */
	u64 port;	  /* arch/ARCH/space.c for guest/space.c */
	/* by the guest */
	u32 root_index[SPACE_ROOT_ENTRIES];
	u32 nr_root_entries; /* 0: not looked for yet */
	u32 asid;	     /* that was given out last */
};

/*
 * How a vCPU has the others drop a translation where no instruction does it:
 * it numbers its request and waits until each has served it. One at a time.
 */
struct space_shootdown {
	u32 lock;
	u32 nr_cpus;
	u32 request __attribute__((aligned(64))); /* number of the last one */
	u64 gva;
	u32 finished __attribute__((aligned(64)));
	struct space_server {
		u32 served __attribute__((aligned(64)));
	} cpu[]; /* by index of vCPU */
};

#ifdef KVMETER_GUEST

struct space {
	struct guest_spaces *spaces;
	u64 *table[SPACE_LEVELS]; /* by level: [0] last, [levels - 1] top */
	u64 asid;
	u64 dropped; /* GVA whose translation space_invalidate() drops */
};

/* GVA of page @page of a space, and of a shared one. */
static inline u64 space_page(const struct guest_spaces *all, u32 page)
{
	return all->window + page * all->page_bytes;
}

static inline u64 space_shared_page(const struct guest_spaces *all, u32 page)
{
	return space_page(all, page + all->page_bytes / sizeof(u64));
}

/* Makes tables without pages. The pool must hold as many as there are levels.
 */
void space_create(struct space *space, struct guest_spaces *all);

/* Page @page, which must not have been mapped, before the space is entered. */
void space_map(struct space *space, u32 page, u64 gpa, enum space_page how);

/* The same for a page that all share; no vCPU may be in a space yet. */
void space_map_shared(struct guest_spaces *all, u32 page, u64 gpa);

/*
 * Page @page of the space that this vCPU is in leads to @gpa from now on,
 * writable, and no translation to where it led before is left: on this vCPU,
 * for a page of the space's own; on all, for a shared one.
 */
void space_remap(struct space *space, u32 page, u64 gpa);
void space_remap_shared(struct space *space, u32 page, u64 gpa);

/*
 * Gives the tables back, of whose pages the first @pages are mapped. No vCPU
 * may be in it, or know translations of it: space_forget().
 */
void space_free(struct space *space, u32 pages);

/*
 * To be called often by every vCPU in whose VM others may wait for it; and at
 * the end, until all have called it: to serve them as long as they need it.
 *
 * Who waits for its turn counts that as progress, cpu->passes. Who has it, and
 * waits for the others, does not: so a vCPU that hangs is noticed by its
 * silence, and many that share few CPUs are not taken for it.
 */
void space_serve(struct space *space);
void space_wait(struct space *space); /* a turn of a loop that waits */
void space_serve_all(struct space *space);

/* ---- by the port ---- */

/* In kernel mode; @arg is a struct space. Leaving is to the host's tables. */
u64 space_enter(u64 arg);
u64 space_leave(u64 arg);

/* In kernel mode: drops, on this vCPU or (INVALIDATE_BROADCAST, where the CPU
 * has an instruction for it) on all, the translation of space->dropped. */
u64 space_invalidate(u64 arg);

/* Does it, with INVALIDATE_BROADCAST, reach all vCPUs? */
bool space_broadcasts(void);

/*
 * In kernel mode: drops the translations of the first @pages pages of a space
 * that this vCPU has left.
 */
void space_forget(struct space *space, u32 pages);

/*
 * Must an entry be made invalid, and its translations be dropped, before it may
 * lead elsewhere? Others can find the page unmapped meanwhile.
 */
bool space_breaks_before_make(void);

/* What an exception in the window means. */
bool space_trap_is_protection(const struct guest_trap *trap); /* of a write */
bool space_trap_is_unmapped(const struct guest_trap *trap);

/*
 * Code that uses its stack and returns @value: written to a page that is mapped
 * at @at, or run there, on the stack that ends at @stack.
 */
void space_write_code(u64 at, u64 value);
u64 space_run_code(u64 at, u64 stack);

/* Entries of tables. */
u64 space_table_entry(u64 gpa);
u64 space_page_entry(const struct guest_spaces *all, u64 gpa,
		     enum space_page how);
/* Stores to tables so far come before what is read through them from here on.
 */
void space_order_stores(void);

#endif /* KVMETER_GUEST */
#endif
