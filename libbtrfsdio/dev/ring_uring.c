/* SPDX-License-Identifier: MIT */
/* dev/ring_uring.c - transfers through io_uring: one system call hands over, waits and collects */
#include "dev/ring_uring.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "base/math.h"

#define RETRY_MS 1 /* pause when the kernel has no memory for requests */

static void uring_submit(struct bd_ring *ring, struct bd_io *io)
{
	struct bd_uring *u = bd_uring_of(ring);

	/* A polled ring knows neither flushes nor the page cache. */
	if (u->uring.flags & IORING_SETUP_IOPOLL && (io->op == BD_IO_FLUSH || io->dev->buffered)) {
		bd_io_transfer(io, &ring->stats);
		bd_io_complete(io, io->res);
		return;
	}
	bd_lock(&ring->lock);
	STAILQ_INSERT_TAIL(&u->pending, io, link);
	bd_unlock(&ring->lock);
}

/* The slot of @dev's descriptor in the kernel's table of registered files, or -1. */
static int file_slot(struct bd_uring *u, struct bd_dev *dev)
{
	unsigned int i = 0;
	for (; i < u->num_files; i++) {
		if (u->files[i] == dev)
			return (int)i;
	}
	if (i == u->max_files)
		return -1;
	if (io_uring_register_files_update(&u->uring, i, &dev->fd, 1) != 1) {
		u->max_files = i;
		return -1;
	}
	u->files[u->num_files++] = dev;
	atomic_fetch_add_explicit(&dev->rings, 1, memory_order_relaxed);
	return (int)i;
}

static void prepare_transfer(const struct bd_uring *u, struct io_uring_sqe *sqe,
			     const struct bd_io *io, int fd)
{
	uint64_t at = io->dev->base + io->offset + io->progress;
	bool read = io->op == BD_IO_READ;

	if (io->iov && io->iovcnt > 1 && !io->progress) {
		if (read)
			io_uring_prep_readv(sqe, fd, io->iov, io->iovcnt, at);
		else
			io_uring_prep_writev(sqe, fd, io->iov, io->iovcnt, at);
		return;
	}
	struct iovec piece = bd_io_piece(io, io->progress);
	unsigned int len = (unsigned int)piece.iov_len;
	if (io->buf_index >= 0 && (unsigned int)io->buf_index < u->num_buffers) {
		if (read)
			io_uring_prep_read_fixed(sqe, fd, piece.iov_base, len, at, io->buf_index);
		else
			io_uring_prep_write_fixed(sqe, fd, piece.iov_base, len, at, io->buf_index);
	} else if (read) {
		io_uring_prep_read(sqe, fd, piece.iov_base, len, at);
	} else {
		io_uring_prep_write(sqe, fd, piece.iov_base, len, at);
	}
}

static void prepare(struct bd_uring *u, struct bd_io *io)
{
	/* There are more entries than I/Os are let into the kernel at once, and the wake-up. */
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->uring);
	assert(sqe);
	int slot = file_slot(u, io->dev);
	int fd = slot < 0 ? io->dev->fd : slot;

	if (io->op == BD_IO_FLUSH)
		io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
	else
		prepare_transfer(u, sqe, io, fd);
	if (slot >= 0)
		io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	io_uring_sqe_set_data(sqe, io);
	u->in_kernel++;
}

static void fill_queue(struct bd_uring *u)
{
	if (u->wake_fd >= 0 && !u->wake_armed) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&u->uring);
		assert(sqe);
		io_uring_prep_poll_add(sqe, u->wake_fd, POLLIN);
		io_uring_sqe_set_data(sqe, NULL);
		u->wake_armed = true;
	}
	struct bd_io *io;
	while (u->in_kernel < u->depth && (io = STAILQ_FIRST(&u->pending))) {
		STAILQ_REMOVE_HEAD(&u->pending, link);
		prepare(u, io);
	}
}

/*
 * Make the entries visible to the kernel; liburing does it only inside its own calls, which
 * would have to be made with the lock. Return: entries that the kernel has not taken yet.
 */
static unsigned int publish(struct bd_uring *u)
{
	struct io_uring_sq *sq = &u->uring.sq;

	if (sq->sqe_head != sq->sqe_tail) {
		sq->sqe_head = sq->sqe_tail;
		__atomic_store_n(sq->ktail, sq->sqe_tail, __ATOMIC_SEQ_CST);
	}
	return sq->sqe_tail - io_uring_smp_load_acquire(sq->khead);
}

static unsigned int queue_flags(const struct bd_uring *u)
{
	/* Sequentially consistent, as the store of the tail is: if the flags were read before it
	 * is visible, the kernel's thread might fall asleep in between and nobody would wake it. */
	return __atomic_load_n(u->uring.sq.kflags, __ATOMIC_SEQ_CST);
}

/* Flags for the system call that is due, 0: none is. */
static unsigned int enter_flags(const struct bd_uring *u, enum bd_ring_advance how,
				unsigned int queued, bool sleep)
{
	unsigned int flags = 0, kernel = queue_flags(u);
	bool polled = u->uring.flags & IORING_SETUP_IOPOLL && u->in_kernel;

	if (sleep || (how != BD_RING_START &&
		      (polled || kernel & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW))))
		flags |= IORING_ENTER_GETEVENTS;
	if (u->uring.flags & IORING_SETUP_SQPOLL) {
		if (kernel & IORING_SQ_NEED_WAKEUP)
			flags |= IORING_ENTER_SQ_WAKEUP;
	} else if (queued && how != BD_RING_START) {
		/* On the way, let the kernel finish what it deferred. */
		flags |= IORING_ENTER_GETEVENTS;
	}
	return flags;
}

