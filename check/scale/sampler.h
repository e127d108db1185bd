/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this process holds at a moment when it should hold what it held at the
 * one before: a line for each of them in the file that KVMETER_FIGURES names.
 * In a benchmark it is taken after each run, when the VM of that run is gone.
 *
 * KVMETER_FIGURES_EVERY=N writes one line of N. KVMETER_FIGURES_GROUP names a
 * file of a control group that counts bytes, and KVMETER_FIGURES_GROUP_KEY what
 * stands before the number in it. KVMETER_FIGURES_KVM is the directory of
 * debugfs where KVM has one for each VM.
 */
#ifndef CHECK_SAMPLER_H
#define CHECK_SAMPLER_H

/* Main thread only. Nothing without KVMETER_FIGURES. */
void sampler_take(void);

#endif
