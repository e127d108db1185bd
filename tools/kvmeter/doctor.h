/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kvmeter doctor asks of a host: tables of probes, and what they find.
 * Probes look and change nothing: a VM that one creates is gone with its
 * descriptor. Main thread only.
 */
#ifndef KVMETER_DOCTOR_H
#define KVMETER_DOCTOR_H

#include <stdio.h>
#include "host.h"
#include "types.h"

enum finding_state {
	FINDING_OK,
	FINDING_HINDERS,  /* something skips or fails: probe.hinders */
	FINDING_DISTURBS, /* times spread, or mean something else */
	FINDING_UNKNOWN,  /* the host does not tell */
};

struct doctor;

/* Rows of const tables, ended by name NULL. */
struct doctor_probe {
	const char *name;
	const char *question;
	const char *hinders; /* what skips or fails; NULL: it only disturbs */
	bool vital;	     /* without it nothing runs */
	/* calls doctor_found(), once or more often */
	void (*look)(struct doctor *d);
};

extern const struct doctor_probe doctor_kvm_probes[];
extern const struct doctor_probe doctor_memory_probes[];
extern const struct doctor_probe doctor_limit_probes[];
extern const struct doctor_probe doctor_tool_probes[];

struct finding {
	const struct doctor_probe *probe;
	char *name; /* the probe's, or with what it is about: "huge pages 2M" */
	enum finding_state state;
	char *seen;
	char *remedy; /* a command where there is one; NULL: none */
};

struct doctor {
	const struct doctor_probe *probe; /* that is looking now */
	struct host_facts host;
	int kvm_fd, vm_fd; /* -1: not there */
	struct finding *findings;
	size_t nr;
};

/* Looks at everything. What it allocates lives as long as the process. */
void doctor_examine(struct doctor *d);

/*
 * Takes @seen and @remedy, which may be NULL where nothing need be done.
 * @about, or NULL, is added to the probe's name.
 */
void doctor_found(struct doctor *d, const char *about, enum finding_state state,
		  char *seen, char *remedy);

/*
 * Who this process is, for a command that names the user: out of /etc/passwd,
 * else the number. To be freed.
 */
char *doctor_user_name(void);

/* Guest memory that no benchmark exceeds by its defaults. */
#define DOCTOR_RUN_BYTES MIB(256)

/* "ok", "no", "noisy", "unknown" */
const char *finding_state_name(enum finding_state state);

#endif
