/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compat.h"
#include "interrupt.h"
#include "populate.h"
#include "util.h"

/* Below this a thread costs more than it saves. */
#define SHARE_MIN_BYTES MIB(64)
#define SLICE_THREADS 64
/* Between two looks for an interrupt. */
#define SLICE_BYTES MIB(256)

struct share {
	u8 *mem;
	u64 bytes;
	u64 page_bytes;
	int error; /* 0, or an errno */
};

/* The write must leave what a file or another thread has put there. */
static void write_each_page(const struct share *s)
{
	for (u64 at = 0; at < s->bytes; at += s->page_bytes)
		__atomic_fetch_or(s->mem + at, 0, __ATOMIC_RELAXED);
}

static void *populate_share(void *arg)
{
	struct share *s = arg;

	while (madvise(s->mem, s->bytes, MADV_POPULATE_WRITE)) {
		if (errno == EINTR || errno == EAGAIN)
			continue;
		if (errno == EINVAL)
			write_each_page(s);
		else
			s->error = errno;
		break;
	}
	return NULL;
}

static unsigned int usable_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set);
}

/* Shares one slice among @nr threads; returns 0 or an errno. */
static int populate_slice(u8 *mem, u64 bytes, u64 page_bytes, unsigned int nr)
{
	u64 each = ALIGN_UP(DIV_ROUND_UP(bytes, nr), page_bytes);
	struct share share[SLICE_THREADS];
	pthread_t thread[SLICE_THREADS];
	bool started[SLICE_THREADS];
	int error = 0;

	for (unsigned int i = 0; i < nr; i++) {
		u64 from = min_u64(i * each, bytes);
		u64 part = min_u64(each, bytes - from);

		share[i] = (struct share){ mem + from, part, page_bytes, 0 };
		started[i] = nr > 1 &&
			     !pthread_create(&thread[i], NULL, populate_share,
					     &share[i]);
		if (!started[i])
			populate_share(&share[i]);
	}
	for (unsigned int i = 0; i < nr; i++) {
		if (started[i])
			pthread_join(thread[i], NULL);
		if (share[i].error)
			error = share[i].error;
	}
	return error;
}

void keep_mapped(void *mem, u64 bytes)
{
	if (syscall(SYS_mbind, mem, bytes, MPOL_LOCAL, NULL, 0UL, 0U) &&
	    errno != ENOSYS)
		warn("mbind: %s: NUMA balancing may disturb", strerror(errno));
}

void populate(void *mem, u64 bytes, u64 page_bytes)
{
	u64 slice = max_u64(SLICE_BYTES, page_bytes);
	u64 threads = min_u64(usable_cpus(), SLICE_THREADS);

	for (u64 at = 0; at < bytes; at += slice) {
		u64 part = min_u64(slice, bytes - at);
		u64 nr = DIV_ROUND_UP(part,
				      max_u64(SHARE_MIN_BYTES, page_bytes));
		int error = populate_slice((u8 *)mem + at, part, page_bytes,
					   min_u64(nr, threads));

		if (error)
			die("populating %llu bytes of host memory "
			    "(MADV_POPULATE_WRITE): %s: choose "
			    "smaller --bytes, or another --backing",
			    (unsigned long long)bytes, strerror(error));
		interrupt_check();
	}
}