static int enter(struct bd_uring *u, unsigned int queued, bool sleep, unsigned int flags,
		 uint64_t deadline)
{
	struct __kernel_timespec ts = {0};
	struct io_uring_getevents_arg arg = {.sigmask_sz = _NSIG / 8,
					     .ts = (uint64_t)(uintptr_t)&ts};
	void *extra = NULL;
	size_t extra_size = _NSIG / 8;

	if (sleep && deadline && !(u->uring.flags & IORING_SETUP_IOPOLL)) {
		uint64_t now = bd_now_ns();
		uint64_t left = deadline > now ? deadline - now : 0;
		ts.tv_sec = (int64_t)(left / 1000000000);
		ts.tv_nsec = (int64_t)(left % 1000000000);
		flags |= IORING_ENTER_EXT_ARG;
		extra = &arg;
		extra_size = sizeof(arg);
	}
	bd_count(&u->ring.stats.syscalls, 1);
	int n = io_uring_enter2((unsigned int)u->uring.enter_ring_fd, queued, sleep,
				flags | u->enter_flags, extra, extra_size);
	if (n >= 0 || n == -EINTR || n == -ETIME)
		return 0;
	if (n != -EAGAIN && n != -EBUSY)
		return n;
	if (sleep)
		poll(NULL, 0, RETRY_MS);
	return 0;
}

static void woken(struct bd_uring *u)
{
	uint64_t count;
	/* Empty when the poll was cancelled because the thread that armed it has ended. */
	ssize_t n = read(u->wake_fd, &count, sizeof(count));
	(void)n;
	u->wake_armed = false;
}

static void finished(struct bd_uring *u, struct bd_io *io, int res)
{
	u->in_kernel--;
	/* The device cannot be polled. */
	if (res == -EOPNOTSUPP && u->uring.flags & IORING_SETUP_IOPOLL)
		STAILQ_INSERT_TAIL(&u->refused, io, link);
	else if (bd_io_advance(io, res, &u->ring.stats))
		STAILQ_INSERT_HEAD(&u->pending, io, link);
	else
		STAILQ_INSERT_TAIL(&u->ring.finished, io, link);
}

static void collect(struct bd_uring *u)
{
	struct io_uring_cqe *cqe;
	unsigned int head, n = 0;

	io_uring_for_each_cqe(&u->uring, head, cqe) {
		struct bd_io *io = io_uring_cqe_get_data(cqe);
		n++;
		if (io)
			finished(u, io, cqe->res);
		else
			woken(u);
	}
	io_uring_cq_advance(&u->uring, n);
}

/* Blocking calls take over what the ring refused. */
static void transfer_refused(struct bd_uring *u)
{
	struct bd_io *io;

	while ((io = STAILQ_FIRST(&u->refused))) {
		STAILQ_REMOVE_HEAD(&u->refused, link);
		bd_unlock(&u->ring.lock);
		bd_io_transfer(io, &u->ring.stats);
		bd_io_complete(io, io->res);
		bd_lock(&u->ring.lock);
	}
}

static int uring_advance(struct bd_ring *ring, enum bd_ring_advance how, uint64_t deadline)
{
	struct bd_uring *u = bd_uring_of(ring);

	fill_queue(u);
	unsigned int queued = publish(u);
	bool sleep = how == BD_RING_BLOCK && !io_uring_cq_ready(&u->uring);
	unsigned int flags = enter_flags(u, how, queued, sleep);
	int err = 0;
	if (flags || (queued && !(u->uring.flags & IORING_SETUP_SQPOLL))) {
		bd_unlock(&ring->lock);
		err = enter(u, queued, sleep, flags, deadline);
		bd_lock(&ring->lock);
	}
	if (how == BD_RING_BLOCK || (how == BD_RING_PEEK && !ring->blocked))
		collect(u);
	transfer_refused(u);
	return err;
}

static bool uring_can_block(const struct bd_ring *ring)
{
	const struct bd_uring *u = (const struct bd_uring *)ring;
	return u->wake_fd >= 0 || u->in_kernel || !STAILQ_EMPTY(&u->pending);
}

static void uring_wake(struct bd_ring *ring)
{
	const struct bd_uring *u = bd_uring_of(ring);
	uint64_t one = 1;

	/* Without a descriptor the ring is polled, and its sleep ends with the next transfer. */
	if (u->wake_fd >= 0) {
		ssize_t n = write(u->wake_fd, &one, sizeof(one));
		(void)n;
	}
}

static int uring_attach_eventfd(struct bd_ring *ring, int fd)
{
	return io_uring_register_eventfd(&bd_uring_of(ring)->uring, fd);
}

static int uring_register_buffers(struct bd_ring *ring, const struct iovec *iov, unsigned int n)
{
	struct bd_uring *u = bd_uring_of(ring);

	if (u->num_buffers)
		io_uring_unregister_buffers(&u->uring);
	u->num_buffers = 0;
	int err = n ? io_uring_register_buffers(&u->uring, iov, n) : 0;
	if (!err)
		u->num_buffers = n;
	return err;
}

const struct bd_ring_ops bd_uring_ops = {
	.submit = uring_submit,
	.advance = uring_advance,
	.can_block = uring_can_block,
	.wake = uring_wake,
	.attach_eventfd = uring_attach_eventfd,
	.register_buffers = uring_register_buffers,
	.free = bd_uring_free,
};
