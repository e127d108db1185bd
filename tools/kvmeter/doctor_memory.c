/* SPDX-License-Identifier: GPL-2.0-only */
/* What kvmeter doctor asks about memory: how much, and of which kinds. */
#include <dirent.h>
#include <errno.h>
#include <linux/userfaultfd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <unistd.h>
#include "cgroup.h"
#include "doctor.h"
#include "memory_room.h"
#include "uffd.h"
#include "units.h"
#include "util.h"

#define THP "/sys/kernel/mm/transparent_hugepage/"
#define HUGEPAGES "/sys/kernel/mm/hugepages"
#define SHM "/dev/shm"

static char *read_meminfo(const char *key)
{
	char *text = read_text("/proc/meminfo"), size[UNIT_LEN];
	const char *line = text ? strstr(text, key) : NULL;
	u64 kib = line ? strtoull(line + strlen(key), NULL, 10) : 0;

	free(text);
	return xstrdup(format_size(size, ALIGN_DOWN(KIB(kib), MIB(1))));
}

/* Its reasons are "WHY: REMEDY". */
static void found_missing(struct doctor *d, char *why)
{
	char *colon = strstr(why, ": ");

	*colon = '\0';
	doctor_found(d, NULL, FINDING_HINDERS, why, xstrdup(colon + 2));
}

static void look_at_memory(struct doctor *d)
{
	char *why = memory_missing(
		memory_needed(DOCTOR_RUN_BYTES, DOCTOR_RUN_BYTES, 1));
	char *available;

	if (why) {
		found_missing(d, why);
		return;
	}
	available = read_meminfo("MemAvailable:");
	doctor_found(d, NULL, FINDING_OK, xasprintf("%s available", available),
		     NULL);
	free(available);
}

static void look_at_limit(struct doctor *d)
{
	char limit[UNIT_LEN], left[UNIT_LEN];
	struct cgroup_memory m;

	if (!cgroup_memory_read("", &m)) {
		doctor_found(d, NULL, FINDING_OK,
			     xstrdup("no control group has one"), NULL);
		return;
	}
	/* too little is what the probe before this one says */
	doctor_found(d, NULL, FINDING_OK,
		     xasprintf("%s left of %s by %s",
			       format_size(left,
					   ALIGN_DOWN(m.limit - min_u64(m.limit,
									m.used),
						      KIB(64))),
			       format_size(limit, m.limit), m.file),
		     NULL);
	free(m.file);
}

static void found_pool(struct doctor *d, const char *dir, u64 bytes)
{
	u64 total = 0, unused = 0, reserved = 0;
	char size[UNIT_LEN], *seen, *remedy = NULL;
	/* what a run by default takes, and at least one */
	u64 want = DIV_ROUND_UP(DOCTOR_RUN_BYTES, bytes);

	read_number(&total, HUGEPAGES "/%s/nr_hugepages", dir);
	read_number(&unused, HUGEPAGES "/%s/free_hugepages", dir);
	read_number(&reserved, HUGEPAGES "/%s/resv_hugepages", dir);
	unused -= min_u64(unused, reserved);
	seen = xasprintf("%llu of %llu free", (unsigned long long)unused,
			 (unsigned long long)total);
	if (!unused)
		remedy = xasprintf("echo %llu > " HUGEPAGES "/%s/nr_hugepages",
				   (unsigned long long)(total + want), dir);
	doctor_found(d, format_size(size, bytes),
		     unused ? FINDING_OK : FINDING_HINDERS, seen, remedy);
}

