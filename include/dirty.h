/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracking the dirty pages of memory under test, over all of its slots, in
 * each of the ways that KVM has: collecting what was written, then clearing it,
 * so that KVM sees the next write. Documentation/virt/kvm/api.rst 4.8, 4.117,
 * 7.27 and 8.29.
 *
 * Bitmaps of the whole memory have a bit per base page, bit 0 the first, in
 * dirty_words() words. Main thread only.
 */
#ifndef KVMETER_DIRTY_H
#define KVMETER_DIRTY_H

#include "bitmap.h"
#include "option_row.h"
#include "testmem.h"
#include "timing.h"

enum dirty_mode {
	DIRTY_GET_LOG,	   /* KVM_GET_DIRTY_LOG, which clears as well */
	DIRTY_CLEAR_LOG,   /* manual protection: then KVM_CLEAR_DIRTY_LOG */
	DIRTY_RING,	   /* rings, then KVM_RESET_DIRTY_RINGS */
	DIRTY_RING_BITMAP, /* rings, and KVM_GET_DIRTY_LOG for what no vCPU
			      writes */
};
extern const char *const dirty_mode_names[];

/* Why this KVM has it not, static storage; NULL: it has. */
const char *dirty_mode_missing(int kvm_fd, unsigned int mode);

static inline bool dirty_mode_has_rings(enum dirty_mode mode)
{
	return mode == DIRTY_RING || mode == DIRTY_RING_BITMAP;
}

/* Options of every benchmark that tracks dirty pages. */
struct dirty_options {
	struct u64_list modes; /* of enum dirty_mode */
	u64 chunk_bytes;       /* OPTION_UNSET: a whole slot */
	u64 wait_ms;
	u64 clearers;
	u64 ring_entries;
};

#define DIRTY_OPTIONS_DEFAULTS                              \
	{                                                   \
		.modes = { 1, { DIRTY_CLEAR_LOG } },        \
		.chunk_bytes = OPTION_UNSET, .clearers = 1, \
		.ring_entries = 65536                       \
	}

/* Their rows; @offset is that of the struct in the config. */
/* clang-format off */
#define DIRTY_OPTION_ROWS(offset)                                            \
	{ OPT_CHOICE_LIST, 'M', "log-mode", "LIST",                          \
	  (offset) + offsetof(struct dirty_options, modes),                  \
	  "ways of tracking dirty pages, measured side by side; 'all' that this host has", \
	  .choices = dirty_mode_names },                                     \
	OPTION_PRESET('g', "no-manual-protect",                              \
		      (offset) + offsetof(struct dirty_options, modes),      \
		      DIRTY_GET_LOG, "the same as --log-mode get-log"),      \
	{ OPT_SIZE, 'k', "chunk", "SIZE",                                    \
	  (offset) + offsetof(struct dirty_options, chunk_bytes),            \
	  "clear in chunks of SIZE, else each slot in one call",             \
	  .min = KIB(4), .max = TIB(64), .valid = dirty_valid_chunk },       \
	{ OPT_U64, 'l', "clear-wait", "MS",                                  \
	  (offset) + offsetof(struct dirty_options, wait_ms),                \
	  "wait after each clear, as a migration sends", .max = 60000 },     \
	{ OPT_U64, 0, "clearers", "N",                                       \
	  (offset) + offsetof(struct dirty_options, clearers),               \
	  "host threads that share the calls which clear", .min = 1, .max = 1024 }, \
	{ OPT_U64, 0, "ring-entries", "N",                                   \
	  (offset) + offsetof(struct dirty_options, ring_entries),           \
	  "of each vCPU's dirty ring, a power of two",                       \
	  .min = 256, .max = 1 << 24, .valid = dirty_valid_ring }
/* clang-format on */

bool dirty_valid_chunk(const void *member, const char **why);
bool dirty_valid_ring(const void *member, const char **why);

