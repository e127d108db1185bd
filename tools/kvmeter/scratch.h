/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A temporary directory that goes with this process: when it exits, or else,
 * if it was killed, when the next one makes a directory of its own. Main thread
 * only.
 */
#ifndef KVMETER_SCRATCH_H
#define KVMETER_SCRATCH_H

/*
 * Makes it, below $TMPDIR or /tmp; its path lives until scratch_remove(). One
 * at a time. Signals that ask kvmeter to end wait from now on (child_init()),
 * as they could not leave a directory behind that nobody knows of.
 */
const char *scratch_make(void);

/* With all that is in it; nothing if there is none. */
void scratch_remove(void);

#endif
