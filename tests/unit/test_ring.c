/* SPDX-License-Identifier: MIT */
/* tests/unit/test_ring.c - rings: every I/O called back once with the right bytes, whatever the
 * kind */
#include "unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "dev/dev_impl.h"
#include "scratch.h"

#define BLOCK	  4096u
#define FILE_SIZE (4u << 20)
#define NUM	  200
#define MS	  1000000ULL

static const struct bd_ring_opts kinds[] = {
	{.kind = BD_RING_BLOCKING, .depth = 64},
	{.kind = BD_RING_URING, .depth = 64},
	{.kind = BD_RING_URING, .depth = 1},
	{.kind = BD_RING_URING, .depth = 3, .flags = BD_RING_SINGLE_ISSUER},
	{.kind = BD_RING_URING, .depth = 64, .flags = BD_RING_SINGLE_ISSUER},
	{.kind = BD_RING_URING, .depth = 16, .flags = BD_RING_SQPOLL},
	{.kind = BD_RING_URING, .depth = 16, .flags = BD_RING_IOPOLL},
};

struct world {
	char path[256];
	struct bd_dev *dev;
	struct bd_ring *ring;
};

static void world_open(struct world *w, const struct bd_ring_opts *opts)
{
	const struct bd_dev_open args = {.writable = true};

	snprintf(w->path, sizeof(w->path), "%s", scratch_file(FILE_SIZE));
	CU_ASSERT_EQUAL_FATAL(bd_dev_open_path(w->path, &args, &w->dev), 0);
	CU_ASSERT_EQUAL_FATAL(bd_ring_new(opts, &w->ring), 0);
}

static void world_close(struct world *w)
{
	bd_ring_free(w->ring);
	CU_ASSERT_EQUAL(w->dev->in_flight, 0);
	bd_dev_close(w->dev);
	unlink(w->path);
}

static void with_each_kind(void (*test)(struct world *w))
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct world w;
		world_open(&w, &kinds[i]);
		test(&w);
		world_close(&w);
	}
}

static uint64_t now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Drive until nothing is in flight; the number of callbacks. */
static int drive_all(struct bd_ring *ring)
{
	int sum = 0;
	while (bd_ring_in_flight(ring)) {
		int n = bd_ring_drive(ring, true, 0);
		CU_ASSERT_FATAL(n > 0);
		sum += n;
	}
	return sum;
}

static void random_reads(struct world *w)
{
	static struct counted_io ios[NUM];
	uint8_t *bufs = scratch_buf(NUM * BLOCK);
	unsigned int seed = 1;

	for (int i = 0; i < NUM; i++) {
		uint64_t at = (uint64_t)rand_r(&seed) % (FILE_SIZE / BLOCK) * BLOCK;
		counted_prep(&ios[i], w->dev, BD_IO_READ, bufs + (size_t)i * BLOCK, BLOCK, at);
		bd_dev_submit(w->ring, &ios[i].io);
	}
	CU_ASSERT_EQUAL(bd_ring_in_flight(w->ring), NUM);
	CU_ASSERT_EQUAL(drive_all(w->ring), NUM);
	for (int i = 0; i < NUM; i++) {
		CU_ASSERT_EQUAL(ios[i].calls, 1);
		CU_ASSERT_EQUAL(ios[i].io.res, 0);
		CU_ASSERT_EQUAL(pattern_differs(ios[i].io.buf, BLOCK, ios[i].io.offset), 0);
	}
	CU_ASSERT_EQUAL(bd_ring_stats(w->ring)->submitted, NUM);
	free(bufs);
}

static void more_reads_than_depth(void)
{
	with_each_kind(random_reads);
}

static void nothing_in_flight(struct world *w)
{
	atomic_bool never = false;

	CU_ASSERT_EQUAL(bd_ring_drive(w->ring, true, 0), 0);
	CU_ASSERT_EQUAL(bd_ring_drive(w->ring, false, 0), 0);
	CU_ASSERT_EQUAL(bd_ring_start(w->ring), 0);
	CU_ASSERT_EQUAL(bd_ring_wait(w->ring, &never), -ECANCELED);
}

static void driving_an_idle_ring_returns(void)
{
	with_each_kind(nothing_in_flight);
}

