/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "slow_load.h"
#include "util.h"

struct slow_load {
	struct run *run;
	struct load *load;
	struct slow_memory *memory;
	u64 turns; /* passes since the memory was filled */
};

static u64 limit_of(const struct slow_load_config *cfg, u64 bytes)
{
	return bytes / 100 * cfg->limit_percent;
}

void slow_load_validate(const struct slow_load_config *cfg,
			const struct bench_config *common)
{
	u64 bytes = u64_list_min(&common->bytes);

	if (strcmp(common->backing, "anonymous") != 0 &&
	    strcmp(common->backing, "anonymous_thp") != 0)
		usage_error("--backing %s: only anonymous and anonymous_thp "
			    "can be made slow",
			    common->backing);
	if (bytes / sysconf(_SC_PAGESIZE) < u64_list_max(&common->vcpus))
		usage_error("--bytes: each vCPU needs a page or more");
	if (slow_memory_has_limit(cfg->slow) &&
	    limit_of(cfg, bytes) < SLOW_MEMORY_LIMIT_MIN)
		usage_error("--limit: less than 4M would stay, which the "
			    "process needs for itself: choose larger --bytes");
}

void slow_load_require(const struct slow_load_config *cfg,
		       const struct bench_config *common)
{
	slow_memory_require(cfg->slow, u64_list_max(&common->bytes));
}

struct slow_load *
slow_load_create(struct run *r, const struct slow_load_config *cfg, u64 wrong)
{
	struct slow_load *sl = xcalloc(1, sizeof(*sl));

	sl->run = r;
	/* the guest's own pages must not be among those that are slow; they are
	 * few enough for most limits, and not swapped if all is well */
	mlock(r->vm->control, r->vm->control_mapped);
	sl->load = load_create(&(struct load_config){
		.pattern = r->variant,
		.base_gva = r->mem->gva,
		.page_bytes = r->mem->page_bytes,
		.pages = testmem_pages(r->mem),
		.shares = r->nr_vcpus,
		.seed = cfg->seed,
		.wrong = wrong,
	});
	sl->memory = slow_memory_create(&(struct slow_memory_config){
		.value = cfg->slow,
		.mem = r->mem->backing->mem,
		.bytes = r->mem->bytes,
		.limit_bytes = limit_of(cfg, r->mem->bytes),
		.fill = load_fill,
		.arg = sl->load,
	});
	return sl;
}

void slow_load_free(struct slow_load *sl)
{
	slow_memory_free(sl->memory);
	load_free(sl->load);
	free(sl);
}

struct guest_load slow_load_share(const struct slow_load *sl, u32 vcpu)
{
	struct guest_load share = load_share(sl->load, vcpu);

	share.turn = sl->turns;
	return share;
}

void slow_load_end_pass(struct slow_load *sl, int slow_check, int content_check,
			u64 wrong)
{
	const struct testmem *mem = sl->run->mem;
	bool slow;
	char *seen = slow_memory_judge(sl->memory, &slow);
	u64 wrong_pages;

	sl->turns++;
	check(sl->run, slow_check, slow, "%s", seen);
	free(seen);
	wrong_pages = load_count_wrong(sl->load, mem->backing->mem, sl->turns);
	check(sl->run, content_check, !wrong && !wrong_pages,
	      "%llu wrong words read, %llu of %llu pages wrong in the end",
	      (unsigned long long)wrong, (unsigned long long)wrong_pages,
	      (unsigned long long)testmem_pages(mem));
	if (slow_memory_renew(sl->memory))
		sl->turns = 0;
}