/*
 * usage_error() if the options do not go together; skip() if this KVM does not
 * take rings of that size.
 */
void dirty_options_validate(const struct dirty_options *options);
void dirty_options_require(const struct dirty_options *options);

/* What a VM must be created with. */
struct vm_tracking dirty_tracking(enum dirty_mode mode,
				  const struct dirty_options *options);

/* Which of KVM_DIRTY_LOG_MANUAL_PROTECT_ENABLE, KVM_DIRTY_LOG_INITIALLY_SET
 * KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2 offers; 0: no manual protection. */
u64 dirty_manual_modes(int kvm_or_vm_fd);

/*
 * Enables some of them on a VM, before logging is on; dies if refused. What
 * DIRTY_CLEAR_LOG needs.
 */
void dirty_enable_manual(struct vm *vm, u64 modes);

/* What a benchmark enables for @mode: the modes of it, 0 for the others. */
u64 dirty_mode_enable(struct vm *vm, enum dirty_mode mode);

struct crew;
struct dirty_log;

/*
 * Starts the clearing threads, and allocates what collecting needs, touched
 * already. Free while no vCPU runs, and none is to run any more with rings.
 * Without @options (NULL) they are the defaults.
 */
struct dirty_log *dirty_log_create(struct testmem *mem, enum dirty_mode mode,
				   const struct dirty_options *options);
void dirty_log_free(struct dirty_log *log); /* NULL is fine */

enum dirty_mode dirty_log_mode(const struct dirty_log *log);

/* Collects: one KVM_GET_DIRTY_LOG for each slot, or all rings. */
struct timing dirty_log_get(struct dirty_log *log);

/* The rings' part of it, for modes that have them; also without logging. */
void dirty_log_harvest(struct dirty_log *log);

/*
 * Clears what the last get has found: in calls of at most a chunk, shared by
 * the clearers, each of which waits after each call; or one reset of the rings.
 * The time is that of the clearer that took longest, waits left out.
 */
struct timing dirty_log_clear(struct dirty_log *log);

/* The same in one call a slot, by this thread, without waits. */
void dirty_log_clear_all(struct dirty_log *log);

/* How long each call of the last get or clear took, by order of their start.
 * Valid until the next. */
struct dirty_calls {
	const u64 *ns;
	u64 nr;
};
const struct crew *dirty_log_clearers(const struct dirty_log *log);
u64 dirty_log_max_calls(const struct dirty_log *log); /* of either */
struct dirty_calls dirty_log_get_calls(const struct dirty_log *log);
struct dirty_calls dirty_log_clear_calls(const struct dirty_log *log);

/*
 * Pages of a chunk of @bytes: KVM takes multiples of DIRTY_CLEAR_PAGES, so that
 * it is rounded up; all that a slot can have if @bytes is OPTION_UNSET.
 */
u64 dirty_chunk_pages(const struct testmem *mem, u64 bytes);

/*
 * Since the last dirty_log_get(): exits of vCPUs whose ring was full, and the
 * time that their threads took to harvest and reset it.
 */
struct ring_full {
	u64 exits;
	u64 ns;
};
struct ring_full dirty_log_ring_full(const struct dirty_log *log);

/*
 * Entries of rings that were harvested, and that KVM says it has reset, since
 * the log was created. While no vCPU runs, nothing is between them once it is
 * cleared.
 */
struct ring_counts {
	u64 harvested;
	u64 reset;
};
struct ring_counts dirty_log_ring_counts(const struct dirty_log *log);

/* Slots that KVM still has a dirty log for: none once logging is off. Not for
 * rings. */
u32 dirty_log_slots(struct dirty_log *log);

/* ORs what the last get has found into @bitmap. */
void dirty_log_merge(const struct dirty_log *log, u64 *bitmap);

static inline size_t dirty_words(const struct testmem *mem)
{
	return DIV_ROUND_UP(testmem_pages(mem), 64);
}

#endif