static void writes_and_vectors(struct world *w)
{
	struct counted_io io;
	uint8_t *a = scratch_buf(BLOCK), *b = scratch_buf(2 * BLOCK);
	struct iovec iov[] = {{a, BLOCK}, {b, 2 * BLOCK}};

	pattern_fill(a, BLOCK, 111);
	pattern_fill(b, 2 * BLOCK, 222);
	counted_prep(&io, w->dev, BD_IO_WRITE, NULL, 3 * BLOCK, 5 * BLOCK);
	io.io.iov = iov;
	io.io.iovcnt = 2;
	bd_dev_submit(w->ring, &io.io);
	CU_ASSERT_EQUAL(bd_ring_drive(w->ring, true, 0), 1);
	CU_ASSERT_EQUAL(io.io.res, 0);

	counted_prep(&io, w->dev, BD_IO_FLUSH, NULL, 0, 0);
	bd_dev_submit(w->ring, &io.io);
	CU_ASSERT_EQUAL(bd_ring_drive(w->ring, true, 0), 1);
	CU_ASSERT_EQUAL(io.io.res, 0);

	iov[0] = (struct iovec){b, 2 * BLOCK};
	iov[1] = (struct iovec){a, BLOCK};
	counted_prep(&io, w->dev, BD_IO_READ, NULL, 3 * BLOCK, 5 * BLOCK);
	io.io.iov = iov;
	io.io.iovcnt = 2;
	bd_dev_submit(w->ring, &io.io);
	CU_ASSERT_EQUAL(bd_ring_drive(w->ring, true, 0), 1);
	CU_ASSERT_EQUAL(io.io.res, 0);
	CU_ASSERT_EQUAL(pattern_differs(b, BLOCK, 111), 0);
	CU_ASSERT_EQUAL(pattern_differs(b + BLOCK, BLOCK, 222), 0);
	CU_ASSERT_EQUAL(pattern_differs(a, BLOCK, 222 + BLOCK), 0);
	free(a);
	free(b);
}

static void writes_flushes_and_vectors(void)
{
	with_each_kind(writes_and_vectors);
}

static void cut_file(struct world *w)
{
	struct counted_io io;
	uint8_t *buf = scratch_buf(16 * BLOCK);
	struct iovec iov[] = {{buf, 8 * BLOCK}, {buf + 8 * BLOCK, 8 * BLOCK}};

	CU_ASSERT_EQUAL_FATAL(truncate(w->path, 10 * BLOCK), 0);
	counted_prep(&io, w->dev, BD_IO_READ, buf, 16 * BLOCK, 0);
	bd_dev_submit(w->ring, &io.io);
	CU_ASSERT_EQUAL(drive_all(w->ring), 1);
	CU_ASSERT_EQUAL(io.io.res, -EIO);
	/* The short transfer was continued, also inside of the second vector, until the end. */
	CU_ASSERT_EQUAL(bd_ring_stats(w->ring)->short_resumed, 1);
	CU_ASSERT_EQUAL(pattern_differs(buf, 10 * BLOCK, 0), 0);
	counted_prep(&io, w->dev, BD_IO_READ, NULL, 16 * BLOCK, 0);
	io.io.iov = iov;
	io.io.iovcnt = 2;
	bd_dev_submit(w->ring, &io.io);
	CU_ASSERT_EQUAL(drive_all(w->ring), 1);
	CU_ASSERT_EQUAL(io.io.res, -EIO);
	CU_ASSERT_EQUAL(bd_ring_stats(w->ring)->short_resumed, 2);

	CU_ASSERT_EQUAL_FATAL(truncate(w->path, 10 * BLOCK + 100), 0);
	counted_prep(&io, w->dev, BD_IO_READ, buf, BLOCK, 10 * BLOCK);
	bd_dev_submit(w->ring, &io.io);
	CU_ASSERT_EQUAL(drive_all(w->ring), 1);
	CU_ASSERT_EQUAL(io.io.res, -EIO);
	counted_prep(&io, w->dev, BD_IO_READ, buf, BLOCK, 20 * BLOCK);
	bd_dev_submit(w->ring, &io.io);
	CU_ASSERT_EQUAL(drive_all(w->ring), 1);
	CU_ASSERT_EQUAL(io.io.res, -EIO);
	free(buf);
}

static void a_short_file_is_an_error(void)
{
	with_each_kind(cut_file);
}