static int by_size(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static void look_at_pools(struct doctor *d)
{
	struct dirent **entries;
	int nr = scandir(HUGEPAGES, &entries, NULL, by_size);
	unsigned int pools = 0;

	for (int i = 0; i < nr; i++) {
		unsigned long long kib;

		if (sscanf(entries[i]->d_name, "hugepages-%llukB", &kib) == 1) {
			found_pool(d, entries[i]->d_name, KIB(kib));
			pools++;
		}
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	if (!pools)
		doctor_found(d, NULL, FINDING_HINDERS,
			     xstrdup("this kernel has none"),
			     xstrdup("boot a kernel with CONFIG_HUGETLBFS"));
}

static void look_at_thp(struct doctor *d)
{
	if (!d->host.thp)
		doctor_found(d, NULL, FINDING_HINDERS,
			     xstrdup("this kernel has none"),
			     xstrdup("boot a kernel with "
				     "CONFIG_TRANSPARENT_HUGEPAGE"));
	else if (strcmp(d->host.thp, "never") == 0)
		doctor_found(d, NULL, FINDING_HINDERS, xstrdup("never"),
			     xstrdup("echo madvise > " THP "enabled"));
	else
		doctor_found(d, NULL, FINDING_OK, xstrdup(d->host.thp), NULL);
}

static void look_at_shmem_thp(struct doctor *d)
{
	char *text = read_text(THP "shmem_enabled");
	char *from = text ? strchr(text, '[') : NULL;

	if (!from)
		doctor_found(d, NULL, FINDING_UNKNOWN,
			     xstrdup("the kernel does not tell"), NULL);
	else
		doctor_found(d, NULL, FINDING_OK,
			     xasprintf("%.*s", (int)strcspn(from + 1, "]"),
				       from + 1),
			     NULL);
	free(text);
}

static char *userfaultfd_remedy(int error)
{
	char *user, *remedy;

	if (error == ENOSYS)
		return xstrdup("boot a kernel with CONFIG_USERFAULTFD");
	if (access("/dev/userfaultfd", F_OK))
		return xstrdup("sysctl vm.unprivileged_userfaultfd=1");
	user = doctor_user_name();
	remedy = xasprintf("setfacl -m u:%s:rw /dev/userfaultfd, or "
			   "sysctl vm.unprivileged_userfaultfd=1",
			   user);
	free(user);
	return remedy;
}

static void look_at_userfaultfd(struct doctor *d)
{
	struct uffdio_api api = { .api = UFFD_API };
	const char *how;
	int fd = uffd_open(&how);

	if (fd < 0) {
		doctor_found(d, NULL, FINDING_HINDERS,
			     xasprintf("none for faults of the kernel: %s",
				       strerror(-fd)),
			     userfaultfd_remedy(-fd));
		return;
	}
	if (ioctl(fd, UFFDIO_API, &api))
		doctor_found(d, NULL, FINDING_HINDERS,
			     xasprintf("UFFDIO_API: %s", strerror(errno)),
			     xstrdup("boot another kernel"));
	else
		doctor_found(
			d, NULL, FINDING_OK,
			xasprintf(
				"%s, faults of the kernel included%s", how,
				api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP ?
					", write protection" :
					""),
			NULL);
	close(fd);
}

static void look_at_swap(struct doctor *d)
{
	char *total = read_meminfo("SwapTotal:");

	if (strcmp(total, "0") != 0) {
		doctor_found(d, NULL, FINDING_OK, total, NULL);
		return;
	}
	free(total);
	doctor_found(d, NULL, FINDING_HINDERS, xstrdup("none"),
		     xstrdup("modprobe zram && echo 1G > "
			     "/sys/block/zram0/disksize && mkswap "
			     "/dev/zram0 && swapon /dev/zram0"));
}

/* Files there are made by path; shmem and memfd have no such limit. */
static void look_at_shm(struct doctor *d)
{
	char size[UNIT_LEN], want[UNIT_LEN];
	struct statfs fs;
	u64 unused;

	if (statfs(SHM, &fs)) {
		doctor_found(d, NULL, FINDING_HINDERS,
			     xasprintf("%s", strerror(errno)),
			     xstrdup("mkdir -p " SHM
				     " && mount -t tmpfs none " SHM));
		return;
	}
	unused = (geteuid() ? fs.f_bavail : fs.f_bfree) * (u64)fs.f_bsize;
	if (!fs.f_blocks || unused >= DOCTOR_RUN_BYTES)
		doctor_found(
			d, NULL, FINDING_OK,
			fs.f_blocks ?
				xasprintf("%s free",
					  format_size(size,
						      ALIGN_DOWN(unused,
								 MIB(1)))) :
				xstrdup("no limit"),
			NULL);
	else
		doctor_found(
			d, NULL, FINDING_HINDERS,
			xasprintf("%s free",
				  format_size(size,
					      ALIGN_DOWN(unused, KIB(64)))),
			xasprintf(
				"mount -o remount,size=%s " SHM,
				format_size(
					want,
					ALIGN_UP(fs.f_blocks * (u64)fs.f_bsize -
							 unused +
							 DOCTOR_RUN_BYTES,
						 MIB(1)))));
}

/* clang-format off */
const struct doctor_probe doctor_memory_probes[] = {
	{ "memory to run in", "is there enough for a run by default?",
	  "such a run skips", false, look_at_memory },
	{ "memory limit", "what does a control group leave?",
	  NULL, false, look_at_limit },
	{ "huge pages", "are explicit huge pages reserved?",
	  "--backing anonymous_hugetlb, shared_hugetlb of this size skips", false, look_at_pools },
	{ "transparent huge pages", "can anonymous memory have them?",
	  "--backing anonymous_thp skips", false, look_at_thp },
	{ "THP of shared memory", "can shmem and memfd have them?",
	  NULL, false, look_at_shmem_thp },
	{ "userfaultfd", "can it serve faults that KVM takes for a guest?",
	  "benchmarks of demand paging skip", false, look_at_userfaultfd },
	{ "swap", "can a guest's memory be swapped out?",
	  "benchmarks of faults from swap skip", false, look_at_swap },
	{ SHM, "is there room for a file of a guest's memory?",
	  "--backing " SHM "/NAME of default size skips", false, look_at_shm },
	{ .name = NULL }
};
/* clang-format on */
