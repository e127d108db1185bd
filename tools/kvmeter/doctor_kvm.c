/* SPDX-License-Identifier: GPL-2.0-only */
/* What kvmeter doctor asks of KVM. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arch.h"
#include "doctor.h"
#include "kvm_ioctl.h"
#include "kvm_module.h"
#include "mode.h"
#include "util.h"

#define KVM_PATH "/dev/kvm"

/* NULL: no such group. To be freed. */
static char *group_name(gid_t gid)
{
	FILE *file = fopen("/etc/group", "re");
	struct group *group;
	char *name = NULL;

	while (file && !name && (group = fgetgrent(file)))
		if (group->gr_gid == gid)
			name = xstrdup(group->gr_name);
	if (file)
		fclose(file);
	return name;
}

/* The group may use it, or else this user alone is let in. */
static char *permission_remedy(const struct stat *st)
{
	char *group = group_name(st->st_gid), *user = doctor_user_name();
	mode_t both = S_IRGRP | S_IWGRP;
	char *remedy;

	if ((st->st_mode & both) == both && group && st->st_gid)
		remedy = xasprintf("usermod -aG %s %s, then log in anew", group,
				   user);
	else
		remedy = xasprintf("setfacl -m u:%s:rw " KVM_PATH, user);
	free(group);
	free(user);
	return remedy;
}

/* proc(5), misc: the minor number of a driver that is there. */
static bool find_misc_device(const char *name, unsigned long *minor)
{
	char *text = read_text("/proc/misc"), *rest = text, *line, *end;
	bool found = false;

	while (!found && rest && (line = strsep(&rest, "\n"))) {
		*minor = strtoul(line, &end, 10);
		found = strcmp(end + strspn(end, " "), name) == 0;
	}
	free(text);
	return found;
}

static char *missing_remedy(const struct doctor *d)
{
	const char *module = kvm_module_of_cpu("");
	unsigned long minor;

	if (find_misc_device("kvm", &minor))
		return xasprintf("mknod " KVM_PATH " c 10 %lu, or start the "
				 "container with --device " KVM_PATH,
				 minor);
	if (module)
		return xasprintf("modprobe %s; if that fails, enable "
				 "virtualization in the firmware",
				 module);
	if (d->host.hypervisor)
		return xstrdup("enable nested virtualization in the hypervisor "
			       "that this host runs under");
	return xstrdup("enable virtualization in the firmware; dmesg | grep "
		       "-i kvm tells why the kernel has none");
}

static void look_at_device(struct doctor *d)
{
	int fd = open(KVM_PATH, O_RDWR | O_CLOEXEC), error = errno;
	struct stat st;

	d->kvm_fd = fd;
	if (fd >= 0)
		doctor_found(d, NULL, FINDING_OK, xstrdup("it can be opened"),
			     NULL);
	else if ((error == EACCES || error == EPERM) && !stat(KVM_PATH, &st))
		doctor_found(d, NULL, FINDING_HINDERS,
			     xasprintf("no permission: mode %04o, user %u, "
				       "group %u",
				       st.st_mode & 07777, st.st_uid,
				       st.st_gid),
			     permission_remedy(&st));
	else
		doctor_found(d, NULL, FINDING_HINDERS,
			     xasprintf("open: %s", strerror(error)),
			     missing_remedy(d));
}

/* For probes of what there is not: nobody can be asked. */
static bool nobody_there(struct doctor *d, int fd)
{
	if (fd >= 0)
		return false;
	doctor_found(d, NULL, FINDING_UNKNOWN,
		     xstrdup(fd == d->vm_fd && d->kvm_fd >= 0 ?
				     "no VM to ask" :
				     "no KVM to ask"),
		     NULL);
	return true;
}

static void look_at_version(struct doctor *d)
{
	int version;

	if (nobody_there(d, d->kvm_fd))
		return;
	version = __kvm_ioctl(d->kvm_fd, KVM_GET_API_VERSION, 0);
	if (version == KVM_API_VERSION) {
		doctor_found(d, NULL, FINDING_OK, xasprintf("%d", version),
			     NULL);
		return;
	}
	/* the probes below would ask something that is not KVM */
	close(d->kvm_fd);
	d->kvm_fd = -1;
	doctor_found(
		d, NULL, FINDING_HINDERS,
		version < 0 ? xasprintf(KVM_PATH " is not KVM: %s",
					strerror(-version)) :
			      xasprintf("%d, not %d", version, KVM_API_VERSION),
		version < 0 ? xstrdup("ls -l " KVM_PATH
				      " shows what it is, and " KVM_PATH
				      " is to be character device 10, 232") :
			      xstrdup("boot another kernel"));
}