static void bad_buffer(struct world *w)
{
	struct counted_io bad, good;
	uint8_t *buf = scratch_buf(BLOCK);

	counted_prep(&bad, w->dev, BD_IO_READ, (void *)(uintptr_t)BLOCK, BLOCK, 0);
	counted_prep(&good, w->dev, BD_IO_READ, buf, BLOCK, BLOCK);
	bd_dev_submit(w->ring, &bad.io);
	bd_dev_submit(w->ring, &good.io);
	CU_ASSERT_EQUAL(drive_all(w->ring), 2);
	CU_ASSERT_EQUAL(bad.io.res, -EFAULT);
	CU_ASSERT_EQUAL(good.io.res, 0);
	CU_ASSERT_EQUAL(pattern_differs(buf, BLOCK, BLOCK), 0);
	free(buf);
}

static void one_bad_io_fails_alone(void)
{
	with_each_kind(bad_buffer);
}

/* An I/O that submits itself again until it was called back often enough, then frees itself. */
struct chain {
	struct bd_io io;
	struct bd_ring *ring;
	int left;
	int *finished;
	void *buf;
};

static void chain_done(struct bd_io *io)
{
	struct chain *c = io->priv;
	CU_ASSERT_EQUAL(io->res, 0);
	CU_ASSERT_EQUAL(pattern_differs(c->buf, BLOCK, io->offset), 0);
	if (--c->left) {
		io->offset += BLOCK;
		bd_dev_submit(c->ring, io);
		return;
	}
	++*c->finished;
	free(c->buf);
	free(c);
}

static void chains(struct world *w)
{
	int finished = 0, sum = 0;

	for (int i = 0; i < 10; i++) {
		struct chain *c = malloc(sizeof(*c));
		*c = (struct chain){.ring = w->ring,
				    .left = 20,
				    .finished = &finished,
				    .buf = scratch_buf(BLOCK)};
		c->io = (struct bd_io){.dev = w->dev,
				       .op = BD_IO_READ,
				       .len = BLOCK,
				       .buf = c->buf,
				       .buf_index = -1,
				       .done = chain_done,
				       .priv = c};
		bd_dev_submit(w->ring, &c->io);
	}
	while (finished < 10)
		sum += bd_ring_drive(w->ring, true, 0);
	CU_ASSERT_EQUAL(sum, 200);
	CU_ASSERT_EQUAL(bd_ring_in_flight(w->ring), 0);
}

static void callbacks_submit_and_free(void)
{
	with_each_kind(chains);
}

static void free_early(struct world *w)
{
	static struct counted_io ios[NUM];
	uint8_t *bufs = scratch_buf(NUM * BLOCK);

	for (uint32_t i = 0; i < NUM; i++) {
		counted_prep(&ios[i], w->dev, BD_IO_READ, bufs + i * BLOCK, BLOCK, i * BLOCK);
		bd_dev_submit(w->ring, &ios[i].io);
	}
	CU_ASSERT_EQUAL(bd_ring_start(w->ring), 0);
	bd_ring_free(w->ring);
	w->ring = NULL;
	for (uint32_t i = 0; i < NUM; i++) {
		CU_ASSERT_EQUAL(ios[i].calls, 1);
		CU_ASSERT_EQUAL(pattern_differs(bufs + i * BLOCK, BLOCK, i * BLOCK), 0);
	}
	free(bufs);
}

static void freeing_finishes_what_is_in_flight(void)
{
	with_each_kind(free_early);
}

static void peek(struct world *w)
{
	struct counted_io io;
	uint8_t *buf = scratch_buf(BLOCK);
	uint64_t end = now_ns() + 10000 * MS;

	counted_prep(&io, w->dev, BD_IO_READ, buf, BLOCK, 7 * BLOCK);
	bd_dev_submit(w->ring, &io.io);
	int n = 0;
	while (!n && now_ns() < end)
		n = bd_ring_drive(w->ring, false, 0);
	CU_ASSERT_EQUAL(n, 1);
	CU_ASSERT_EQUAL(io.calls, 1);
	CU_ASSERT_EQUAL(pattern_differs(buf, BLOCK, 7 * BLOCK), 0);
	free(buf);
}

static void peeking_alone_makes_progress(void)
{
	with_each_kind(peek);
}

static bool readable(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	return poll(&p, 1, timeout_ms) == 1;
}

