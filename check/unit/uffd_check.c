/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that come late, taken by threads of this process. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#undef skip /* cmocka's */
#include "clock.h"
#include "slow_memory.h"
#include "uffd.h"
#include "util.h"

#define PAGES 64
#define READERS 16
#define DELAY_NS (20 * NSEC_PER_MSEC)

static u64 page_bytes;
static u8 *mem;

static void fill(const void *arg, u64 page, void *to)
{
	memset(to, *(const u8 *)arg + page, page_bytes);
}

static int setup(void **state __maybe_unused)
{
	page_bytes = sysconf(_SC_PAGESIZE);
	mem = mmap(NULL, PAGES * page_bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(mem, PAGES * page_bytes, MADV_NOHUGEPAGE);
	return mem == MAP_FAILED ? -1 : 0;
}

static int teardown(void **state __maybe_unused)
{
	return munmap(mem, PAGES * page_bytes);
}

static struct uffd_server *make(unsigned int threads, const u8 *base)
{
	const char *missing = uffd_missing();

	if (missing)
		print_message("# %s\n", missing);
	if (missing)
		_skip(__FILE__, __LINE__);
	return uffd_server_create(&(struct uffd_config){
		.mem = mem,
		.bytes = PAGES * page_bytes,
		.delay_ns = DELAY_NS,
		.threads = threads,
		.fill = fill,
		.arg = base,
	});
}

static void test_late(void **state __maybe_unused)
{
	u8 base = 100;
	struct uffd_server *s = make(1, &base);
	u64 from = now_ns();

	assert_int_equal(mem[3 * page_bytes + 5], 103);
	assert_true(now_ns() - from >= DELAY_NS);
	from = now_ns();
	assert_int_equal(mem[3 * page_bytes + 6], 103);
	assert_true(now_ns() - from < DELAY_NS);
	assert_int_equal(uffd_server_counts(s).pages, 1);
	base = 50;
	uffd_server_renew(s);
	assert_int_equal(uffd_server_counts(s).pages, 0);
	assert_int_equal(mem[3 * page_bytes + 5], 53);
	assert_int_equal(uffd_server_counts(s).pages, 1);
	uffd_server_free(s);
	/* memory like any other from now on */
	assert_int_equal(mem[4 * page_bytes], 0);
}

static void *read_pages(void *arg)
{
	u64 first = (u64)arg, sum = 0;

	for (u64 i = first; i < PAGES; i += READERS)
		sum += *(volatile u8 *)&mem[i * page_bytes];
	return (void *)sum;
}

/* Many wait at once: it takes as long as one of the readers alone. */
static void test_in_flight(void **state __maybe_unused)
{
	const u64 alone = PAGES / READERS * DELAY_NS;

	for (unsigned int threads = 1; threads <= 3; threads += 2) {
		u8 base = 0;
		struct uffd_server *s = make(threads, &base);
		pthread_t reader[READERS];
		u64 from = now_ns(), sum = 0, ns;

		for (u64 i = 0; i < READERS; i++)
			pthread_create(&reader[i], NULL, read_pages, (void *)i);
		for (u64 i = 0; i < READERS; i++) {
			void *part;

			pthread_join(reader[i], &part);
			sum += (u64)part;
		}
		ns = now_ns() - from;
		assert_int_equal(sum, PAGES * (PAGES - 1) / 2);
		assert_int_equal(uffd_server_counts(s).pages, PAGES);
		assert_in_range(ns, alone, 4 * alone);
		uffd_server_free(s);
	}
}

static void test_values(void **state __maybe_unused)
{
	static const char *const good[] = { "swap", "uffd:0", "uffd:50",
					    "uffd:500,4", "uffd:10000000,64" };
	static const char *const bad[] = {
		"",	    "uffd",	     "uffd:",	   "uffd:x",
		"uffd:50,", "uffd:50,0",     "uffd:50,65", "uffd:50,1,2",
		"swap:1",   "uffd:10000001", "disk"
	};
	const char *why;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(slow_memory_valid(&good[i], &why));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(slow_memory_valid(&bad[i], &why));
	assert_true(slow_memory_has_limit("swap"));
	assert_false(slow_memory_has_limit("uffd:1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test_setup_teardown(test_late, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_flight, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
