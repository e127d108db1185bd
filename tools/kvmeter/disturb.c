/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of the host that make times spread: one probe each, in a table. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "disturb.h"
#include "host.h"
#include "util.h"

#define CPU "/sys/devices/system/cpu"
#define THP "/sys/kernel/mm/transparent_hugepage"

/* A probe tells the state and sets *@seen. */
struct probe {
	const char *name;
	enum disturbance_state (*read)(const struct host_facts *host,
				       char **seen);
	const char *remedy; /* of DISTURBS */
};

static enum disturbance_state probe_hypervisor(const struct host_facts *host,
					       char **seen)
{
	if (!host->hypervisor) {
		*seen = xstrdup("none is announced");
		return QUIET;
	}
	/* "yes" is all that the CPU tells: host.h */
	*seen = strcmp(host->hypervisor, "yes") ?
			xasprintf("this host is a virtual machine (%s)",
				  host->hypervisor) :
			xstrdup("this host is a virtual machine");
	return DISTURBS;
}

/* How many files match @pattern, and in how many of them @quiet stands. */
static size_t count_files(const char *pattern, const char *quiet,
			  size_t *nr_quiet)
{
	size_t nr = 0, i;
	char *text;
	glob_t found;

	*nr_quiet = 0;
	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc; i++) {
		text = read_text("%s", found.gl_pathv[i]);
		if (!text)
			continue;
		nr++;
		*nr_quiet += strcmp(text, quiet) == 0;
		free(text);
	}
	globfree(&found);
	return nr;
}

static enum disturbance_state probe_governor(const struct host_facts *host,
					     char **seen)
{
	size_t quiet,
		nr = count_files(CPU "/cpu[0-9]*/cpufreq/scaling_governor",
				 "performance", &quiet);

	if (nr == 0) {
		*seen = xstrdup("no governor: firmware or hypervisor set the "
				"frequency");
		return UNKNOWN;
	}
	if (quiet == nr) {
		*seen = xasprintf("performance on %zu CPUs", nr);
		return QUIET;
	}
	*seen = xasprintf("%zu of %zu CPUs not under performance (CPU 0: %s)",
			  nr - quiet, nr,
			  host->governor ? host->governor : "unknown");
	return DISTURBS;
}

static enum disturbance_state probe_turbo(const struct host_facts *host,
					  char **seen)
{
	u64 boost, no_turbo;

	(void)host;
	if (read_number(&no_turbo, CPU "/intel_pstate/no_turbo"))
		boost = !no_turbo;
	else if (!read_number(&boost, CPU "/cpufreq/boost")) {
		*seen = xstrdup("no switch for it");
		return UNKNOWN;
	}
	*seen = xstrdup(boost ? "on: the frequency depends on heat and load" :
				"off");
	return boost ? DISTURBS : QUIET;
}

static enum disturbance_state probe_smt(const struct host_facts *host,
					char **seen)
{
	u64 active;

	(void)host;
	if (!read_number(&active, CPU "/smt/active")) {
		*seen = xstrdup("the kernel does not tell");
		return UNKNOWN;
	}
	*seen = xstrdup(active ? "active: CPUs share a core" :
				 "no CPU shares a core with another");
	return active ? DISTURBS : QUIET;
}

static enum disturbance_state probe_numa(const struct host_facts *host,
					 char **seen)
{
	size_t unused, nodes = count_files("/sys/devices/system/node/"
					   "node[0-9]*/cpulist",
					   "", &unused);

	if (nodes == 1 || !host->numa_balancing ||
	    strcmp(host->numa_balancing, "0") == 0) {
		*seen = xstrdup(nodes == 1	     ? "one node" :
				host->numa_balancing ? "off" :
						       "the kernel has none");
		return QUIET;
	}
	*seen = xasprintf("on (%s), %zu nodes: it unmaps pages to see who "
			  "uses them",
			  host->numa_balancing, nodes);
	return DISTURBS;
}

static enum disturbance_state probe_khugepaged(const struct host_facts *host,
					       char **seen)
{
	if (!host->thp) {
		*seen = xstrdup("the kernel has no transparent huge pages");
		return QUIET;
	}
	*seen = xasprintf("transparent huge pages: %s", host->thp);
	return strcmp(host->thp, "always") ? QUIET : DISTURBS;
}

static enum disturbance_state probe_defrag(const struct host_facts *host,
					   char **seen)
{
	char *text = read_text(THP "/defrag");

	(void)host;
	if (!text) {
		*seen = xstrdup("the kernel has no transparent huge pages");
		return QUIET;
	}
	*seen = xasprintf("%.*s",
			  (int)strcspn(text + strcspn(text, "["), "]") + 1,
			  text + strcspn(text, "["));
	free(text);
	return strcmp(*seen, "[always]") ? QUIET : DISTURBS;
}

static enum disturbance_state probe_ksm(const struct host_facts *host,
					char **seen)
{
	u64 run;

	(void)host;
	if (!read_number(&run, "/sys/kernel/mm/ksm/run")) {
		*seen = xstrdup("the kernel has none");
		return QUIET;
	}
	*seen = xstrdup(run == 1 ? "it runs: it merges pages of guests" :
				   "it does not run");
	return run == 1 ? DISTURBS : QUIET;
}

