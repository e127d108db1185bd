/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kvm_ioctl.h"
#include "remedy.h"
#include "util.h"

#define KVM_PATH "/dev/kvm"

static const struct remedy {
	unsigned long request; /* 0: any */
	int error;
	const char *text;
} remedies[] = {
	/* clang-format off */
	{ KVM_CREATE_VM,   EBUSY,  "another hypervisor owns the hardware: unload it" },
	{ KVM_CREATE_VM,   EINVAL, "this KVM does not know the VM type: choose another --mode" },
	{ KVM_CREATE_VCPU, EINVAL, "more vCPUs than KVM_CAP_MAX_VCPUS: choose a smaller --vcpus" },
	{ KVM_SET_USER_MEMORY_REGION, EEXIST,
	  "the range overlaps another slot: choose another --gpa" },
	{ KVM_SET_USER_MEMORY_REGION, EINVAL,
	  "outside the guest's physical addresses, or not aligned to a page: choose another --gpa or --mode" },
	{ 0, ENOMEM, "the host lacks memory: choose smaller --bytes or --vcpus" },
	{ 0, EPERM, "not permitted by the security policy of this host" },
	{ 0, EACCES, "not permitted by the security policy of this host" },
	{ 0, ENOSYS, "this KVM does not have it" },
	{ 0, ENOTTY, "this KVM does not have it" },
	/* clang-format on */
};

static const char *find_remedy(unsigned long request, int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(remedies); i++) {
		const struct remedy *r = &remedies[i];

		if (r->error == error && (!r->request || r->request == request))
			return r->text;
	}
	return errno_remedy(error);
}

static char *describe_argument(unsigned long request, unsigned long arg)
{
	const struct kvm_userspace_memory_region *region = (void *)arg;
	const struct kvm_dirty_log *log = (void *)arg;
	const struct kvm_clear_dirty_log *clear = (void *)arg;
	const struct kvm_enable_cap *cap = (void *)arg;

	switch (request) {
	case KVM_SET_USER_MEMORY_REGION:
		return xasprintf("slot %u, flags %#x, GPA %#llx, %#llx bytes",
				 region->slot, region->flags,
				 region->guest_phys_addr, region->memory_size);
	case KVM_GET_DIRTY_LOG:
		return xasprintf("slot %u", log->slot);
	case KVM_CLEAR_DIRTY_LOG:
		return xasprintf("slot %u, page %llu, %u pages", clear->slot,
				 clear->first_page, clear->num_pages);
	case KVM_ENABLE_CAP:
		return xasprintf("capability %u, %#llx", cap->cap,
				 cap->args[0]);
	default:
		return xasprintf("%#lx", arg);
	}
}

char *kvm_ioctl_error(const char *name, unsigned long request,
		      unsigned long arg, int error)
{
	const char *remedy = find_remedy(request, error);
	char *what = describe_argument(request, arg);
	char *text = xasprintf("%s (%s): %s: %s", name, what, strerror(error),
			       remedy);

	free(what);
	return text;
}

int kvm_ioctl_try(int fd, unsigned long request, unsigned long arg)
{
	int ret;

	do {
		/* musl's ioctl() takes an int; the kernel an unsigned int */
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
}

int kvm_ioctl_must(int fd, unsigned long request, const char *name,
		   unsigned long arg)
{
	int ret = kvm_ioctl_try(fd, request, arg);

	if (ret < 0)
		die("%s", kvm_ioctl_error(name, request, arg, -ret));
	return ret;
}

/* Being in the group helps if it may read and write. */
static const char *permission_remedy(void)
{
	const mode_t both = S_IRGRP | S_IWGRP;
	struct stat st;

	if (stat(KVM_PATH, &st) == 0 && st.st_gid &&
	    (st.st_mode & both) == both)
		return "no permission: run as root, or join the group that "
		       "owns it (usermod -aG kvm USER, then log in anew)";
	return xasprintf("no permission: run as root, or have root say "
			 "setfacl -m u:%u:rw " KVM_PATH,
			 (unsigned int)geteuid());
}

static const char *open_remedy(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return permission_remedy();
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return "no KVM here: load its module (modprobe kvm_intel, kvm_amd "
		       "or kvm), enable virtualization in the firmware, or "
		       "nested virtualization in the hypervisor";
	default:
		return find_remedy(0, error);
	}
}

int kvm_open(void)
{
	int fd = open(KVM_PATH, O_RDWR | O_CLOEXEC);
	int version;

	if (fd < 0)
		skip("open " KVM_PATH ": %s: %s", strerror(errno),
		     open_remedy(errno));
	version = kvm_ioctl_try(fd, KVM_GET_API_VERSION, 0);
	if (version < 0)
		skip(KVM_PATH " is not KVM: KVM_GET_API_VERSION: %s: see who "
			      "has made it",
		     strerror(-version));
	if (version != KVM_API_VERSION)
		skip(KVM_PATH " speaks API version %d, not %d: another kernel "
			      "is needed",
		     version, KVM_API_VERSION);
	return fd;
}

int kvm_has(int fd, int capability)
{
	int ret = kvm_ioctl_try(fd, KVM_CHECK_EXTENSION, capability);

	/* before 3.13 a VM had no such ioctl, and neither has other hardware's
	 */
	if (ret == -ENOTTY || ret == -EINVAL)
		return 0;
	if (ret < 0)
		die("%s",
		    kvm_ioctl_error("KVM_CHECK_EXTENSION", KVM_CHECK_EXTENSION,
				    capability, -ret));
	return ret;
}
