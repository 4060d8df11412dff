/* SPDX-License-Identifier: MIT */
/* dev/ring.c - running callbacks, and who sleeps where; the transfers are in ring_uring.c and
 * ring_blocking.c */
#include "dev/ring_impl.h"

#include <assert.h>
#include <errno.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"

#define RING_DEPTH_MAX 4096
#define RING_FLAGS_ALL (BD_RING_SINGLE_ISSUER | BD_RING_SQPOLL | BD_RING_IOPOLL)
#define NS_PER_S       1000000000ULL

uint64_t bd_now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

int bd_ring_init(struct bd_ring *ring, enum bd_ring_kind kind, const struct bd_ring_ops *ops)
{
	*ring = (struct bd_ring){.ops = ops, .kind = kind, .event_fd = -1};
	STAILQ_INIT(&ring->finished);

	pthread_condattr_t attr;
	int err = pthread_condattr_init(&attr);
	if (err)
		return -err;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	err = pthread_cond_init(&ring->changed, &attr);
	pthread_condattr_destroy(&attr);
	if (err)
		return -err;
	err = pthread_mutex_init(&ring->lock, NULL);
	if (err)
		pthread_cond_destroy(&ring->changed);
	return -err;
}

void bd_ring_fini(struct bd_ring *ring)
{
	if (ring->event_fd >= 0)
		close(ring->event_fd);
	pthread_cond_destroy(&ring->changed);
	pthread_mutex_destroy(&ring->lock);
}

int bd_ring_new(const struct bd_ring_opts *opts, struct bd_ring **out)
{
	if (opts->depth < 1 || opts->depth > RING_DEPTH_MAX)
		return BD_FAIL(-EINVAL, RING_DEPTH, "queue depth %u is not in 1..%u", opts->depth,
			       RING_DEPTH_MAX);
	if (opts->flags & ~RING_FLAGS_ALL)
		return BD_FAIL(-EINVAL, RING_FLAGS, "unknown queue flags 0x%x", opts->flags);

	/* Whatever the reason why there is no io_uring: blocking calls give the same results. */
	if (opts->kind == BD_RING_URING && !bd_ring_new_uring(opts, out))
		return 0;
	int err = bd_ring_new_blocking(out);
	return err ? BD_FAIL(err, RING_ALLOC, "no memory for a queue") : 0;
}

static bool idle(const struct bd_ring *ring)
{
	return !ring->running && !bd_ring_in_flight(ring);
}

static void signal_eventfd(const struct bd_ring *ring)
{
	uint64_t one = 1;
	/* Fails only when the counter is full, and then it is readable anyway. */
	ssize_t n = write(ring->event_fd, &one, sizeof(one));
	(void)n;
}

/* Others may wait for what has just changed. With the lock. */
static void tell_others(struct bd_ring *ring)
{
	if (ring->sleepers)
		pthread_cond_broadcast(&ring->changed);
	if (ring->blocked)
		ring->ops->wake(ring);
}

void bd_io_complete(struct bd_io *io, int res)
{
	struct bd_ring *ring = io->ring;

	bd_lock(&ring->lock);
	io->res = res;
	STAILQ_INSERT_TAIL(&ring->finished, io, link);
	tell_others(ring);
	if (ring->event_fd >= 0)
		signal_eventfd(ring);
	bd_unlock(&ring->lock);
}

static unsigned int call_back(struct bd_ring *ring, struct bd_io_list *batch)
{
	unsigned int n = 0;
	struct bd_io *io;

	while ((io = STAILQ_FIRST(batch))) {
		STAILQ_REMOVE_HEAD(batch, link);
		atomic_fetch_sub_explicit(&io->dev->in_flight, 1, memory_order_relaxed);
		if (!io->inner) {
			atomic_fetch_sub_explicit(&ring->in_flight, 1, memory_order_relaxed);
			n++;
		}
		io->done(io);
	}
	return n;
}

/* With the lock, which is dropped while the callbacks run. */
static void run_finished(struct bd_ring *ring)
{
	struct bd_io_list batch = STAILQ_HEAD_INITIALIZER(batch);

	STAILQ_CONCAT(&batch, &ring->finished);
	ring->running++;
	bd_unlock(&ring->lock);
	unsigned int n = call_back(ring, &batch);
	bd_lock(&ring->lock);
	ring->running--;
	ring->ran += n;
	tell_others(ring);
	if (ring->peek_missed) {
		ring->peek_missed = false;
		signal_eventfd(ring);
	}
}

static void sleep_until_changed(struct bd_ring *ring, uint64_t deadline)
{
	struct timespec ts = {.tv_sec = (time_t)(deadline / NS_PER_S),
			      .tv_nsec = (long)(deadline % NS_PER_S)};
	ring->sleepers++;
	if (deadline)
		pthread_cond_timedwait(&ring->changed, &ring->lock, &ts);
	else
		pthread_cond_wait(&ring->changed, &ring->lock);
	ring->sleepers--;
}

