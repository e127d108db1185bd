/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * First touch of host memory, so that no measured phase holds it.
 */
#ifndef KVMETER_POPULATE_H
#define KVMETER_POPULATE_H

#include "types.h"

/*
 * Makes the host back [@mem, @mem + @bytes) with memory of its own, as if every
 * page had been written with what it holds: pages of @page_bytes where the host
 * gives these, which no two threads share. @mem is aligned to a host page.
 * Large ranges are shared among as many threads as this process may use CPUs.
 * Uses MADV_POPULATE_WRITE (Linux 5.14) or else writes, with a handler for
 * SIGBUS meanwhile. Dies if there is no memory, or no room in a file. Main
 * thread only.
 */
void populate(void *mem, u64 bytes, u64 page_bytes);

/*
 * Keeps NUMA balancing away from memory whose mappings are to be counted: it
 * unmaps pages for a while to see who uses them, but leaves alone what has a
 * policy of its own. That is the policy of this process, which numactl sets, or
 * else pages go to the node of their first touch, as ever. Before populate().
 * Kernels without NUMA need nothing.
 */
void keep_mapped(void *mem, u64 bytes);

#endif