static void eventfds(struct world *w)
{
	struct counted_io io;
	uint8_t *buf = scratch_buf(BLOCK);
	uint64_t count;

	int fd = bd_ring_eventfd(w->ring);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(bd_ring_eventfd(w->ring), fd);
	CU_ASSERT_TRUE(readable(fd, 0)); /* something may have finished before */
	for (uint64_t i = 0; i < 20; i++) {
		counted_prep(&io, w->dev, BD_IO_READ, buf, BLOCK, i * BLOCK);
		bd_dev_submit(w->ring, &io.io);
		CU_ASSERT_EQUAL(bd_ring_start(w->ring), 0);
		while (!io.calls) {
			CU_ASSERT_FATAL(readable(fd, 10000));
			CU_ASSERT_EQUAL(read(fd, &count, sizeof(count)), sizeof(count));
			CU_ASSERT_FATAL(bd_ring_drive(w->ring, false, 0) >= 0);
		}
		CU_ASSERT_EQUAL(pattern_differs(buf, BLOCK, i * BLOCK), 0);
	}
	free(buf);
}

static void an_eventfd_tells_of_completions(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct world w;
		if (kinds[i].flags & BD_RING_IOPOLL)
			continue; /* nothing completes there unless somebody polls */
		world_open(&w, &kinds[i]);
		eventfds(&w);
		world_close(&w);
	}
}

static void fixed_buffers(struct world *w)
{
	static struct counted_io ios[32];
	uint8_t *bufs = scratch_buf(32 * BLOCK);
	const struct iovec halves[] = {{bufs, 16 * BLOCK}, {bufs + 16 * BLOCK, 16 * BLOCK}};

	/* an index without a registration, then one, then two, then none again */
	for (unsigned int n = 0; n < 4; n++) {
		if (n)
			CU_ASSERT_EQUAL(bd_ring_register_buffers(w->ring, halves, n % 3), 0);
		memset(bufs, 0, 32 * BLOCK);
		for (uint32_t i = 0; i < 32; i++) {
			counted_prep(&ios[i], w->dev, BD_IO_READ, bufs + i * BLOCK, BLOCK,
				     (uint64_t)i * 3 * BLOCK);
			ios[i].io.buf_index = i / 16;
			bd_dev_submit(w->ring, &ios[i].io);
		}
		CU_ASSERT_EQUAL(bd_ring_register_buffers(w->ring, halves, 2), -EBUSY);
		CU_ASSERT_EQUAL(drive_all(w->ring), 32);
		for (uint32_t i = 0; i < 32; i++) {
			CU_ASSERT_EQUAL(ios[i].io.res, 0);
			CU_ASSERT_EQUAL(
				pattern_differs(ios[i].io.buf, BLOCK, (uint64_t)i * 3 * BLOCK), 0);
		}
	}
	free(bufs);
}

static void registered_buffers_come_and_go(void)
{
	with_each_kind(fixed_buffers);
}

static void a_batch_takes_few_system_calls(void)
{
	static struct counted_io ios[64];
	struct world w;
	const struct bd_ring_opts opts = {.kind = BD_RING_URING, .depth = 64};
	uint8_t *bufs = scratch_buf(64 * BLOCK);

	world_open(&w, &opts);
	if (bd_ring_kind(w.ring) != BD_RING_URING) {
		unit_skip("no io_uring here");
		goto out;
	}
	for (uint32_t i = 0; i < 64; i++) {
		counted_prep(&ios[i], w.dev, BD_IO_READ, bufs + i * BLOCK, BLOCK, i * BLOCK);
		bd_dev_submit(w.ring, &ios[i].io);
	}
	CU_ASSERT_EQUAL(bd_ring_stats(w.ring)->syscalls, 0);
	CU_ASSERT_EQUAL(bd_ring_start(w.ring), 0);
	CU_ASSERT_EQUAL(bd_ring_stats(w.ring)->syscalls, 1);
	CU_ASSERT_EQUAL(drive_all(w.ring), 64);
	CU_ASSERT(bd_ring_stats(w.ring)->syscalls <= 65);
out:
	world_close(&w);
	free(bufs);
}

