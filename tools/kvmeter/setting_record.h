/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What settings were, in a file that outlives this process and its guardian: if
 * both are killed at once, the next one puts them back. The file is in /run,
 * where only root writes, and is for root alone. Main thread only.
 */
#ifndef KVMETER_SETTING_RECORD_H
#define KVMETER_SETTING_RECORD_H

#include "setting.h"

/*
 * Before the first value is changed; @s has the original ones. The record is
 * locked until this process, and what it forks, has ended. A warning if none
 * can be written.
 */
void record_write(const struct settings *s);

/* All is as it was. */
void record_remove(void);

/* A setting that somebody has left changed. */
struct left_setting {
	char *path; /* NULL: of @record, which only root can read */
	char *now, *original;
	char *record;
};

/* *@left lives as long as the process. Changes nothing. */
size_t records_read(struct left_setting **left);

/*
 * Puts back what others have left, and says so; a value that is neither theirs
 * nor the original one stays. Ends by EXIT_FAIL if the kernel refuses one.
 */
void records_restore(void);

#endif
