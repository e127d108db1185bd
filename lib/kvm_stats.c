/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kvm_ioctl.h"
#include "kvm_stats.h"
#include "remedy.h"
#include "util.h"

struct kvm_stats {
	int fd;
	u32 data_offset;
	size_t data_bytes;
	u8 *data;
	unsigned int nr;
	struct stat_value {
		char *name;
		u32 offset; /* in data */
	} * value;
};

static void read_at(int fd, void *buf, size_t bytes, off_t offset)
{
	ssize_t got = pread_all(fd, buf, bytes, offset);

	if (got != (ssize_t)bytes)
		die("pread() of %zu bytes of KVM statistics at %lld: %s", bytes,
		    (long long)offset,
		    got < 0 ? errno_text(errno) :
			      "the file is shorter: see dmesg");
}

/* Single 64-bit values only: histograms have size > 1. */
static void add_value(struct kvm_stats *stats, const struct kvm_stats_desc *d)
{
	struct stat_value *v;

	stats->data_bytes = max_u64(stats->data_bytes,
				    d->offset + (u64)d->size * sizeof(u64));
	if (d->size != 1)
		return;
	v = &stats->value[stats->nr++];
	v->name = xstrdup(d->name);
	v->offset = d->offset;
}

struct kvm_stats *kvm_stats_open(int fd)
{
	int stats_fd = __kvm_ioctl(fd, KVM_GET_STATS_FD, 0);
	struct kvm_stats_header header;
	struct kvm_stats *stats;
	size_t desc_bytes;
	u8 *desc;

	/* before 5.14 it is unknown */
	if (stats_fd == -ENOTTY || stats_fd == -EINVAL)
		return NULL;
	if (stats_fd < 0)
		die("%s", kvm_ioctl_error("KVM_GET_STATS_FD", KVM_GET_STATS_FD,
					  0, -stats_fd));
	stats = xcalloc(1, sizeof(*stats));
	stats->fd = stats_fd;
	read_at(stats_fd, &header, sizeof(header), 0);
	stats->data_offset = header.data_offset;
	stats->value = xcalloc(header.num_desc, sizeof(*stats->value));
	desc_bytes = sizeof(struct kvm_stats_desc) + header.name_size;
	desc = xcalloc(header.num_desc, desc_bytes);
	read_at(stats_fd, desc, header.num_desc * desc_bytes,
		header.desc_offset);
	for (u32 i = 0; i < header.num_desc; i++)
		add_value(stats, (const void *)(desc + i * desc_bytes));
	free(desc);
	stats->data = xcalloc(1, stats->data_bytes);
	return stats;
}

void kvm_stats_close(struct kvm_stats *stats)
{
	if (!stats)
		return;
	for (unsigned int i = 0; i < stats->nr; i++)
		free(stats->value[i].name);
	close(stats->fd);
	free(stats->value);
	free(stats->data);
	free(stats);
}

unsigned int kvm_stats_nr(const struct kvm_stats *stats)
{
	return stats->nr;
}

const char *kvm_stats_name(const struct kvm_stats *stats, unsigned int i)
{
	return stats->value[i].name;
}

int kvm_stats_find(const struct kvm_stats *stats, const char *name)
{
	for (unsigned int i = 0; i < stats->nr; i++)
		if (strcmp(stats->value[i].name, name) == 0)
			return i;
	return -1;
}

void kvm_stats_read(struct kvm_stats *stats, u64 *values)
{
	read_at(stats->fd, stats->data, stats->data_bytes, stats->data_offset);
	for (unsigned int i = 0; i < stats->nr; i++)
		memcpy(&values[i], stats->data + stats->value[i].offset,
		       sizeof(values[i]));
}
