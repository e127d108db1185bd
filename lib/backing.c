/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "backing.h"
#include "backing_file.h"
#include "compat.h"
#include "remedy.h"
#include "rlimit.h"
#include "units.h"
#include "util.h"

#define SYS_MM "/sys/kernel/mm"
#define THP SYS_MM "/transparent_hugepage/"
#define HUGEPAGES SYS_MM "/hugepages/hugepages-%llukB/"

enum backing_kind { ANONYMOUS, SHMEM, MEMFD, NAMED_FILE };

enum backing_pages { PAGES_BASE, PAGES_THP, PAGES_HUGETLB };

struct backing_type {
	const char *name;
	enum backing_kind kind;
	enum backing_pages pages;
	u64 huge_bytes; /* PAGES_HUGETLB: 0 is the default huge page */
};

static const struct backing_type types[] = {
	/* clang-format off */
	{ "anonymous",               ANONYMOUS, PAGES_BASE,    0 },
	{ "anonymous_thp",           ANONYMOUS, PAGES_THP,     0 },
	{ "anonymous_hugetlb",       ANONYMOUS, PAGES_HUGETLB, 0 },
	{ "anonymous_hugetlb_16kb",  ANONYMOUS, PAGES_HUGETLB, KIB(16) },
	{ "anonymous_hugetlb_64kb",  ANONYMOUS, PAGES_HUGETLB, KIB(64) },
	{ "anonymous_hugetlb_512kb", ANONYMOUS, PAGES_HUGETLB, KIB(512) },
	{ "anonymous_hugetlb_1mb",   ANONYMOUS, PAGES_HUGETLB, MIB(1) },
	{ "anonymous_hugetlb_2mb",   ANONYMOUS, PAGES_HUGETLB, MIB(2) },
	{ "anonymous_hugetlb_8mb",   ANONYMOUS, PAGES_HUGETLB, MIB(8) },
	{ "anonymous_hugetlb_16mb",  ANONYMOUS, PAGES_HUGETLB, MIB(16) },
	{ "anonymous_hugetlb_32mb",  ANONYMOUS, PAGES_HUGETLB, MIB(32) },
	{ "anonymous_hugetlb_256mb", ANONYMOUS, PAGES_HUGETLB, MIB(256) },
	{ "anonymous_hugetlb_512mb", ANONYMOUS, PAGES_HUGETLB, MIB(512) },
	{ "anonymous_hugetlb_1gb",   ANONYMOUS, PAGES_HUGETLB, GIB(1) },
	{ "anonymous_hugetlb_2gb",   ANONYMOUS, PAGES_HUGETLB, GIB(2) },
	{ "anonymous_hugetlb_16gb",  ANONYMOUS, PAGES_HUGETLB, GIB(16) },
	{ "shmem",                   SHMEM,     PAGES_BASE,    0 },
	{ "shared_hugetlb",          MEMFD,     PAGES_HUGETLB, 0 },
	{ "memfd",                   MEMFD,     PAGES_BASE,    0 },
	{ NULL, 0, 0, 0 }
	/* clang-format on */
};

static const struct backing_type file_type = { "PATH", NAMED_FILE, PAGES_BASE,
					       0 };

static const struct backing_type *find(const char *value)
{
	if (strchr(value, '/'))
		return &file_type;
	for (const struct backing_type *t = types; t->name; t++)
		if (strcmp(t->name, value) == 0)
			return t;
	return NULL;
}

const char *backing_fault(const char *value)
{
	const struct backing_type *type = find(value);

	if (!type)
		return "no such backing source: --backing help lists them";
	return type->kind == NAMED_FILE ? backing_file_fault(value) : NULL;
}

/* Bytes that a line of /proc/meminfo tells; 0 if it is not there. */
static u64 meminfo_bytes(const char *key)
{
	char *text = read_text("/proc/meminfo");
	const char *line = text ? strstr(text, key) : NULL;
	u64 kib = line ? strtoull(line + strlen(key), NULL, 10) : 0;

	free(text);
	return KIB(kib);
}

/* 0 if it is the default one, which is not known without /proc. */
static u64 hugetlb_page_bytes(const struct backing_type *type)
{
	return type->huge_bytes ? type->huge_bytes :
				  meminfo_bytes("Hugepagesize:");
}

/* 0: the kernel has none, or does not tell, as before Linux 4.11. */
static u64 thp_bytes(void)
{
	u64 bytes;

	if (read_number(&bytes, THP "hpage_pmd_size"))
		return bytes;
	if (errno != ENOENT)
		die("reading " THP "hpage_pmd_size: %s", errno_text(errno));
	return 0;
}

static u64 type_page_bytes(const struct backing_type *type)
{
	u64 bytes = 0;

	switch (type->pages) {
	case PAGES_THP:
		bytes = thp_bytes();
		break;
	case PAGES_HUGETLB:
		bytes = hugetlb_page_bytes(type);
		break;
	case PAGES_BASE:
		break;
	}
	return bytes ? bytes : (u64)sysconf(_SC_PAGESIZE);
}

