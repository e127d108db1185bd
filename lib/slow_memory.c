/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "memory_limit.h"
#include "slow_memory.h"
#include "uffd.h"
#include "units.h"
#include "util.h"

#define DELAY_US_MAX (10 * NSEC_PER_SEC / NSEC_PER_USEC)
#define THREADS_DEFAULT 1
#define THREADS_MAX 64
#define VALUE_MAX 64

struct setting {
	bool swap;
	u64 delay_us;
	u64 threads;
};

struct slow_memory {
	struct slow_memory_config cfg;
	u64 pages;
	struct uffd_server *server; /* NULL: by swap */
	struct memory_limit *limit; /* NULL: by userfaultfd */
};

static bool parse(const char *value, struct setting *s)
{
	char text[VALUE_MAX];
	char *threads;

	*s = (struct setting){ .swap = strcmp(value, "swap") == 0,
			       .threads = THREADS_DEFAULT };
	if (s->swap)
		return true;
	if (strncmp(value, "uffd:", 5) != 0 || strlen(value) >= sizeof(text))
		return false;
	snprintf(text, sizeof(text), "%s", value + 5);
	threads = strchr(text, ',');
	if (threads)
		*threads++ = '\0';
	return parse_u64(text, &s->delay_us) && s->delay_us <= DELAY_US_MAX &&
	       (!threads || parse_u64(threads, &s->threads)) && s->threads &&
	       s->threads <= THREADS_MAX;
}

bool slow_memory_valid(const void *member, const char **why)
{
	struct setting s;

	*why = "give uffd:DELAY_US (up to 10 s) or uffd:DELAY_US,THREADS (1 to "
	       "64), or swap";
	return parse(*(const char *const *)member, &s);
}

static struct setting setting_of(const char *value)
{
	struct setting s;

	if (!parse(value, &s))
		die("--slow %s", value);
	return s;
}

bool slow_memory_has_limit(const char *value)
{
	return setting_of(value).swap;
}

void slow_memory_require(const char *value, u64 bytes)
{
	const char *missing = setting_of(value).swap ?
				      memory_limit_missing(bytes) :
				      uffd_missing();

	if (missing)
		skip("--slow %s: %s", value, missing);
}

static void fill_all(const struct slow_memory *slow)
{
	u64 page = sysconf(_SC_PAGESIZE);

	for (u64 i = 0; i < slow->pages; i++)
		slow->cfg.fill(slow->cfg.arg, i,
			       (u8 *)slow->cfg.mem + i * page);
}

struct slow_memory *slow_memory_create(const struct slow_memory_config *cfg)
{
	struct setting s = setting_of(cfg->value);
	struct slow_memory *slow = xcalloc(1, sizeof(*slow));

	slow->cfg = *cfg;
	slow->pages = cfg->bytes / sysconf(_SC_PAGESIZE);
	if (s.swap) {
		slow->limit = memory_limit_create(cfg->mem, cfg->bytes,
						  cfg->limit_bytes);
		fill_all(slow);
		memory_limit_renew(slow->limit);
		return slow;
	}
	slow->server = uffd_server_create(&(struct uffd_config){
		.mem = cfg->mem,
		.bytes = cfg->bytes,
		.delay_ns = s.delay_us * NSEC_PER_USEC,
		.threads = s.threads,
		.fill = cfg->fill,
		.arg = cfg->arg,
	});
	return slow;
}

void slow_memory_free(struct slow_memory *slow)
{
	if (!slow)
		return;
	uffd_server_free(slow->server);
	memory_limit_free(slow->limit);
	free(slow);
}

bool slow_memory_renew(struct slow_memory *slow)
{
	if (slow->server)
		uffd_server_renew(slow->server);
	else
		memory_limit_renew(slow->limit);
	return slow->server;
}

static char *judge_server(struct slow_memory *slow, bool *ok)
{
	struct uffd_counts c = uffd_server_counts(slow->server);
	char late[UNIT_LEN];

	*ok = c.pages == slow->pages;
	return xasprintf("%llu of %llu pages were given, at most %s late",
			 (unsigned long long)c.pages,
			 (unsigned long long)slow->pages,
			 format_ns(late, c.late_ns));
}

char *slow_memory_judge(struct slow_memory *slow, bool *ok)
{
	return slow->server ? judge_server(slow, ok) :
			      memory_limit_judge(slow->limit, ok);
}
