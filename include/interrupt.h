/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SIGHUP, SIGINT, SIGTERM and SIGXCPU, which RLIMIT_CPU sends: noted by a
 * handler, acted on by the main thread at its next interrupt_check(), which
 * every wait of the library calls. The process then ends by end() with 128 plus
 * the signal's number. A second signal kills, and so does SIGALRM if that main
 * thread hangs for ten seconds more.
 */
#ifndef KVMETER_INTERRUPT_H
#define KVMETER_INTERRUPT_H

/* Process-wide; once, before other threads exist. */
void interrupt_init(void);

/* Returns if there was no signal. Main thread only. */
void interrupt_check(void);

#endif