u64 backing_page_bytes(const char *value)
{
	const struct backing_type *type = find(value);
	u64 bytes = type->kind == NAMED_FILE ? backing_file_page_bytes(value) :
					       0;

	return bytes ? bytes : type_page_bytes(type);
}

bool backing_is_huge(const char *value)
{
	return backing_page_bytes(value) > (u64)sysconf(_SC_PAGESIZE);
}

u64 backing_granule(const char *value)
{
	bool thp = find(value)->pages == PAGES_THP;

	return thp ? (u64)sysconf(_SC_PAGESIZE) : backing_page_bytes(value);
}

static const char mount_sysfs[] =
	"/sys does not tell of huge pages: mount -t sysfs none /sys";

/* NULL if there is enough, else why not and what to do; to be freed. */
static char *hugetlb_missing(u64 page, u64 bytes)
{
	unsigned long long kib = page >> 10;
	u64 need = DIV_ROUND_UP(bytes, page);
	u64 free_pages, reserved = 0, total = 0;
	char size[UNIT_LEN];

	if (access(SYS_MM, F_OK))
		return xstrdup(mount_sysfs);
	format_size(size, page);
	if (!read_number(&free_pages, HUGEPAGES "free_hugepages", kib))
		return xasprintf("this kernel has no huge pages of %s: choose "
				 "another --backing",
				 size);
	read_number(&reserved, HUGEPAGES "resv_hugepages", kib);
	free_pages -= min_u64(reserved, free_pages);
	if (free_pages >= need)
		return NULL;
	read_number(&total, HUGEPAGES "nr_hugepages", kib);
	return xasprintf(
		"huge pages of %s: %llu needed, %llu free: echo %llu > " HUGEPAGES
		"nr_hugepages",
		size, (unsigned long long)need, (unsigned long long)free_pages,
		(unsigned long long)(total + need - free_pages), kib);
}

bool backing_takes_memory(const char *value)
{
	const struct backing_type *type = find(value);

	return type->kind == NAMED_FILE ? backing_file_takes_memory(value) :
					  type->pages != PAGES_HUGETLB;
}

/* prctl(2): 1 is off, other bits of Linux 6.18 leave it to madvise(). */
static bool thp_is_off_for_us(void)
{
	return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1;
}

static char *thp_missing(void)
{
	char *enabled = read_text(THP "enabled");
	int error = enabled ? 0 : errno;
	char *why = NULL;

	if (thp_is_off_for_us())
		why = xasprintf("whatever has started this process has turned "
				"transparent huge pages off for it "
				"(PR_SET_THP_DISABLE): start it otherwise, or "
				"choose another --backing");
	else if (!enabled && access(SYS_MM, F_OK))
		why = xstrdup(mount_sysfs);
	else if (error && error != ENOENT)
		why = xasprintf("reading " THP "enabled: %s",
				errno_text(error));
	else if (!enabled)
		why = xasprintf("this kernel has no transparent huge pages: "
				"choose another --backing");
	else if (strstr(enabled, "[never]"))
		why = xasprintf("transparent huge pages are off: "
				"echo madvise > " THP "enabled");
	free(enabled);
	return why;
}

static char *missing(const struct backing_type *type, u64 bytes)
{
	switch (type->pages) {
	case PAGES_THP:
		return thp_missing();
	case PAGES_HUGETLB:
		if (!hugetlb_page_bytes(type))
			return xstrdup("/proc does not tell how large huge "
				       "pages are: mount -t proc none /proc, "
				       "or choose one with a size");
		return hugetlb_missing(type_page_bytes(type), bytes);
	case PAGES_BASE:
		break;
	}
	return NULL;
}

void backing_require(const char *value, u64 bytes)
{
	const struct backing_type *type = find(value);
	char *why = missing(type, bytes);
	u64 file_page = 0;

	if (type->kind == NAMED_FILE)
		file_page = backing_file_page_bytes(value);
	if (file_page)
		why = hugetlb_missing(file_page, bytes);
	else if (type->kind == NAMED_FILE)
		why = backing_file_missing(value, bytes);
	if (!why && (type->kind == NAMED_FILE || type->kind == MEMFD))
		why = limit_missing(LIMIT_FILE_BYTES, bytes);
	if (why)
		skip("--backing %s: %s", value, why);
}

void backing_list(FILE *out)
{
	char size[UNIT_LEN];

	for (const struct backing_type *t = types; t->name; t++) {
		u64 page = type_page_bytes(t);
		char *why = missing(t, page);

		fprintf(out, "  %-24s %5s pages%s%s\n", t->name,
			format_size(size, page), why ? "  not here: " : "",
			why ? why : "");
		free(why);
	}
	fprintf(out, "  %-24s a file by its path (any value with a '/')\n",
		"PATH");
}

