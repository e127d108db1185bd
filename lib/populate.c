/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "compat.h"
#include "cpus.h"
#include "interrupt.h"
#include "patience.h"
#include "populate.h"
#include "remedy.h"
#include "thread_start.h"
#include "util.h"

/* Below this a thread costs more than it saves. */
#define SHARE_MIN_BYTES MIB(64)
#define SLICE_THREADS 64
/* Between two looks for an interrupt. */
#define SLICE_BYTES MIB(256)
/* Of a slice, on a host that has to swap or to compact for it. */
#define POPULATE_S 600
/* As many as the kernel can be built for: CONFIG_NODES_SHIFT is 10 at most. */
#define NODES_MAX 1024

struct share {
	u8 *mem;
	u64 bytes;
	int error; /* 0, or an errno */
};

/* Where the thread goes on if there is no page behind an address. */
static __thread sigjmp_buf *no_page;

/* Elsewhere it is what it was: the access is repeated, and ends the process. */
static void handle_bus_error(int number)
{
	if (no_page)
		siglongjmp(*no_page, 1);
	signal(number, SIG_DFL);
}

/*
 * For kernels before 5.14. The write must leave what a file or another thread
 * has put there. By base pages, since the host need not give a huge page where
 * it may. Returns 0, or what MADV_POPULATE_WRITE would.
 */
static int write_each_page(const struct share *s)
{
	u64 step = sysconf(_SC_PAGESIZE);
	sigjmp_buf here;

	if (sigsetjmp(here, 1)) {
		no_page = NULL;
		return EFAULT;
	}
	no_page = &here;
	for (u64 at = 0; at < s->bytes; at += step)
		__atomic_fetch_or(s->mem + at, 0, __ATOMIC_RELAXED);
	no_page = NULL;
	return 0;
}

static void *populate_share(void *arg)
{
	struct share *s = arg;
	struct patience patience;

	patience_begin(&patience, NSEC_PER_SEC);
	while (madvise(s->mem, s->bytes, MADV_POPULATE_WRITE)) {
		if ((errno == EINTR || errno == EAGAIN) &&
		    patience_look(&patience) < POPULATE_S * NSEC_PER_SEC)
			continue;
		s->error = errno == EINVAL ? write_each_page(s) : errno;
		break;
	}
	return NULL;
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

		share[i] = (struct share){ mem + from, part, 0 };
		started[i] = nr > 1 &&
			     !pthread_create(&thread[i], NULL, populate_share,
					     &share[i]);
		if (!started[i])
			populate_share(&share[i]);
	}
	for (unsigned int i = 0; i < nr; i++) {
		if (started[i])
			thread_join(thread[i], POPULATE_S,
				    "populating host memory "
				    "(MADV_POPULATE_WRITE)");
		if (share[i].error)
			error = share[i].error;
	}
	return error;
}

/*
 * The policy that it has anyway: that of this process, as numactl gives it, or
 * local allocation. Returns NULL or the call that failed, with errno.
 */
static const char *give_policy(void *mem, u64 bytes)
{
	unsigned long nodes[NODES_MAX / (8 * sizeof(long))] = { 0 };
	int mode = MPOL_DEFAULT;

	/* both calls take a number of nodes that is one too large */
	if (syscall(SYS_get_mempolicy, &mode, nodes, NODES_MAX + 1, NULL, 0UL))
		return "get_mempolicy";
	mode &= ~MPOL_F_NUMA_BALANCING;
	if (mode == MPOL_DEFAULT)
		mode = MPOL_LOCAL;
	return syscall(SYS_mbind, mem, bytes, mode,
		       mode == MPOL_LOCAL ? NULL : nodes,
		       mode == MPOL_LOCAL ? 0UL : NODES_MAX + 1, 0U) ?
		       "mbind" :
		       NULL;
}

void keep_mapped(void *mem, u64 bytes)
{
	const char *failed = give_policy(mem, bytes);
	static bool warned;
	int error = errno;
	u64 balancing;

	if (!failed || warned ||
	    !read_number(&balancing, "/proc/sys/kernel/numa_balancing") ||
	    !balancing)
		return;
	warn("%s: %s: NUMA balancing may disturb: sysctl "
	     "kernel.numa_balancing=0",
	     failed, strerror(error));
	warned = true;
}

void populate(void *mem, u64 bytes, u64 page_bytes)
{
	struct sigaction on_bus = { .sa_handler = handle_bus_error }, before;
	u64 slice = max_u64(SLICE_BYTES, page_bytes);
	u64 threads = min_u64(max_u64(1, cpus_usable()), SLICE_THREADS);

	if (sigaction(SIGBUS, &on_bus, &before))
		die("rt_sigaction of SIGBUS, by which memory tells that it "
		    "has no page: %s",
		    errno_text(errno));
	for (u64 at = 0; at < bytes; at += slice) {
		u64 part = min_u64(slice, bytes - at);
		u64 nr = DIV_ROUND_UP(part,
				      max_u64(SHARE_MIN_BYTES, page_bytes));
		int error = populate_slice((u8 *)mem + at, part, page_bytes,
					   max_u64(1, min_u64(nr, threads)));

		if (error)
			die("populating %llu bytes of host memory "
			    "(MADV_POPULATE_WRITE): %s: choose "
			    "smaller --bytes, or another --backing",
			    (unsigned long long)bytes,
			    error == EFAULT ? "Bad address, no page could be "
					      "had, as on a file system that "
					      "is full" :
					      strerror(error));
		interrupt_check();
	}
	sigaction(SIGBUS, &before, NULL);
}