static void transient_errors_are_retried(void)
{
	struct bd_dev dev = {.io_align = 512};
	struct bd_io io = {.dev = &dev, .op = BD_IO_READ, .len = 8192};
	struct bd_ring_stats stats = {0};

	CU_ASSERT_TRUE(bd_io_advance(&io, -EAGAIN, &stats));
	CU_ASSERT_TRUE(bd_io_advance(&io, -EINTR, &stats));
	CU_ASSERT_EQUAL(io.progress, 0);
	CU_ASSERT_TRUE(bd_io_advance(&io, 4096, &stats));
	CU_ASSERT_EQUAL(io.progress, 4096);
	CU_ASSERT_EQUAL(stats.short_resumed, 1);
	CU_ASSERT_FALSE(bd_io_advance(&io, 4096, &stats));
	CU_ASSERT_EQUAL(io.res, 0);

	/* but not for ever */
	int tries = 0;
	io.progress = 0;
	while (bd_io_advance(&io, -EAGAIN, &stats) && tries < 100000)
		tries++;
	CU_ASSERT(tries > 100 && tries < 100000);
	CU_ASSERT_EQUAL(io.res, -EAGAIN);
}

static void bad_options_are_refused(void)
{
	struct bd_ring *ring;
	CU_ASSERT_EQUAL(bd_ring_new(&(struct bd_ring_opts){.depth = 0}, &ring), -EINVAL);
	CU_ASSERT_EQUAL(bd_ring_new(&(struct bd_ring_opts){.depth = 4097}, &ring), -EINVAL);
	CU_ASSERT_EQUAL(bd_ring_new(&(struct bd_ring_opts){.depth = 1, .flags = 8}, &ring),
			-EINVAL);
	bd_ring_free(NULL);
}

/* Several threads, one ring: each waits for its own reads, and runs the callbacks of all. */
struct sharer {
	pthread_t thread;
	struct world *w;
	unsigned int seed;
	int wrong;
};

static void *share(void *arg)
{
	struct sharer *s = arg;
	struct counted_io ios[4];
	uint8_t *bufs = scratch_buf(4 * BLOCK);

	for (int round = 0; round < 150; round++) {
		for (uint32_t i = 0; i < 4; i++) {
			uint64_t block = (uint64_t)rand_r(&s->seed) % (FILE_SIZE / BLOCK);
			counted_prep(&ios[i], s->w->dev, BD_IO_READ, bufs + i * BLOCK, BLOCK,
				     block * BLOCK);
			bd_dev_submit(s->w->ring, &ios[i].io);
		}
		for (int i = 0; i < 4; i++) {
			if (bd_ring_wait(s->w->ring, &ios[i].done))
				s->wrong++;
			/* The callback stored done last: nobody touches the I/O any more. */
			if (ios[i].calls != 1 || ios[i].io.res ||
			    pattern_differs(ios[i].io.buf, BLOCK, ios[i].io.offset))
				s->wrong++;
		}
	}
	free(bufs);
	return NULL;
}

static void shared(struct world *w)
{
	struct sharer sharers[4];

	for (unsigned int i = 0; i < 4; i++) {
		sharers[i] = (struct sharer){.w = w, .seed = i};
		CU_ASSERT_EQUAL_FATAL(pthread_create(&sharers[i].thread, NULL, share, &sharers[i]),
				      0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(sharers[i].thread, NULL);
		CU_ASSERT_EQUAL(sharers[i].wrong, 0);
	}
}

static void threads_share_a_ring(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct world w;
		if (kinds[i].flags & BD_RING_SINGLE_ISSUER)
			continue;
		world_open(&w, &kinds[i]);
		shared(&w);
		world_close(&w);
	}
}

/* Holds back every I/O of the device. */
static int hold_all(struct bd_tap *tap, struct bd_io *io, int *res)
{
	(void)tap, (void)io, (void)res;
	return BD_TAP_HOLD;
}

struct waiter {
	struct bd_ring *ring;
	const atomic_bool *done;
	atomic_bool back;
	int err;
};

static void *wait_for_it(void *arg)
{
	struct waiter *waiter = arg;
	waiter->err = bd_ring_wait(waiter->ring, waiter->done);
	atomic_store(&waiter->back, true);
	return NULL;
}

/*
 * A held I/O keeps the ring busy for ever. A thread sleeps until its own read is done, and the
 * callback runs on another thread: the sleeper must learn of it although nothing else finishes.
 */
