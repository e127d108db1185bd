/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts of the host that results are read with. What cannot be learnt is NULL
 * (or 0 for numbers), never guessed. Reads files only and changes nothing.
 */
#ifndef KVMETER_HOST_H
#define KVMETER_HOST_H

#include "json.h"
#include "types.h"

struct host_parameter {
	char *name;
	char *value;
};

struct host_facts {
	char *kernel;  /* uname -r */
	char *version; /* uname -v */
	char *cmdline;
	char *arch; /* uname -m */
	char *cpu;  /* model, from /proc/cpuinfo */
	u64 cpus;   /* that this process may use */
	u64 memory_bytes;
	char *hypervisor; /* that this host runs under; NULL: none, or unknown
			   */
	char *boot_id;
	char *thp; /* the chosen word of transparent_hugepage/enabled */
	char *numa_balancing; /* "0" off */
	char *governor;	      /* of CPU 0 */
	char *clocksource;
	char *kvm_module; /* vendor module, or "kvm" where there is none */
	struct host_parameter *parameters; /* of kvm and the vendor module */
	unsigned int nr_parameters;
};

void host_read(struct host_facts *host);
void host_fini(struct host_facts *host);

/* One paragraph of at most three lines, each after @prefix. */
void host_print(const struct host_facts *host, const char *prefix, FILE *out);

/* The "host" object of the results. */
void host_json(const struct host_facts *host, struct json *j);

#endif
