/* SPDX-License-Identifier: GPL-2.0-only */
/* What kvmeter doctor asks about limits of this process, and other programs. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "arch.h"
#include "cgroup.h"
#include "doctor.h"
#include "kvm_ioctl.h"
#include "setting_record.h"
#include "tracepoint.h"
#include "units.h"
#include "util.h"
#include "vm.h"
#include "words.h"

/* What setrlimit() would allow this process; it is as before afterwards. */
static rlim_t highest(int resource, rlim_t want)
{
	struct rlimit before, raised;

	if (getrlimit(resource, &before))
		return 0;
	raised = before;
	if (raised.rlim_max < want) {
		raised.rlim_max = want;
		if (setrlimit(resource, &raised) == 0)
			setrlimit(resource, &before);
		else
			raised = before;
	}
	return raised.rlim_max;
}

static void look_at_files(struct doctor *d)
{
	u64 most = d->vm_fd < 0 ? 0 : kvm_has(d->vm_fd, KVM_CAP_MAX_VCPUS);
	u64 wanted = max_u64(most, d->host.cpus);
	rlim_t need = vm_files_needed(wanted);
	rlim_t have = highest(RLIMIT_NOFILE, need), few;
	u64 vcpus = 0;

	if (have >= need) {
		doctor_found(d, NULL, FINDING_OK,
			     xasprintf("enough for %llu vCPUs",
				       (unsigned long long)wanted),
			     NULL);
		return;
	}
	/* so many more for each vCPU */
	few = vm_files_needed(0);
	if (have > few)
		vcpus = (have - few) / (vm_files_needed(1) - few);
	few = vm_files_needed(d->host.cpus);
	doctor_found(d, NULL, have < few ? FINDING_HINDERS : FINDING_OK,
		     xasprintf("%llu at most: enough for %llu vCPUs",
			       (unsigned long long)have,
			       (unsigned long long)vcpus),
		     have < few ? xasprintf("as root: prlimit --pid $$ "
					    "--nofile=%llu",
					    (unsigned long long)need) :
				  NULL);
}

static char *limit_text(rlim_t limit)
{
	char size[UNIT_LEN];

	return xstrdup(limit == RLIM_INFINITY ? "no limit" :
						format_size(size, limit));
}

static void look_at_file_size(struct doctor *d)
{
	rlim_t have = highest(RLIMIT_FSIZE, RLIM_INFINITY);
	struct rlimit now;
	bool enough;

	/* who runs a benchmark gets the soft limit */
	if (getrlimit(RLIMIT_FSIZE, &now) == 0)
		have = now.rlim_cur;
	enough = have >= DOCTOR_RUN_BYTES;
	doctor_found(d, NULL, enough ? FINDING_OK : FINDING_HINDERS,
		     limit_text(have),
		     enough ? NULL : xstrdup("ulimit -f unlimited"));
}

static void look_at_locked(struct doctor *d)
{
	struct rlimit now = { 0 };
	char *text;

	getrlimit(RLIMIT_MEMLOCK, &now);
	text = limit_text(now.rlim_cur);
	doctor_found(d, NULL, FINDING_OK,
		     xasprintf("%s; no benchmark locks any", text), NULL);
	free(text);
}

static void look_at_cpus(struct doctor *d)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long usable = d->host.cpus;

	if (usable > 1)
		doctor_found(d, NULL, FINDING_OK,
			     xasprintf("%llu of %ld", usable, online), NULL);
	else
		doctor_found(d, NULL, FINDING_DISTURBS,
			     xasprintf("%llu of %ld: the host half shares it "
				       "with the guest",
				       usable, online),
			     online > 1 ? xasprintf("taskset -pc 0-%ld $$",
						    online - 1) :
					  NULL);
}

static void look_at_quota(struct doctor *d)
{
	char *file;
	double cpus = cgroup_cpu_quota("", &file);

	if (!cpus)
		doctor_found(d, NULL, FINDING_OK,
			     xstrdup("no control group has one"), NULL);
	else
		doctor_found(d, NULL, FINDING_DISTURBS,
			     xasprintf("%.2f CPUs' worth: vCPUs stand still "
				       "when it is used up",
				       cpus),
			     xasprintf("echo %s > %s",
				       strstr(file, "cpu.max") ? "max" : "-1",
				       file));
	free(file);
}

/* Can a group be made below ours whose memory is limited? */
static void look_at_groups(struct doctor *d)
{
	char *dir = cgroup_directory("", "memory"), *controllers = NULL;
	bool version_1 = dir;

	if (!dir)
		dir = cgroup_directory("", NULL);
	if (dir && !version_1)
		controllers = read_text("%s/cgroup.controllers", dir);
	if (!version_1 && !(controllers && strstr(controllers, "memory")))
		doctor_found(d, NULL, FINDING_HINDERS,
			     xstrdup("none that has memory is seen here"),
			     xstrdup("mount -t cgroup2 none /sys/fs/cgroup, "
				     "or systemd-run --scope -p Delegate=yes "
				     "kvmeter ..."));
	else if (access(dir, W_OK | X_OK))
		doctor_found(d, NULL, FINDING_HINDERS,
			     xasprintf("version %d, %s cannot be written",
				       version_1 ? 1 : 2, dir),
			     xstrdup("systemd-run --user --scope -p "
				     "Delegate=yes kvmeter ..., or be root"));
	else
		doctor_found(d, NULL, FINDING_OK,
			     xasprintf("version %d, below %s",
				       version_1 ? 1 : 2, dir),
			     NULL);
	free(controllers);
	free(dir);
}