static void woken_by_anothers_callback(struct world *w)
{
	struct bd_tap tap = {.before = hold_all};
	struct bd_dev *ram, *held_dev;
	struct counted_io held, wanted;
	struct waiter waiter = {.ring = w->ring, .done = &wanted.done};
	uint8_t *buf = scratch_buf(2 * BLOCK);
	pthread_t thread;

	CU_ASSERT_EQUAL_FATAL(bd_dev_open_mem("ram", BLOCK, &ram), 0);
	CU_ASSERT_EQUAL_FATAL(bd_dev_open_tap(ram, &tap, &held_dev), 0);
	counted_prep(&held, held_dev, BD_IO_READ, buf, BLOCK, 0);
	counted_prep(&wanted, w->dev, BD_IO_READ, buf + BLOCK, BLOCK, BLOCK);
	bd_dev_submit(w->ring, &held.io);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, wait_for_it, &waiter), 0);
	nanosleep(&(struct timespec){.tv_nsec = 5 * MS}, NULL);
	bd_dev_submit(w->ring, &wanted.io);
	uint64_t end = now_ns() + 10000 * MS;
	while (!waiter.back && now_ns() < end)
		bd_ring_drive(w->ring, true, 2 * MS);
	CU_ASSERT_TRUE(waiter.back);
	bd_dev_tap_release(held_dev);
	drive_all(w->ring);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(waiter.err, 0);
	CU_ASSERT_EQUAL(held.calls, 1);
	bd_dev_close(held_dev);
	free(buf);
}

static void a_sleeper_learns_of_anothers_callback(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct world w;
		if (kinds[i].flags & BD_RING_SINGLE_ISSUER)
			continue;
		world_open(&w, &kinds[i]);
		woken_by_anothers_callback(&w);
		world_close(&w);
	}
}

static void *submit_and_end(void *arg)
{
	struct counted_io *io = arg;
	bd_dev_submit(io->io.ring, &io->io);
	bd_ring_start(io->io.ring);
	return NULL;
}

/* The kernel cancels what a thread leaves behind when it ends: the wake-up must survive that. */
static void a_ring_outlives_the_thread_that_started_it(void)
{
	struct world w;
	struct bd_tap tap = {.before = hold_all};
	struct bd_dev *ram, *held_dev;
	struct counted_io io, held;
	struct waiter waiter = {.done = &held.done};
	pthread_t thread;
	uint8_t *buf = scratch_buf(2 * BLOCK);

	world_open(&w, &kinds[1]);
	counted_prep(&io, w.dev, BD_IO_READ, buf, BLOCK, BLOCK);
	io.io.ring = w.ring;
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, submit_and_end, &io), 0);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(drive_all(w.ring), 1);
	CU_ASSERT_EQUAL(io.io.res, 0);

	CU_ASSERT_EQUAL_FATAL(bd_dev_open_mem("ram", BLOCK, &ram), 0);
	CU_ASSERT_EQUAL_FATAL(bd_dev_open_tap(ram, &tap, &held_dev), 0);
	counted_prep(&held, held_dev, BD_IO_READ, buf, BLOCK, 0);
	bd_dev_submit(w.ring, &held.io);
	waiter.ring = w.ring;
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, wait_for_it, &waiter), 0);
	nanosleep(&(struct timespec){.tv_nsec = 5 * MS}, NULL);
	bd_dev_tap_release(held_dev);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(waiter.err, 0);
	CU_ASSERT_EQUAL(held.calls, 1);
	bd_dev_close(held_dev);
	world_close(&w);
	free(buf);
}

