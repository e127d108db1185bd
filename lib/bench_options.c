/* SPDX-License-Identifier: GPL-2.0-only */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_options.h"
#include "cpus.h"
#include "mode.h"
#include "quirks.h"
#include "util.h"

#define STRICT_VARIABLE "KVMETER_STRICT"

static bool valid_backing(const void *member, const char **why)
{
	const char *value = *(const char *const *)member;

	*why = strcmp(value, "help") == 0 ? NULL : backing_fault(value);
	return !*why;
}

static bool valid_mode(const void *member, const char **why)
{
	const char *value = *(const char *const *)member;

	*why = "no such guest mode: --mode help lists them";
	return strcmp(value, "help") == 0 || mode_find(value);
}

static bool valid_quirks(const void *member, const char **why)
{
	const char *value = *(const char *const *)member;

	*why = "no such quirk: --disable-quirks help lists them";
	return strcmp(value, "help") == 0 || quirks_valid(value);
}

static bool valid_base_pages(const void *member, const char **why)
{
	const struct u64_list *list = member;

	*why = "not a multiple of the host's base page";
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->v[i] % sysconf(_SC_PAGESIZE))
			return false;
	return true;
}

static bool valid_gpa(const void *member, const char **why)
{
	u64 gpa = *(const u64 *)member;

	*why = "not a multiple of the host's base page";
	return gpa % sysconf(_SC_PAGESIZE) == 0;
}

static bool valid_power_of_two(const void *member, const char **why)
{
	u64 v = *(const u64 *)member;

	*why = "not a power of two";
	return v && (v & (v - 1)) == 0;
}

static bool valid_cpus(const void *member, const char **why)
{
	const struct u64_list *list = member;
	struct cpus usable;
	bool ok = true;

	*why = "a CPU in it is not there, or not for this process";
	if (cpus_read(&usable))
		return true;
	for (unsigned int i = 0; i < list->nr; i++)
		ok = ok && cpus_have(&usable, list->v[i]);
	cpus_fini(&usable);
	return ok;
}

#define OFFSET(member) offsetof(struct bench_config, member)

const struct option_row bench_option_rows[] = {
	/* clang-format off */
	{ OPT_U64_LIST, 'v', "vcpus", "LIST", OFFSET(vcpus),
	  "number of vCPUs; a list (1,2,4) or range (1-4) sweeps", .min = 1, .max = 1 << 16 },
	{ OPT_SIZE_LIST, 'b', "bytes", "LIST", OFFSET(bytes),
	  "memory under test (64M, 1G); a list sweeps", .min = 1, .max = TIB(64), .valid = valid_base_pages },
	{ OPT_STRING, 's', "backing", "TYPE", OFFSET(backing),
	  "backing source, or a path; 'help' lists those of this host", .valid = valid_backing },
	{ OPT_STRING, 'm', "mode", "MODE", OFFSET(mode),
	  "guest mode by number or name; 'help' lists those of this host", .valid = valid_mode },
	{ OPT_SIZE, 0, "guest-page", "SIZE", OFFSET(guest_page),
	  "largest block in the guest's own page tables, else as alignment allows",
	  .min = KIB(4), .max = GIB(512), .valid = valid_power_of_two },
	{ OPT_SIZE, 'p', "gpa", "ADDRESS", OFFSET(gpa),
	  "guest physical address of the memory under test, else 8G or above",
	  .min = 0, .max = BIT(52) - 1, .valid = valid_gpa },
	{ OPT_U64, 'x', "slots", "N", OFFSET(slots),
	  "split the memory over N memslots", .min = 1, .max = 32767 },
	{ OPT_SIZE, 0, "eager-split", "SIZE", OFFSET(eager_split),
	  "have the VM split blocks eagerly, in chunks of SIZE, where KVM has that per VM",
	  .min = KIB(4), .max = TIB(1), .valid = valid_power_of_two },
	{ OPT_STRING, 0, "disable-quirks", "LIST", OFFSET(disable_quirks),
	  "have the VM without these quirks of KVM; 'help' lists them", .valid = valid_quirks },
	{ OPT_U64_LIST, 'c', "pin", "LIST", OFFSET(pin),
	  "pin vCPU threads, and last the main thread, to these CPUs", .valid = valid_cpus },
	{ OPT_U64, 'i', "rounds", "N", OFFSET(rounds),
	  "rounds inside each VM", .min = 1, .max = 1000000 },
	{ OPT_U64, 'R', "runs", "N", OFFSET(runs),
	  "fresh VMs measured", .min = 1, .max = 100000 },
	{ OPT_U64, 0, "warmup", "N", OFFSET(warmup),
	  "fresh VMs dropped before", .min = 0, .max = 1000 },
	{ OPT_U64, 0, "timeout", "SECONDS", OFFSET(timeout_s),
	  "how long a vCPU may make no progress", .min = 1, .max = 86400 },
	{ .type = OPT_NO_FLAG, .name = "prefault", .offset = OFFSET(prefault),
	  .help = "leave the host's first touch of memory to the first phase" },
	OPTION_FLAG(0, "lock-wait", OFFSET(lock_wait),
		    "how long threads wait for locks of the kernel, by its tracepoints"),
	{ OPT_STRING, 'J', "json", "FILE", OFFSET(json),
	  "results as JSON; - is standard output", .no_json = true },
	{ OPT_FLAG, 0, "strict", NULL, OFFSET(strict),
	  "a skip is a failure; also " STRICT_VARIABLE "=1", .no_json = true },
	{ OPT_FLAG, 'q', "quiet", NULL, OFFSET(quiet),
	  "results only, no table", .no_json = true },
	{ OPT_FLAG, 'V', "verbose", NULL, OFFSET(verbose),
	  "every sample, and what KVM's statistics say", .no_json = true },
	{ OPT_FLAG, 'h', "help", NULL, OFFSET(help), "this text", .no_json = true },
	{ OPT_FLAG, 0, "version", NULL, OFFSET(version), "version", .no_json = true },
	{ .type = OPT_END }
	/* clang-format on */
};

