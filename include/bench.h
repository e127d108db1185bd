/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A benchmark as its author writes it: a descriptor with const tables and a
 * run() that performs the experiment once in a fresh VM. bench_main() alone
 * knows the order of things around it: options, requirements, host facts,
 * points of the sweep, warm-ups and runs, summary, outputs, exit code.
 *
 * Main thread only.
 */
#ifndef KVMETER_BENCH_H
#define KVMETER_BENCH_H

#include "faults.h"
#include "gang.h"
#include "metrics.h"
#include "options.h"
#include "testmem.h"
#include "vm.h"

/* Options that every benchmark has; first member of each test's config. */
struct bench_config {
	struct u64_list vcpus;
	struct u64_list bytes;
	const char *backing;
	const char *mode; /* name or number; NULL: the port's default */
	u64 guest_page;
	u64 gpa;
	u64 slots;
	u64 eager_split;
	const char *disable_quirks; /* NULL: none */
	struct u64_list pin;	    /* nr 0: none */
	u64 rounds;
	u64 runs;
	u64 warmup;
	u64 timeout_s;
	bool prefault;
	bool lock_wait;
	bool unaligned; /* no row of the common table: a test may have one */
	const char *json;
	bool strict;
	bool quiet;
	bool verbose;
	bool help;
	bool version;
};

/* What fits a host with 2 CPUs and 4 GiB; bytes and rounds are the test's. */
#define BENCH_CONFIG_DEFAULTS \
	.vcpus = { 1, { 1 } }, .runs = 9, .warmup = 1, BENCH_CONFIG_COMMON
/* The same without vcpus, runs and warmup, for tests that prove in one run. */
#define BENCH_CONFIG_COMMON                                   \
	.backing = "anonymous", .gpa = TESTMEM_GPA_DEFAULT,   \
	.guest_page = TESTMEM_GUEST_PAGE_DEFAULT, .slots = 1, \
	.eager_split = VM_NO_EAGER_SPLIT, .timeout_s = 10, .prefault = true

struct run;

/*
 * A third dimension of the sweep, beside vCPUs and bytes: ways to do the same,
 * measured one after the other and shown side by side.
 */
struct bench_variants {
	const char *key;	  /* in results and names: "tracking" */
	const char *const *names; /* ended by NULL */
	/* in the config: of the struct u64_list of those asked for; if it is
	 * empty, they are all that this host has */
	size_t offset;
	/* Why this KVM has it not, static storage; NULL: it has. */
	const char *(*missing)(int kvm_fd, unsigned int variant);
};

struct bench {
	const char *name;
	const char *question;		  /* that it answers, one sentence */
	const struct option_row *options; /* of the test, ended by OPT_END */
	const struct metric_row *metrics; /* METRICS_MAX, ended by name NULL */
	const struct check_row *checks;	  /* ended by name NULL */
	const void *defaults;		  /* begins with struct bench_config */
	size_t config_bytes;
	const struct bench_variants *variants; /* or NULL */
	/* in the config: of the u64 number of threads that act as the host, the
	 * main one among them; 0: it alone */
	size_t host_threads;
	/* Guest memory of one point; NULL: what --bytes says, in all. */
	u64 (*memory)(const void *config, u64 vcpus, u64 bytes);
	/* usage_error() for what no single option can know; or NULL. */
	void (*validate)(const void *config);
	/* skip() for what else the experiment needs of this host; or NULL. */
	void (*require)(const void *config);
	void (*run)(struct run *r);
};

int bench_main(const struct bench *bench, int argc, char **argv);

/* ---- for run() ---- */

/* One run: a fresh VM at one point of the sweep. */
struct run {
	const struct bench *bench;
	const void *config; /* const from here on */
	u64 nr_vcpus;
	u64 bytes;	      /* --bytes of this point */
	unsigned int variant; /* index of its name; 0 if there are none */
	struct vm_tracking tracking; /* may be set before run_create() */
	u64 index; /* of the run at this point, warm-ups included */
	struct vm *vm;
	struct testmem *mem;
	struct gang *gang;
	bool async_pf; /* of struct vm_config; set before run_create() */
	const char *disable_quirks;   /* likewise; NULL: what the options say */
	struct mappings baseline;     /* of the VM before memory was accessed */
	struct mappings mapped;	      /* memory under test, at the last look */
	struct fault_counter *faults; /* NULL: not needed, or no way */
	struct lock_wait *locks;      /* NULL: not asked for */
	/* threads besides the main one that act as the host */
	int *host_tids;
	unsigned int nr_host_tids;
	struct faults faults_before; /* at the previous sample */
	struct faults phase_faults;  /* of the last sampled phase */
	u64 vcpu_pages; /* most that one vCPU goes through; 0: unknown */
	/* the rest is bench.c's */
	struct point *point;
	bool dropped;	   /* a warm-up: checks count, samples do not */
	u64 *stats_before; /* KVM's statistics at the previous sample */
	u64 sampled;	   /* a bit for each metric */
	u64 left_out;	   /* likewise: metrics_not_applicable() */
	u64 stops;	   /* of the process, at the previous sample */
	bool stopped;	   /* in this run, before a sample */
	struct gang_config gang_config;
};

