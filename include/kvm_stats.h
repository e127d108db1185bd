/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM's binary statistics of one VM or vCPU: KVM_GET_STATS_FD,
 * Documentation/virt/kvm/api.rst 4.133. They need no privilege beyond the
 * descriptor and no debugfs.
 */
#ifndef KVMETER_KVM_STATS_H
#define KVMETER_KVM_STATS_H

#include "types.h"

struct kvm_stats;

/* @fd of a VM or vCPU. NULL if this KVM has none. */
struct kvm_stats *kvm_stats_open(int fd);
void kvm_stats_close(struct kvm_stats *stats);

/* Number of plain values (histograms are left out), and the name of each. */
unsigned int kvm_stats_nr(const struct kvm_stats *stats);
const char *kvm_stats_name(const struct kvm_stats *stats, unsigned int i);

/* Index of a name, or -1. */
int kvm_stats_find(const struct kvm_stats *stats, const char *name);

/* Reads all values at one moment into @values[kvm_stats_nr()]. */
void kvm_stats_read(struct kvm_stats *stats, u64 *values);

#endif
