/* SPDX-License-Identifier: GPL-2.0-only */
/* What went on while something was measured: counters before and after. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "disturb.h"
#include "util.h"

/* Shares of all CPU time from which on it is worth a word. */
#define STEAL_DISTURBS 0.005
#define OTHERS_DISTURB 0.05

/* Of /proc/stat's first line, see proc_stat(5); guest time is part of user. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, TIMES };

/* Each of these changes the host's memory behind what is measured. */
/* clang-format off */
static const struct counter {
	const char *name; /* of /proc/vmstat */
	const char *what;
} counters[] = {
	{ "pswpin", "pages swapped in" },
	{ "pswpout", "pages swapped out" },
	{ "pgsteal_direct", "pages reclaimed by who asked for memory" },
	{ "compact_stall", "waits for compaction" },
	{ "numa_pages_migrated", "pages moved to another node" },
	{ "numa_hint_faults", "faults to see who uses a page" },
	{ "thp_collapse_alloc", "huge pages made by khugepaged" },
	{ "thp_fault_fallback", "huge pages that were not to be had" },
};
/* clang-format on */

struct disturbance_watch {
	bool has_times;
	u64 times[TIMES]; /* ticks */
	double own_s;
	bool has_counter[ARRAY_SIZE(counters)];
	u64 counters[ARRAY_SIZE(counters)];
	u64 throttled;
	bool has_throttled;
};

static bool read_times(u64 times[TIMES])
{
	char *text = read_text("/proc/stat");
	int nr = 0;

	if (text)
		nr = sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu",
			    (unsigned long long *)&times[USER],
			    (unsigned long long *)&times[NICE],
			    (unsigned long long *)&times[SYSTEM],
			    (unsigned long long *)&times[IDLE],
			    (unsigned long long *)&times[IOWAIT],
			    (unsigned long long *)&times[IRQ],
			    (unsigned long long *)&times[SOFTIRQ],
			    (unsigned long long *)&times[STEAL]);
	free(text);
	return nr == TIMES;
}

static double seconds(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

static double own_seconds(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return seconds(self.ru_utime) + seconds(self.ru_stime) +
	       seconds(children.ru_utime) + seconds(children.ru_stime);
}

static bool read_counter(const char *text, const char *name, u64 *value)
{
	size_t len = strlen(name);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, name, len) == 0 && text[len] == ' ') {
			*value = strtoull(text + len, NULL, 10);
			return true;
		}
	}
	return false;
}

static void watch_read(struct disturbance_watch *w)
{
	char *vmstat = read_text("/proc/vmstat");
	size_t i;

	w->has_times = read_times(w->times);
	w->own_s = own_seconds();
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		w->has_counter[i] =
			read_counter(vmstat, counters[i].name, &w->counters[i]);
	free(vmstat);
	w->has_throttled = read_number(&w->throttled,
				       "/sys/devices/system/cpu/cpu0/"
				       "thermal_throttle/"
				       "package_throttle_count");
}

struct disturbance_watch *disturbance_watch_begin(void)
{
	struct disturbance_watch *w = xcalloc(1, sizeof(*w));

	watch_read(w);
	return w;
}

/* /proc/stat may go back by some ticks: idle time is known to. */
static double ticks_between(u64 before, u64 after)
{
	return after > before ? (double)(after - before) : 0;
}

static struct disturbance steal(const struct disturbance_watch *before,
				const struct disturbance_watch *after)
{
	struct disturbance d = { .name = "steal time", .state = UNKNOWN };
	double all = 0, stolen;
	int i;

	if (!before->has_times || !after->has_times) {
		d.seen = xstrdup("/proc/stat does not tell");
		return d;
	}
	for (i = 0; i < TIMES; i++)
		all += ticks_between(before->times[i], after->times[i]);
	stolen = ticks_between(before->times[STEAL], after->times[STEAL]);
	stolen = all > 0 ? stolen / all : 0;
	d.seen = xasprintf("%.1f%% of the time of all CPUs", 100 * stolen);
	d.state = stolen >= STEAL_DISTURBS ? DISTURBS : QUIET;
	if (d.state == DISTURBS)
		d.remedy = "other guests of this machine's host take it: "
			   "measure at another time, or elsewhere";
	return d;
}

static struct disturbance others(const struct disturbance_watch *before,
				 const struct disturbance_watch *after)
{
	static const int busy[] = { USER, NICE, SYSTEM, IRQ, SOFTIRQ };
	struct disturbance d = { .name = "load of others", .state = UNKNOWN };
	double used = 0, all = 0, share;
	size_t i;

	if (!before->has_times || !after->has_times) {
		d.seen = xstrdup("/proc/stat does not tell");
		return d;
	}
	for (i = 0; i < TIMES; i++)
		all += ticks_between(before->times[i], after->times[i]);
	for (i = 0; i < ARRAY_SIZE(busy); i++)
		used += ticks_between(before->times[busy[i]],
				      after->times[busy[i]]);
	used -= (after->own_s - before->own_s) * sysconf(_SC_CLK_TCK);
	share = all > 0 && used > 0 ? used / all : 0;
	d.seen = xasprintf("%.1f%% of the time of all CPUs", 100 * share);
	d.state = share >= OTHERS_DISTURB ? DISTURBS : QUIET;
	if (d.state == DISTURBS)
		d.remedy = "end what else runs (top tells), or --pin away "
			   "from it";
	return d;
}

static struct disturbance memory(const struct disturbance_watch *before,
				 const struct disturbance_watch *after)
{
	struct disturbance d = { .name = "memory moved", .state = UNKNOWN };
	char *text = NULL, *longer;
	size_t known = 0, i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		u64 more = after->counters[i] - before->counters[i];

		if (!before->has_counter[i] || !after->has_counter[i])
			continue;
		known++;
		if (!more)
			continue;
		longer = xasprintf("%s%s%llu %s", text ? text : "",
				   text ? ", " : "", (unsigned long long)more,
				   counters[i].what);
		free(text);
		text = longer;
	}
	d.state = text ? DISTURBS : known ? QUIET : UNKNOWN;
	d.seen = text  ? text :
		 known ? xstrdup("nothing") :
			 xstrdup("/proc/vmstat does not tell");
	return d;
}

static struct disturbance throttling(const struct disturbance_watch *before,
				     const struct disturbance_watch *after)
{
	struct disturbance d = { .name = "throttled by heat",
				 .state = UNKNOWN };

	if (!before->has_throttled || !after->has_throttled) {
		d.seen = xstrdup("the kernel does not tell");
		return d;
	}
	d.seen = xasprintf(
		"%llu times",
		(unsigned long long)(after->throttled - before->throttled));
	d.state = after->throttled > before->throttled ? DISTURBS : QUIET;
	if (d.state == DISTURBS)
		d.remedy = "cool it, or lower the frequency";
	return d;
}

size_t disturbance_watch_end(struct disturbance_watch *watch,
			     struct disturbance **list)
{
	static struct disturbance (*const looks[])(
		const struct disturbance_watch *,
		const struct disturbance_watch *) = { steal, others, memory,
						      throttling };
	struct disturbance_watch now;
	size_t i;

	watch_read(&now);
	*list = xcalloc(ARRAY_SIZE(looks), sizeof(**list));
	for (i = 0; i < ARRAY_SIZE(looks); i++)
		(*list)[i] = looks[i](watch, &now);
	free(watch);
	return ARRAY_SIZE(looks);
}