static int open_memfd(const struct backing_type *type, u64 bytes)
{
	unsigned int flags = MFD_CLOEXEC;
	int fd, error;

	if (type->pages == PAGES_HUGETLB)
		flags |= MFD_HUGETLB;
	fd = memfd_create("kvmeter", flags);
	if (fd < 0)
		die("memfd_create for --backing %s: %s", type->name,
		    errno_text(errno));
	error = file_resize(fd, bytes);
	if (error)
		die("ftruncate to %llu bytes for --backing %s: %s",
		    (unsigned long long)bytes, type->name, errno_text(error));
	return fd;
}

static int map_flags(const struct backing *b)
{
	int flags = b->type->kind == ANONYMOUS ? MAP_PRIVATE : MAP_SHARED;

	if (b->fd < 0)
		flags |= MAP_ANONYMOUS;
	if (b->type->pages == PAGES_HUGETLB && b->fd < 0) {
		flags |= MAP_HUGETLB;
		if (b->type->huge_bytes)
			flags |= __builtin_ctzll(b->type->huge_bytes)
				 << MAP_HUGE_SHIFT;
	}
	return flags;
}

/*
 * Addresses are aligned to huge pages whatever the type: congruent to guest
 * addresses, as those of a VMM are, or else KVM rules blocks out for the slot
 * and has less to do. Reserve more, then map onto an aligned part of it.
 */
static void map(struct backing *b, const char *value)
{
	u64 align = max_u64(b->page_bytes, thp_bytes());

	b->map_bytes = b->bytes + align;
	b->map = mmap(NULL, b->map_bytes, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b->map == MAP_FAILED)
		die("--backing %s: reserving %llu bytes of address space: %s",
		    value, (unsigned long long)b->map_bytes, errno_text(errno));
	b->mem = (void *)ALIGN_UP((u64)b->map, align);
	if (mmap(b->mem, b->bytes, PROT_READ | PROT_WRITE,
		 map_flags(b) | MAP_FIXED, b->fd, 0) == MAP_FAILED)
		die("--backing %s: mapping %llu bytes: %s: choose smaller "
		    "--bytes",
		    value, (unsigned long long)b->bytes, strerror(errno));
}

/* EINVAL: a kernel without THP, where nothing need be advised. */
static void advise(struct backing *b)
{
	int advice = b->type->pages == PAGES_THP ? MADV_HUGEPAGE :
						   MADV_NOHUGEPAGE;

	if (b->type->pages == PAGES_HUGETLB)
		return;
	if (madvise(b->mem, b->bytes, advice) && errno != EINVAL)
		die("madvise of %llu bytes: %s", (unsigned long long)b->bytes,
		    errno_text(errno));
}

struct backing *backing_create(const char *value, u64 bytes)
{
	struct backing *b = xcalloc(1, sizeof(*b));

	b->type = find(value);
	b->bytes = bytes;
	b->page_bytes = backing_page_bytes(value);
	b->fd = -1;
	if (b->type->kind == MEMFD)
		b->fd = open_memfd(b->type, bytes);
	else if (b->type->kind == NAMED_FILE)
		b->fd = backing_file_open(value, bytes);
	map(b, value);
	advise(b);
	return b;
}

void backing_destroy(struct backing *b)
{
	if (!b)
		return;
	munmap(b->map, b->map_bytes);
	if (b->fd >= 0)
		close(b->fd);
	free(b);
}

/* A line of /proc/self/smaps that counts huge pages, in KiB. */
static u64 huge_kib(const char *line)
{
	static const char *const keys[] = { "AnonHugePages:", "ShmemPmdMapped:",
					    "FilePmdMapped:" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strncmp(line, keys[i], strlen(keys[i])) == 0)
			return strtoull(line + strlen(keys[i]), NULL, 10);
	return 0;
}

static bool transparent_bytes(const struct backing *b, u64 *bytes)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	unsigned long long from, to;
	bool inside = false;
	char line[512];

	if (!smaps)
		return false;
	*bytes = 0;
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%llx-%llx ", &from, &to) == 2)
			inside = from >= (u64)b->mem &&
				 to <= (u64)b->mem + b->bytes;
		else if (inside)
			*bytes += KIB(huge_kib(line));
	}
	fclose(smaps);
	return true;
}

bool backing_is_thp(const struct backing *b)
{
	return b->type->pages == PAGES_THP;
}

bool backing_huge(const struct backing *b, struct backing_huge *huge)
{
	u64 base = sysconf(_SC_PAGESIZE);

	if (b->type->pages != PAGES_THP && b->page_bytes > base) {
		*huge = (struct backing_huge){ b->page_bytes, b->bytes };
		return true;
	}
	huge->page_bytes = max_u64(thp_bytes(), base);
	return transparent_bytes(b, &huge->bytes);
}