/*
 * The usual set-up, in this order: VM with its vCPUs, memory under test, what
 * the test prepares in between (plans), then run_start(): threads, and every
 * vCPU up to its first idle. run_end() undoes all of it and may be left to
 * bench_main().
 */
void run_create(struct run *r, u64 memory_bytes);
void run_start(struct run *r);
void run_end(struct run *r);

/*
 * Before run_start(): a thread of the library that acts as the host, as the
 * main thread does.
 */
void run_add_host_thread(struct run *r, int tid);

/*
 * May tracepoints of the kernel that prove something be live in this run? They
 * add some 100 ns to what they count and to each switch of a thread that is
 * counted, so that those for warm-up prove it for all, and the others only if
 * there are none. Then run_is_traced() says so in a note.
 */
bool run_may_trace(const struct run *r);
void run_is_traced(struct run *r);

/*
 * Record one sample of metric @metric (an index into bench->metrics) and what
 * KVM's statistics say of the time since the previous one.
 */
void sample(struct run *r, int metric, struct timing t);
void sample_value(struct run *r, int metric, u64 value);

/* Nanoseconds of a tick of arch_counter(). */
double run_tick_ns(const struct run *r);

/*
 * For a METRIC_TAIL that guests have counted, in ticks of arch_counter(): what
 * vCPU @vcpu has since the last time.
 */
void sample_guest(struct run *r, int metric, u32 vcpu,
		  const struct guest_histogram *counted);

/*
 * For phases that must follow each other without a look at statistics: times
 * alone, recorded afterwards. stats_begin() before the phases and stats_end()
 * after them attribute what happened meanwhile to @metric.
 */
void sample_time(struct run *r, int metric, struct timing t);
void stats_begin(struct run *r);
void stats_end(struct run *r, int metric);

/*
 * The options, or this host, ask for an experiment without those metrics, a
 * bit for each: BIT(CREATE) | BIT(UPDATE). Any other that run() returns without
 * having sampled is an error, and so is one of those if it has.
 */
void metrics_not_applicable(struct run *r, u64 metrics);

/* What a time in which several things were sampled has used, for @metric. */
void sample_usage(struct run *r, int metric, struct usage usage);

/* Those of @metrics that the run has not sampled are not applicable. For what
 * may happen in a run or not; before run() returns. */
void metrics_may_lack(struct run *r, u64 metrics);

/*
 * Makes room for @nr samples of @metric in this run, for those that are
 * recorded while something is timed; --rounds of them need none.
 */
void sample_reserve(struct run *r, int metric, u64 nr);

/* Pages that one sample is about, for the time per page. */
void sample_pages(struct run *r, int metric, u64 pages);

/* Records whether check @check (an index into bench->checks) holds. */
void check(struct run *r, int check, bool ok, const char *fmt, ...)
	__printf(4, 5);
/* It cannot be told on this host: why. */
void check_unverified(struct run *r, int check, const char *fmt, ...)
	__printf(3, 4);
/* Has a run before found it true, and none anything else? */
bool check_is_proven(const struct run *r, int check);
/* The options ask for an experiment without it: which. */
void check_not_applicable(struct run *r, int check, const char *fmt, ...)
	__printf(3, 4);

/* A line for the reader below the table; equal lines are shown once. */
void note(struct run *r, const char *fmt, ...) __printf(2, 3);

/* Beside @metric in the table: what was seen, where nothing need be so. */
void remark(struct run *r, int metric, const char *fmt, ...) __printf(3, 4);

/* Says beside @metric what the mean of all its samples is so far. */
void remark_mean(struct run *r, int metric);

/*
 * What the last sampled phase must have made of the stage-2 mappings of the
 * memory under test, every page of which was accessed in it.
 */
struct mapping_claim {
	enum {
		MAPPED_BY_BLOCKS,
		MAPPED_BY_BASE_PAGES,
		MAPPED_PARTLY, /* blocks were split by a write to few pages */
		MAPPED_AS_BEFORE,
	} now;
	/* one page of each that many bytes was accessed, of blocks that are not
	 * smaller; 0: every page */
	u64 granule;
	/* pages written for the first time since dirty logging has
	 * write-protected them; 0: other phases */
	u64 protected_pages;
	u64 wrong; /* added to the count, to show that the check can fail */
};

/*
 * Proves it by KVM's count of mappings or, where KVM has none, by the number
 * of faults. The detail says what has become of the mappings since the last
 * look: created, split, coalesced, dropped or kept.
 */
void check_mappings(struct run *r, int id, struct mapping_claim claim);

/* Says below the table why blocks are not used where the host has them. */
void note_block_limit(struct run *r);

/* What has become of them as a remark. */
void remark_mappings(struct run *r, int metric);

#endif