/* What one of the points asks for, against what does not depend on KVM. */
static void check_point(const struct bench *bench, const void *config,
			u64 vcpus, u64 bytes)
{
	const struct bench_config *c = config;
	u64 memory = bench->memory ? bench->memory(config, vcpus, bytes) :
				     bytes;
	const struct guest_mode *mode = mode_find(c->mode);
	u64 granule = backing_granule(c->backing), shift;
	char size[UNIT_LEN], page[UNIT_LEN];

	if (memory % granule)
		usage_error("--bytes %s: --backing %s needs multiples of %s",
			    format_size(size, memory), c->backing,
			    format_size(page, granule));
	if (c->slots > memory / granule)
		usage_error("--slots %llu: %s of memory hold at most %llu "
			    "slots of %s",
			    (unsigned long long)c->slots,
			    format_size(size, memory),
			    (unsigned long long)(memory / granule),
			    format_size(page, granule));
	if (c->gpa != TESTMEM_GPA_DEFAULT && c->gpa % mode->page_bytes)
		usage_error("--gpa %#llx: not a multiple of the guest's pages "
			    "of %s (--mode %s)",
			    (unsigned long long)c->gpa,
			    format_size(page, mode->page_bytes), mode->name);
	if (c->guest_page < mode->page_bytes)
		usage_error("--guest-page %s: the guest's pages are %s (--mode "
			    "%s)",
			    format_size(size, c->guest_page),
			    format_size(page, mode->page_bytes), mode->name);
	shift = c->unaligned ? testmem_shift(mode) : 0;
	if (c->gpa < CONTROL_GPA_END && c->gpa + memory + shift > DEVICE_GPA)
		usage_error(
			"--gpa %#llx: %s from there overlap 4G to 8G, which "
			"kvmeter's own guest memory takes",
			(unsigned long long)c->gpa, format_size(size, memory));
	if (c->pin.nr && c->pin.nr != vcpus && c->pin.nr != vcpus + 1)
		usage_error("--pin: %u CPUs for %llu vCPUs: name one each, and "
			    "one more for the main thread if wanted",
			    c->pin.nr, (unsigned long long)vcpus);
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value && strcmp(value, "0") != 0;
}

void bench_options_finish(const struct bench *bench, void *config)
{
	struct bench_config *c = config;

	if (is_set(STRICT_VARIABLE))
		c->strict = true;
	c->mode = mode_find(c->mode)->name;
	for (unsigned int v = 0; v < c->vcpus.nr; v++)
		for (unsigned int b = 0; b < c->bytes.nr; b++)
			check_point(bench, config, c->vcpus.v[v],
				    c->bytes.v[b]);
	if (bench->validate)
		bench->validate(config);
}