/* Modules of other hypervisors, which keep the hardware to themselves. */
static const char *const rivals[] = { "vboxdrv", "vmmon", NULL };

static char *create_remedy(int error)
{
	char *why;

	for (size_t i = 0; error == EBUSY && rivals[i]; i++) {
		char *path = xasprintf(MODULES "/%s", rivals[i]);
		bool loaded = access(path, F_OK) == 0;

		free(path);
		if (loaded)
			return xasprintf("end its virtual machines, then "
					 "rmmod %s",
					 rivals[i]);
	}
	why = kvm_ioctl_error("KVM_CREATE_VM", KVM_CREATE_VM, 0, error);
	return why;
}

static void look_at_vm(struct doctor *d)
{
	if (nobody_there(d, d->kvm_fd))
		return;
	d->vm_fd = __kvm_ioctl(d->kvm_fd, KVM_CREATE_VM,
			       arch_vm_type(d->kvm_fd, mode_find(NULL)));
	if (d->vm_fd >= 0)
		doctor_found(d, NULL, FINDING_OK, xstrdup("one was created"),
			     NULL);
	else
		doctor_found(d, NULL, FINDING_HINDERS,
			     xasprintf("KVM_CREATE_VM: %s",
				       strerror(-d->vm_fd)),
			     create_remedy(-d->vm_fd));
}

static void look_at_vcpu(struct doctor *d)
{
	int fd;

	if (nobody_there(d, d->vm_fd))
		return;
	fd = __kvm_ioctl(d->vm_fd, KVM_CREATE_VCPU, 0);
	if (fd >= 0) {
		close(fd);
		doctor_found(d, NULL, FINDING_OK,
			     xasprintf("one was created; KVM has %d at most",
				       kvm_has(d->vm_fd, KVM_CAP_MAX_VCPUS)),
			     NULL);
		return;
	}
	doctor_found(d, NULL, FINDING_HINDERS,
		     xasprintf("KVM_CREATE_VCPU: %s", strerror(-fd)),
		     xstrdup("dmesg tells why"));
}

static const char *parameter(const struct doctor *d, const char *name)
{
	for (unsigned int i = 0; i < d->host.nr_parameters; i++) {
		const char *full = d->host.parameters[i].name;

		if (strcmp(strchr(full, '.') + 1, name) == 0)
			return d->host.parameters[i].value;
	}
	return NULL;
}

/* What a reader of results wants to know, as far as this KVM has it. */
static void look_at_module(struct doctor *d)
{
	static const char *const names[] = {
		"ept",		 "npt",		 "tdp_mmu", "eager_page_split",
		"nx_huge_pages", "mmio_caching", "nested",
	};
	char *text = xstrdup(d->host.kvm_module ? d->host.kvm_module :
						  "built in, or none");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = parameter(d, names[i]);
		char *longer;

		if (!value)
			continue;
		longer = xasprintf("%s, %s=%s", text, names[i], value);
		free(text);
		text = longer;
	}
	doctor_found(d, NULL, d->host.kvm_module ? FINDING_OK : FINDING_UNKNOWN,
		     text, NULL);
}

/* The hardware's second level of translation, where a module can switch it. */
static void look_at_paging(struct doctor *d)
{
	static const char *const names[] = { "ept", "npt" };
	const char *value;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		value = parameter(d, names[i]);
		if (!value)
			continue;
		if (*value == 'Y')
			doctor_found(d, NULL, FINDING_OK,
				     xasprintf("by hardware (%s)", names[i]),
				     NULL);
		else
			doctor_found(d, NULL, FINDING_DISTURBS,
				     xasprintf("by shadow paging (%s=%s): "
					       "times are those of its MMU",
					       names[i], value),
				     xasprintf("modprobe -r %s && modprobe %s "
					       "%s=1",
					       d->host.kvm_module,
					       d->host.kvm_module, names[i]));
		return;
	}
	doctor_found(d, NULL, FINDING_UNKNOWN,
		     xasprintf("%s has no switch for it",
			       d->host.kvm_module ? d->host.kvm_module : "KVM"),
		     NULL);
}