/* Run @body in a child process that may be deprived of things; its result, 0 is success. */
static int in_child(int (*body)(void))
{
	int status = -1;
	fflush(stdout);
	pid_t pid = fork();
	if (!pid)
		_exit(body());
	CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

#define CHILD_SKIPS 77

/* CUnit's assertions would be lost in a child, so it counts. */
static int read_some(struct bd_ring *ring, struct bd_dev *dev, int buf_index)
{
	static struct counted_io ios[NUM];
	static _Alignas(4096) uint8_t bufs[NUM * BLOCK];
	int wrong = 0;

	for (uint32_t i = 0; i < NUM; i++) {
		counted_prep(&ios[i], dev, BD_IO_READ, bufs + i * BLOCK, BLOCK, i * BLOCK);
		ios[i].io.buf_index = buf_index;
		bd_dev_submit(ring, &ios[i].io);
	}
	while (bd_ring_in_flight(ring)) {
		if (bd_ring_drive(ring, true, 0) <= 0)
			return 99;
	}
	for (uint32_t i = 0; i < NUM; i++)
		wrong += ios[i].calls != 1 || ios[i].io.res ||
			 pattern_differs(bufs + i * BLOCK, BLOCK, i * BLOCK);
	return wrong ? 98 : 0;
}

static const char *child_path;

static int forbid_io_uring(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {.len = 4, .filter = code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int without_io_uring(void)
{
	const struct bd_ring_opts opts = {
		.kind = BD_RING_URING, .depth = 64, .flags = BD_RING_SINGLE_ISSUER};
	const struct bd_dev_open args = {0};
	struct bd_dev *dev;
	struct bd_ring *ring;

	if (forbid_io_uring())
		return CHILD_SKIPS;
	if (bd_dev_open_path(child_path, &args, &dev) || bd_ring_new(&opts, &ring))
		return 1;
	if (bd_ring_kind(ring) != BD_RING_BLOCKING)
		return 2;
	int wrong = read_some(ring, dev, -1);
	bd_ring_free(ring);
	bd_dev_close(dev);
	return wrong;
}

static void blocking_calls_stand_in_where_it_is_forbidden(void)
{
	child_path = scratch_file(FILE_SIZE);
	int result = in_child(without_io_uring);
	if (result == CHILD_SKIPS)
		unit_skip("no seccomp here");
	else
		CU_ASSERT_EQUAL(result, 0);
	unlink(child_path);
}

static int with_little_locked_memory(void)
{
	const struct bd_ring_opts opts = {.kind = BD_RING_URING, .depth = 64};
	const struct bd_dev_open args = {0};
	const struct rlimit limit = {.rlim_cur = 256 << 10, .rlim_max = 256 << 10};
	struct bd_dev *dev;
	struct bd_ring *ring;
	static _Alignas(4096) uint8_t large[8 << 20];
	const struct iovec iov = {large, sizeof(large)};

	if (bd_dev_open_path(child_path, &args, &dev))
		return 1;
	/* root may lock what it likes */
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || (!geteuid() && setuid(65534)))
		return CHILD_SKIPS;
	if (bd_ring_new(&opts, &ring))
		return 2;
	if (bd_ring_kind(ring) != BD_RING_URING)
		return CHILD_SKIPS;
	if (bd_ring_register_buffers(ring, &iov, 1) != -ENOMEM)
		return 3;
	int wrong = read_some(ring, dev, 0);
	bd_ring_free(ring);
	bd_dev_close(dev);
	return wrong;
}

static void unregistered_buffers_stand_in_where_memory_may_not_be_locked(void)
{
	child_path = scratch_file(FILE_SIZE);
	int result = in_child(with_little_locked_memory);
	if (result == CHILD_SKIPS)
		unit_skip("no io_uring, or locked memory cannot be limited here");
	else
		CU_ASSERT_EQUAL(result, 0);
	unlink(child_path);
}

static const struct unit_test tests[] = {
	UNIT_TEST(more_reads_than_depth),
	UNIT_TEST(driving_an_idle_ring_returns),
	UNIT_TEST(writes_flushes_and_vectors),
	UNIT_TEST(a_short_file_is_an_error),
	UNIT_TEST(one_bad_io_fails_alone),
	UNIT_TEST(callbacks_submit_and_free),
	UNIT_TEST(freeing_finishes_what_is_in_flight),
	UNIT_TEST(peeking_alone_makes_progress),
	UNIT_TEST(an_eventfd_tells_of_completions),
	UNIT_TEST(registered_buffers_come_and_go),
	UNIT_TEST(a_batch_takes_few_system_calls),
	UNIT_TEST(transient_errors_are_retried),
	UNIT_TEST(bad_options_are_refused),
	UNIT_TEST(threads_share_a_ring),
	UNIT_TEST(a_sleeper_learns_of_anothers_callback),
	UNIT_TEST(a_ring_outlives_the_thread_that_started_it),
	UNIT_TEST(blocking_calls_stand_in_where_it_is_forbidden),
	UNIT_TEST(unregistered_buffers_stand_in_where_memory_may_not_be_locked),
};

UNIT_MAIN("ring", tests)
