/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "compat.h"
#include "patience.h"
#include "remedy.h"
#include "thread_start.h"
#include "uffd.h"
#include "util.h"

/* Faults that a thread keeps waiting at a time; a power of two. */
#define IN_FLIGHT 1024
#define THREAD_STACK_BYTES KIB(256)
/* How long the kernel may say that it cannot do it yet. */
#define AGAIN_NS (5 * NSEC_PER_SEC)

struct fault {
	u64 due_ns;
	u64 address;
};

struct answerer {
	struct uffd_server *server;
	pthread_t thread;
	/* all wait equally long, so that the order is that of their coming */
	struct fault fault[IN_FLIGHT];
	unsigned int first, nr;
	void *page;
	/*
	 * Read and cleared by the main thread while there are no faults. The
	 * kernel orders it with the faults, which ThreadSanitizer cannot see:
	 * @pages and @late_ns say it once more.
	 */
	u64 pages, again, late_ns;
	int error;	    /* errno that has ended the thread */
	const char *failed; /* of which call */
} __attribute__((aligned(64)));

struct uffd_server {
	struct uffd_config cfg;
	u64 page_bytes;
	int fd;
	int stop_fd;
	struct answerer *answerer;
	unsigned int nr; /* that run */
};

/* The syscall refuses kernel faults to most; the device to fewer. */
int uffd_open(const char **how)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	int error = errno, device;

	*how = "by system call";
	if (fd >= 0)
		return fd;
	device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	if (device < 0)
		return -error;
	*how = "by /dev/userfaultfd";
	fd = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
	error = errno;
	close(device);
	return fd < 0 ? -error : fd;
}

const char *uffd_missing(void)
{
	static char why[256];
	struct uffdio_api api = { .api = UFFD_API };
	const char *how;
	int fd = uffd_open(&how);
	int error = fd < 0 ? -fd : 0;

	if (fd >= 0 && ioctl(fd, UFFDIO_API, &api))
		error = errno;
	if (fd >= 0)
		close(fd);
	switch (error) {
	case 0:
		return NULL;
	case ENOSYS:
		return "this kernel has no userfaultfd (CONFIG_USERFAULTFD)";
	case EPERM:
		return "userfaultfd: no permission for faults in kernel mode, "
		       "which KVM's are: run as root, "
		       "sysctl vm.unprivileged_userfaultfd=1, or "
		       "chmod o+rw /dev/userfaultfd";
	default:
		snprintf(why, sizeof(why), "userfaultfd%s: %s",
			 fd < 0 ? "" : ", UFFDIO_API", errno_text(error));
		return why;
	}
}

static void count(u64 *counter, u64 more)
{
	__atomic_fetch_add(counter, more, __ATOMIC_ACQ_REL);
}

static int failed(struct answerer *a, const char *call)
{
	a->failed = call;
	return errno;
}

/*
 * A page that came while the fault waited needs no content, only a wake. All
 * is counted before the wake, after which the counts may be looked at.
 */
static int answer_one(struct answerer *a, u64 address)
{
	const struct uffd_config *cfg = &a->server->cfg;
	struct patience patience;
	u64 bytes = a->server->page_bytes;
	u64 at = ALIGN_DOWN(address, bytes);
	struct uffdio_copy copy = { .dst = at,
				    .src = (u64)a->page,
				    .len = bytes };
	struct uffdio_range range = { .start = at, .len = bytes };

	cfg->fill(cfg->arg, (at - (u64)cfg->mem) / bytes, a->page);
	count(&a->pages, 1);
	patience_begin(&patience, AGAIN_NS);
	while (ioctl(a->server->fd, UFFDIO_COPY, &copy)) {
		if (errno == EAGAIN && patience_look(&patience) < AGAIN_NS)
			continue;
		if (errno != EEXIST)
			return failed(a, "UFFDIO_COPY");
		count(&a->pages, -1);
		count(&a->again, 1);
		while (ioctl(a->server->fd, UFFDIO_WAKE, &range))
			if (errno != EAGAIN ||
			    patience_look(&patience) >= AGAIN_NS)
				return failed(a, "UFFDIO_WAKE");
		return 0;
	}
	return 0;
}

static int answer_due(struct answerer *a)
{
	while (a->nr) {
		struct fault f = a->fault[a->first];
		u64 now = now_ns();
		int error;

		if (now < f.due_ns)
			return 0;
		if (now - f.due_ns >
		    __atomic_load_n(&a->late_ns, __ATOMIC_ACQUIRE))
			__atomic_store_n(&a->late_ns, now - f.due_ns,
					 __ATOMIC_RELAXED);
		a->first = (a->first + 1) % IN_FLIGHT;
		a->nr--;
		error = answer_one(a, f.address);
		if (error)
			return error;
	}
	return 0;
}

static int take_faults(struct answerer *a)
{
	while (a->nr < IN_FLIGHT) {
		struct uffd_msg msg;
		ssize_t bytes = read(a->server->fd, &msg, sizeof(msg));

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes < 0)
			return errno == EAGAIN ? 0 : failed(a, "read");
		if (bytes != sizeof(msg) || msg.event != UFFD_EVENT_PAGEFAULT) {
			errno = EPROTO;
			return failed(a, "read");
		}
		a->fault[(a->first + a->nr++) % IN_FLIGHT] = (struct fault){
			.due_ns = now_ns() + a->server->cfg.delay_ns,
			.address = msg.arg.pagefault.address,
		};
	}
	return 0;
}