static void look_at_nx(struct doctor *d)
{
	const char *value = parameter(d, "nx_huge_pages");

	if (!value || *value == 'N' || strcmp(value, "never") == 0)
		doctor_found(d, NULL, FINDING_OK,
			     xstrdup(value ? "off" : "this KVM has none"),
			     NULL);
	else
		doctor_found(d, NULL, FINDING_DISTURBS,
			     xasprintf("%s: blocks are split for execution, "
				       "and made whole again now and then",
				       value),
			     xstrdup("echo off > " MODULES
				     "/kvm/parameters/nx_huge_pages"));
}

static void look_at_statistics(struct doctor *d)
{
	if (nobody_there(d, d->vm_fd))
		return;
	if (kvm_has(d->vm_fd, KVM_CAP_BINARY_STATS_FD))
		doctor_found(d, NULL, FINDING_OK,
			     xstrdup("KVM_GET_STATS_FD is there"), NULL);
	else
		doctor_found(d, NULL, FINDING_HINDERS,
			     xstrdup("no KVM_CAP_BINARY_STATS_FD"),
			     xstrdup("boot Linux 5.14 or later"));
}

static void look_at_slots(struct doctor *d)
{
	if (nobody_there(d, d->vm_fd))
		return;
	doctor_found(d, NULL, FINDING_OK,
		     xasprintf("%d at most",
			       kvm_has(d->vm_fd, KVM_CAP_NR_MEMSLOTS)),
		     NULL);
}

static void look_at_manual(struct doctor *d)
{
	if (nobody_there(d, d->vm_fd))
		return;
	if (kvm_has(d->vm_fd, KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2))
		doctor_found(d, NULL, FINDING_OK,
			     xstrdup("KVM_CLEAR_DIRTY_LOG is there"), NULL);
	else
		doctor_found(d, NULL, FINDING_HINDERS,
			     xstrdup("no KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2"),
			     xstrdup("boot Linux 5.2 or later"));
}

static void look_at_ring(struct doctor *d)
{
	int bytes;

	if (nobody_there(d, d->vm_fd))
		return;
	bytes = kvm_has(d->vm_fd, KVM_CAP_DIRTY_LOG_RING_ACQ_REL);
	if (!bytes)
		bytes = kvm_has(d->vm_fd, KVM_CAP_DIRTY_LOG_RING);
	if (bytes)
		doctor_found(d, NULL, FINDING_OK,
			     xasprintf("%zu entries at most",
				       bytes / sizeof(struct kvm_dirty_gfn)),
			     NULL);
	else
		doctor_found(
			d, NULL, FINDING_HINDERS,
			xstrdup("no KVM_CAP_DIRTY_LOG_RING"),
			xstrdup("boot Linux 5.11 (x86_64) or 6.1 (aarch64), "
				"or later"));
}

/* clang-format off */
const struct doctor_probe doctor_kvm_probes[] = {
	{ KVM_PATH, "is there KVM, and may this user use it?",
	  "everything", true, look_at_device },
	{ "KVM API", "does it speak the one version that there is?",
	  "everything", true, look_at_version },
	{ "a VM", "can one be created?",
	  "everything", true, look_at_vm },
	{ "a vCPU", "can one be created, and how many?",
	  "everything", true, look_at_vcpu },
	{ "KVM module", "which one, and how is it set?",
	  NULL, false, look_at_module },
	{ "paging", "does hardware translate guest addresses?",
	  NULL, false, look_at_paging },
	{ "NX huge pages", "does KVM split blocks on its own account?",
	  NULL, false, look_at_nx },
	{ "binary statistics", "does KVM count mappings?",
	  "checks of mappings are not verified", false, look_at_statistics },
	{ "memslots", "how many?",
	  NULL, false, look_at_slots },
	{ "manual dirty log", "can a dirty log be cleared in parts?",
	  "dirty_log_perf_test: clear_log is left out", false, look_at_manual },
	{ "dirty ring", "can vCPUs log pages in rings?",
	  "dirty_log_perf_test: rings are left out", false, look_at_ring },
	{ .name = NULL }
};
/* clang-format on */
