/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * UAPI definitions newer than Linux 5.10, the oldest headers that kvmeter
 * builds against, with the version that brought each. What the running kernel
 * has is always asked of the kernel, never derived from headers.
 */
#ifndef KVMETER_COMPAT_H
#define KVMETER_COMPAT_H

#include <linux/kvm.h>
#include <linux/mempolicy.h>
#include <linux/userfaultfd.h>
#include <sys/mman.h>

/* 5.11: dirty rings, Documentation/virt/kvm/api.rst 8.29 */
#ifndef KVM_CAP_DIRTY_LOG_RING
#define KVM_CAP_DIRTY_LOG_RING 192
#define KVM_EXIT_DIRTY_RING_FULL 31
#define KVM_RESET_DIRTY_RINGS _IO(KVMIO, 0xc7)
#define KVM_DIRTY_GFN_F_DIRTY (1U << 0)
#define KVM_DIRTY_GFN_F_RESET (1U << 1)

struct kvm_dirty_gfn {
	__u32 flags;
	__u32 slot;
	__u64 offset;
};
#endif
/*
 * In pages, the same on every architecture that has rings. <linux/kvm.h> says 0
 * if the headers are older than rings on the architecture.
 */
#if !defined(KVM_DIRTY_LOG_PAGE_OFFSET) || KVM_DIRTY_LOG_PAGE_OFFSET == 0
#undef KVM_DIRTY_LOG_PAGE_OFFSET
#define KVM_DIRTY_LOG_PAGE_OFFSET 64
#endif

/* 6.1 */
#ifndef KVM_CAP_DIRTY_LOG_RING_ACQ_REL
#define KVM_CAP_DIRTY_LOG_RING_ACQ_REL 223
#endif

/* 6.2 */
#ifndef KVM_CAP_DIRTY_LOG_RING_WITH_BITMAP
#define KVM_CAP_DIRTY_LOG_RING_WITH_BITMAP 225
#endif

/* 5.12: include/uapi/linux/mempolicy.h */
#ifndef MPOL_F_NUMA_BALANCING
#define MPOL_F_NUMA_BALANCING (1 << 13)
#endif

/* 5.14: include/uapi/asm-generic/mman-common.h */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* 5.14: binary statistics, Documentation/virt/kvm/api.rst 4.133 */
#ifndef KVM_CAP_BINARY_STATS_FD
#define KVM_CAP_BINARY_STATS_FD 203
#endif
#ifndef KVM_GET_STATS_FD
#define KVM_GET_STATS_FD _IO(KVMIO, 0xce)
#define KVM_STATS_TYPE_MASK (0xF << 0)
#define KVM_STATS_TYPE_CUMULATIVE (0x0 << 0)
#define KVM_STATS_TYPE_INSTANT (0x1 << 0)
#define KVM_STATS_TYPE_PEAK (0x2 << 0)

struct kvm_stats_header {
	__u32 flags;
	__u32 name_size;
	__u32 num_desc;
	__u32 id_offset;
	__u32 desc_offset;
	__u32 data_offset;
};

struct kvm_stats_desc {
	__u32 flags;
	__s16 exponent;
	__u16 size;
	__u32 offset;
	__u32 bucket_size;
	char name[];
};
#endif

/* 5.18: Documentation/virt/kvm/api.rst 7.31 */
#ifndef KVM_CAP_DISABLE_QUIRKS2
#define KVM_CAP_DISABLE_QUIRKS2 213
#endif

/* 6.1: Documentation/admin-guide/mm/userfaultfd.rst */
#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif

/* 6.1: include/uapi/asm-generic/mman-common.h */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* 6.6: eager splitting, Documentation/virt/kvm/api.rst 8.40 */
#ifndef KVM_CAP_ARM_EAGER_SPLIT_CHUNK_SIZE
#define KVM_CAP_ARM_EAGER_SPLIT_CHUNK_SIZE 228
#endif

/* Not in every libc's <sys/mman.h>: include/uapi/asm-generic/hugetlb_encode.h
 */
#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif
#ifndef MFD_HUGETLB
#define MFD_HUGETLB 0x0004U
#endif

#endif