/* Sleep in the kernel for all threads that wait, or, when one does already, until it tells. */
static int advance_blocking(struct bd_ring *ring, uint64_t deadline)
{
	if (!ring->blocked && ring->ops->can_block(ring)) {
		ring->blocked = true;
		int err = ring->ops->advance(ring, BD_RING_BLOCK, deadline);
		ring->blocked = false;
		/* This thread may leave now: one of the sleepers has to take its place. */
		tell_others(ring);
		return err;
	}
	uint64_t seen = ring->ran;
	int err = ring->ops->advance(ring, BD_RING_PEEK, 0);
	bool changed = !STAILQ_EMPTY(&ring->finished) || ring->ran != seen || idle(ring);
	if (!err && !changed && (ring->blocked || !ring->ops->can_block(ring)))
		sleep_until_changed(ring, deadline);
	return err;
}

/* With the lock. Until a callback ran, or, if @done is not NULL, until *done. */
static int drive(struct bd_ring *ring, bool wait, uint64_t deadline, const atomic_bool *done)
{
	const uint64_t start = ring->ran;
	int err = 0;

	while (done ? !atomic_load(done) : ring->ran == start) {
		bool block = wait && STAILQ_EMPTY(&ring->finished);
		if (block && idle(ring))
			break;
		if (block)
			err = advance_blocking(ring, deadline);
		else
			err = ring->ops->advance(ring, BD_RING_PEEK, 0);
		if (!STAILQ_EMPTY(&ring->finished)) {
			run_finished(ring);
			continue;
		}
		if (err || !wait || (deadline && bd_now_ns() >= deadline))
			break;
	}
	return ring->ran == start ? err : 0;
}

int bd_ring_drive(struct bd_ring *ring, bool wait, uint64_t timeout_ns)
{
	uint64_t deadline = wait && timeout_ns ? bd_now_ns() + timeout_ns : 0;

	bd_lock(&ring->lock);
	uint64_t start = ring->ran;
	int err = drive(ring, wait, deadline, NULL);
	uint64_t ran = ring->ran - start;
	if (ring->event_fd >= 0) {
		ring->peek_missed |= !ran && (ring->running || ring->blocked);
		int start_err = ring->ops->advance(ring, BD_RING_START, 0);
		err = err ? err : start_err;
	}
	bd_unlock(&ring->lock);
	return ran ? (int)ran : err;
}

int bd_ring_wait(struct bd_ring *ring, const atomic_bool *done)
{
	bd_lock(&ring->lock);
	int err = drive(ring, true, 0, done);
	/* Nobody says that this thread comes back for what the callbacks queued. */
	int start_err = ring->ops->advance(ring, BD_RING_START, 0);
	bd_unlock(&ring->lock);
	if (atomic_load(done))
		return 0;
	if (err)
		return err;
	return start_err ? start_err : -ECANCELED;
}

int bd_ring_start(struct bd_ring *ring)
{
	bd_lock(&ring->lock);
	int err = ring->ops->advance(ring, BD_RING_START, 0);
	bd_unlock(&ring->lock);
	return err;
}

void bd_ring_free(struct bd_ring *ring)
{
	if (!ring)
		return;
	bd_lock(&ring->lock);
	while (!idle(ring)) {
		int err = drive(ring, true, 0, NULL);
		if (err) {
			/* The kernel may still write to their buffers: leaking is the smaller evil.
			 */
			assert(!err);
			bd_unlock(&ring->lock);
			return;
		}
	}
	bd_unlock(&ring->lock);
	ring->ops->free(ring);
}

void bd_ring_submit_fd(struct bd_ring *ring, struct bd_io *io)
{
	ring->ops->submit(ring, io);
}

enum bd_ring_kind bd_ring_kind(const struct bd_ring *ring)
{
	return ring->kind;
}

unsigned int bd_ring_in_flight(const struct bd_ring *ring)
{
	return atomic_load_explicit(&ring->in_flight, memory_order_relaxed);
}

const struct bd_ring_stats *bd_ring_stats(const struct bd_ring *ring)
{
	return &ring->stats;
}

void bd_ring_signal(struct bd_ring *ring)
{
	bd_lock(&ring->lock);
	if (ring->event_fd >= 0)
		signal_eventfd(ring);
	bd_unlock(&ring->lock);
}

int bd_ring_eventfd(struct bd_ring *ring)
{
	bd_lock(&ring->lock);
	if (ring->event_fd < 0) {
		/* Something may have finished before: readable from the start, as if it just did.
		 */
		int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
		int err = fd < 0 ? -errno : ring->ops->attach_eventfd(ring, fd);
		if (err && fd >= 0)
			close(fd);
		if (err) {
			bd_unlock(&ring->lock);
			return BD_FAIL(err, RING_EVENTFD, "cannot create the eventfd of a queue");
		}
		ring->event_fd = fd;
	}
	int fd = ring->event_fd;
	bd_unlock(&ring->lock);
	return fd;
}

int bd_ring_register_buffers(struct bd_ring *ring, const struct iovec *iov, unsigned int n)
{
	bd_lock(&ring->lock);
	int err = idle(ring) ? ring->ops->register_buffers(ring, iov, n) : -EBUSY;
	bd_unlock(&ring->lock);
	return err;
}