/* Until there is a fault, one is due, or the server ends: then false. */
static bool wait_for_work(const struct answerer *a)
{
	struct pollfd p[2] = { { .fd = a->server->stop_fd, .events = POLLIN },
			       { .fd = a->server->fd, .events = POLLIN } };
	u64 due = a->nr ? a->fault[a->first].due_ns : 0;
	u64 now = now_ns(), ns = due > now ? due - now : 0;
	struct timespec t = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };

	ppoll(p, a->nr < IN_FLIGHT ? 2 : 1, a->nr ? &t : NULL, NULL);
	return !(p[0].revents & POLLIN);
}

/*
 * Nobody answers any more: who waits for a page gets an empty one, and the main
 * thread then finds the error, instead of vCPUs that are stuck.
 */
static void let_go(struct uffd_server *s)
{
	struct uffdio_range all = { .start = (u64)s->cfg.mem,
				    .len = s->cfg.bytes };

	ioctl(s->fd, UFFDIO_UNREGISTER, &all);
}

static void *answerer_main(void *arg)
{
	struct answerer *a = arg;
	int error = 0;

	/* as for a real-time thread: the default adds 50 us to each wait */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	while (!error && wait_for_work(a)) {
		error = take_faults(a);
		if (!error)
			error = answer_due(a);
	}
	__atomic_store_n(&a->error, error, __ATOMIC_RELEASE);
	if (error)
		let_go(a->server);
	return NULL;
}

static void start_thread(struct uffd_server *s)
{
	struct answerer *a = &s->answerer[s->nr];
	sigset_t all, old;
	pthread_attr_t attr;
	int error;

	a->server = s;
	a->page = aligned_alloc(s->page_bytes, s->page_bytes);
	if (!a->page)
		die("out of memory");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
	/* signals for the process go to the main thread */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&a->thread, &attr, answerer_main, a);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (error)
		die("thread %u that answers page faults: %s%s", s->nr,
		    strerror(error), process_remedy(error));
	s->nr++;
}

static void open_server(struct uffd_server *s)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { .start = (u64)s->cfg.mem, .len = s->cfg.bytes },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	const char *how;

	s->fd = uffd_open(&how);
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (s->fd < 0)
		die("userfaultfd: %s", errno_text(-s->fd));
	if (s->stop_fd < 0)
		die("eventfd: %s", errno_text(errno));
	if (ioctl(s->fd, UFFDIO_API, &api))
		die("UFFDIO_API: %s", errno_text(errno));
	if (ioctl(s->fd, UFFDIO_REGISTER, &reg))
		die("UFFDIO_REGISTER of %llu bytes: %s",
		    (unsigned long long)s->cfg.bytes, errno_text(errno));
}

static void discard(struct uffd_server *s)
{
	if (madvise(s->cfg.mem, s->cfg.bytes, MADV_DONTNEED))
		die("madvise of %llu bytes: %s",
		    (unsigned long long)s->cfg.bytes, errno_text(errno));
}

struct uffd_server *uffd_server_create(const struct uffd_config *cfg)
{
	struct uffd_server *s = xcalloc(1, sizeof(*s));
	size_t bytes = cfg->threads * sizeof(*s->answerer);

	s->cfg = *cfg;
	s->page_bytes = sysconf(_SC_PAGESIZE);
	open_server(s);
	discard(s);
	s->answerer = aligned_alloc(64, bytes);
	if (!s->answerer)
		die("out of memory");
	memset(s->answerer, 0, bytes);
	while (s->nr < cfg->threads)
		start_thread(s);
	return s;
}

void uffd_server_free(struct uffd_server *s)
{
	u64 one = 1;
	ssize_t bytes;

	if (!s)
		return;
	do {
		bytes = write(s->stop_fd, &one, sizeof(one));
	} while (bytes < 0 && errno == EINTR);
	if (bytes != sizeof(one))
		die("ending the userfaultfd server: write: %s",
		    errno_text(errno));
	for (unsigned int i = 0; i < s->nr; i++) {
		thread_join(s->answerer[i].thread, THREAD_END_S,
			    "thread %u that answers page faults", i);
		free(s->answerer[i].page);
	}
	close(s->fd);
	close(s->stop_fd);
	free(s->answerer);
	free(s);
}

void uffd_server_renew(struct uffd_server *s)
{
	discard(s);
	for (unsigned int i = 0; i < s->nr; i++) {
		struct answerer *a = &s->answerer[i];

		__atomic_store_n(&a->pages, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&a->again, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&a->late_ns, 0, __ATOMIC_RELEASE);
	}
}

struct uffd_counts uffd_server_counts(struct uffd_server *s)
{
	struct uffd_counts c = { 0 };

	for (unsigned int i = 0; i < s->nr; i++) {
		const struct answerer *a = &s->answerer[i];
		int error = __atomic_load_n(&a->error, __ATOMIC_ACQUIRE);
		u64 late;

		if (error)
			die("answering page faults: %s of userfaultfd: %s",
			    a->failed, errno_text(error));
		c.pages += __atomic_load_n(&a->pages, __ATOMIC_ACQUIRE);
		c.again += __atomic_load_n(&a->again, __ATOMIC_RELAXED);
		late = __atomic_load_n(&a->late_ns, __ATOMIC_RELAXED);
		c.late_ns = max_u64(c.late_ns, late);
	}
	return c;
}