static enum disturbance_state probe_isolation(const struct host_facts *host,
					      char **seen)
{
	char *isolated = read_text(CPU "/isolated");
	char *tickless = read_text(CPU "/nohz_full");
	bool found = isolated && *isolated;

	(void)host;
	if (found)
		*seen = xasprintf("isolated: %s; without tick: %s", isolated,
				  tickless && *tickless ? tickless : "none");
	else
		*seen = xstrdup("no CPU is: other work shares them all");
	free(isolated);
	free(tickless);
	return found ? QUIET : DISTURBS;
}

static enum disturbance_state probe_clock(const struct host_facts *host,
					  char **seen)
{
	/* read without leaving user mode, in some ten nanoseconds */
	static const char *const fast[] = { "tsc", "kvm-clock",
					    "hyperv_clocksource_tsc_page",
					    "arch_sys_counter" };
	size_t i;

	if (!host->clocksource) {
		*seen = xstrdup("the kernel does not tell");
		return UNKNOWN;
	}
	*seen = xstrdup(host->clocksource);
	for (i = 0; i < ARRAY_SIZE(fast); i++)
		if (strcmp(host->clocksource, fast[i]) == 0)
			return QUIET;
	return DISTURBS;
}

static enum disturbance_state probe_debugging(const struct host_facts *host,
					      char **seen)
{
	bool lockdep = access("/proc/lockdep", F_OK) == 0;
	bool kmemleak = access("/sys/kernel/debug/kmemleak", F_OK) == 0;

	(void)host;
	*seen = xstrdup(lockdep && kmemleak ? "it has lockdep and kmemleak" :
			lockdep		    ? "it has lockdep" :
			kmemleak	    ? "it has kmemleak" :
					      "neither lockdep nor kmemleak");
	return lockdep || kmemleak ? DISTURBS : QUIET;
}

/* The average over a minute holds what has ended since, so it takes a lot. */
static enum disturbance_state probe_load(const struct host_facts *host,
					 char **seen)
{
	char *text = read_text("/proc/loadavg");
	double load;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	(void)host;
	if (!text) {
		*seen = xstrdup("/proc/loadavg cannot be read");
		return UNKNOWN;
	}
	load = strtod(text, NULL);
	*seen = xasprintf("%.2f over the last minute, on %ld CPUs", load, cpus);
	free(text);
	return load > cpus / 4.0 ? DISTURBS : QUIET;
}

/* Kibibytes that /proc/meminfo has for @key. */
static double meminfo(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? strtod(at + strlen(key), NULL) : 0;
}

static enum disturbance_state probe_memory(const struct host_facts *host,
					   char **seen)
{
	char *text = read_text("/proc/meminfo");
	double total = meminfo(text, "MemTotal:");
	double available = meminfo(text, "MemAvailable:");

	(void)host;
	free(text);
	if (total <= 0) {
		*seen = xstrdup("/proc/meminfo does not tell");
		return UNKNOWN;
	}
	*seen = xasprintf("%.0f%% of %.1f GiB available",
			  100 * available / total, total / 1024 / 1024);
	return available < total / 10 ? DISTURBS : QUIET;
}

/* clang-format off */
static const struct probe probes[] = {
	{ "hypervisor", probe_hypervisor,
	  "bare metal is quieter; else compare in turn, and take more runs" },
	{ "frequency governor", probe_governor,
	  "cpupower frequency-set -g performance" },
	{ "turbo", probe_turbo,
	  "echo 1 >" CPU "/intel_pstate/no_turbo, or echo 0 >" CPU "/cpufreq/boost" },
	{ "SMT siblings", probe_smt,
	  "--pin to one CPU of each core, or echo off >" CPU "/smt/control" },
	{ "NUMA balancing", probe_numa,
	  "echo 0 >/proc/sys/kernel/numa_balancing" },
	{ "khugepaged", probe_khugepaged,
	  "echo madvise >" THP "/enabled" },
	{ "THP defrag", probe_defrag,
	  "echo madvise >" THP "/defrag" },
	{ "KSM", probe_ksm,
	  "echo 0 >/sys/kernel/mm/ksm/run" },
	{ "isolated CPUs", probe_isolation,
	  "boot with isolcpus=LIST nohz_full=LIST, and --pin to these" },
	{ "clock source", probe_clock,
	  "choose tsc if the kernel offers it: each look at the clock counts" },
	{ "debugging kernel", probe_debugging,
	  "measure a kernel built without CONFIG_LOCKDEP and CONFIG_DEBUG_KMEMLEAK" },
	{ "load", probe_load,
	  "end what else runs, or wait for it" },
	{ "memory", probe_memory,
	  "free some: reclaim takes pages away from guests" },
};
/* clang-format on */

size_t disturbances_read(struct disturbance **list)
{
	struct host_facts host;
	size_t i;

	host_read(&host);
	*list = xcalloc(ARRAY_SIZE(probes), sizeof(**list));
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		struct disturbance *d = &(*list)[i];

		d->name = probes[i].name;
		d->state = probes[i].read(&host, &d->seen);
		d->remedy = d->state == DISTURBS ? probes[i].remedy : NULL;
	}
	host_fini(&host);
	return ARRAY_SIZE(probes);
}