/* There, if perhaps not for this user. */
static bool is_there(const char *path)
{
	return access(path, F_OK) == 0 || errno == EACCES;
}

static char *tracepoint_remedy(int error)
{
	u64 paranoid = 0;

	if (error == ENOENT && !is_there("/sys/kernel/tracing/events") &&
	    !is_there("/sys/kernel/debug/tracing/events"))
		return xstrdup("mount -t tracefs none /sys/kernel/tracing");
	if (error == ENOENT && !geteuid())
		return xstrdup("boot Linux 5.19 or later");
	if (read_number(&paranoid, "/proc/sys/kernel/perf_event_paranoid"))
		return xasprintf("be root, or sysctl "
				 "kernel.perf_event_paranoid=-1 (it is %llu)",
				 (unsigned long long)paranoid);
	return xstrdup("be root");
}

/* An event that is as cheap to count as it is rare, and its filter. */
static void found_tracepoint(struct doctor *d, const char *event,
			     const char *filter)
{
	int fd = tracepoint_open(event, filter);

	if (fd >= 0) {
		close(fd);
		doctor_found(d, event, FINDING_OK, xstrdup("it can be counted"),
			     NULL);
		return;
	}
	doctor_found(d, event, FINDING_HINDERS, xstrdup(strerror(-fd)),
		     tracepoint_remedy(-fd));
}

static void look_at_tracepoints(struct doctor *d)
{
	const struct arch_fault_source *source = arch_fault_source();

	found_tracepoint(d, "lock/contention_begin", "flags != 0");
	if (source && source->tracepoint)
		found_tracepoint(d, source->tracepoint, source->filter);
}

static bool is_program(const char *name)
{
	const char *path = getenv("PATH");
	char *copy = xstrdup(path ? path : "/usr/bin:/bin");
	char *rest = copy, *dir;
	bool found = false;

	while (!found && (dir = strsep(&rest, ":"))) {
		char *file = xasprintf("%s/%s", *dir ? dir : ".", name);

		found = access(file, X_OK) == 0;
		free(file);
	}
	free(copy);
	return found;
}

static void found_program(struct doctor *d, const char *name,
			  const char *package)
{
	if (is_program(name))
		doctor_found(d, NULL, FINDING_OK, xstrdup(name), NULL);
	else
		doctor_found(d, NULL, FINDING_HINDERS, xasprintf("no %s", name),
			     xasprintf("apt-get install %s (Debian)", package));
}

static void look_at_left(struct doctor *d)
{
	struct left_setting *left;
	size_t nr = records_read(&left), i;

	for (i = 0; i < nr; i++) {
		char *echo[] = { "echo", left[i].original, NULL }, *words;

		if (!left[i].path) {
			doctor_found(d, left[i].record, FINDING_UNKNOWN,
				     xstrdup("only root can read it"),
				     xstrdup("sudo kvmeter doctor"));
			continue;
		}
		words = words_quote(echo);
		doctor_found(d, left[i].path, FINDING_DISTURBS,
			     xasprintf("%s, by a kvmeter ab that was killed; "
				       "before it was %s",
				       left[i].now, left[i].original),
			     xasprintf("%s > %s", words, left[i].path));
		free(words);
	}
	if (!nr)
		doctor_found(d, NULL, FINDING_OK,
			     xstrdup("none is left changed"), NULL);
}

static void look_at_gnuplot(struct doctor *d)
{
	found_program(d, "gnuplot", "gnuplot-nox");
}

static void look_at_qemu(struct doctor *d)
{
	/* Debian's package is called after the family */
	bool x86 = d->host.arch && d->host.arch[0] == 'x';
	char *name = xasprintf("qemu-system-%s",
			       d->host.arch ? d->host.arch : "ARCH");

	found_program(d, name, x86 ? "qemu-system-x86" : "qemu-system-arm");
	free(name);
}

/* clang-format off */
const struct doctor_probe doctor_limit_probes[] = {
	{ "open files", "how many vCPUs do they allow?",
	  "more --vcpus than that skip", false, look_at_files },
	{ "file size", "may a file be as large as a guest?",
	  "--backing memfd, shared_hugetlb or PATH skips", false, look_at_file_size },
	{ "locked memory", "how much?", NULL, false, look_at_locked },
	{ "CPUs", "may this process use more than one?",
	  NULL, false, look_at_cpus },
	{ "CPU quota", "is time taken away?", NULL, false, look_at_quota },
	{ "control groups", "can one be made that limits memory?",
	  "benchmarks of reclaim skip", false, look_at_groups },
	{ .name = NULL }
};

const struct doctor_probe doctor_tool_probes[] = {
	{ "settings", "has a kvmeter ab that was killed left them changed?",
	  NULL, false, look_at_left },
	{ "tracepoint", "can this user count events of the kernel?",
	  "what it counts is not verified, or left out", false, look_at_tracepoints },
	{ "gnuplot", "is it there, to draw?",
	  "kvmeter report draws nothing", false, look_at_gnuplot },
	{ "QEMU", "is it there, to boot kernels?",
	  "kvmeter bisect boots no virtual machines", false, look_at_qemu },
	{ .name = NULL }
};
/* clang-format on */
