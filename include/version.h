/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KVMETER_VERSION_H
#define KVMETER_VERSION_H

#define KVMETER_VERSION "1.0"
#define KVMETER_DATE "2026-11-30" /* of the man pages */

#endif
