/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "compat.h"
#include "populate.h"
#include "util.h"

/* Below this a thread costs more than it saves. */
#define SHARE_MIN_BYTES MIB(64)

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

void populate(void *mem, u64 bytes, u64 page_bytes)
{
	u64 unit = max_u64(page_bytes, SHARE_MIN_BYTES);
	u64 nr = min_u64(usable_cpus(), DIV_ROUND_UP(bytes, unit));
	u64 each = ALIGN_UP(DIV_ROUND_UP(bytes, nr ? nr : 1), page_bytes);
	struct share *share = xcalloc(nr + 1, sizeof(*share));
	pthread_t *thread = xcalloc(nr + 1, sizeof(*thread));
	int error = 0;

	for (u64 i = 0; i < nr; i++) {
		u64 from = min_u64(i * each, bytes);

		share[i] = (struct share){ (u8 *)mem + from,
					   min_u64(each, bytes - from),
					   page_bytes, 0 };
		if (nr == 1 || pthread_create(&thread[i], NULL, populate_share,
					      &share[i])) {
			populate_share(&share[i]);
			thread[i] = pthread_self();
		}
	}
	for (u64 i = 0; i < nr; i++) {
		if (!pthread_equal(thread[i], pthread_self()))
			pthread_join(thread[i], NULL);
		if (share[i].error)
			error = share[i].error;
	}
	free(share);
	free(thread);
	if (error)
		die("populating %llu bytes of host memory: %s: choose smaller "
		    "--bytes, or another --backing",
		    (unsigned long long)bytes, strerror(error));
}
