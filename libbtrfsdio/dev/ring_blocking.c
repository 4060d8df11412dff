/* SPDX-License-Identifier: MIT */
/* dev/ring_blocking.c - preadv and pwritev at submission, where io_uring is forbidden or of no use
 */
#include "dev/ring_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/math.h"
#include "base/mem.h"

#define TRIES_MAX 1000 /* of one transfer that is interrupted or refused for the moment */

bool bd_io_advance(struct bd_io *io, int res, struct bd_ring_stats *stats)
{
	if ((res == -EAGAIN || res == -EINTR) && io->tries < TRIES_MAX) {
		io->tries++;
		return true;
	}
	io->tries = 0;
	io->res = res < 0 ? res : 0;
	if (res < 0 || io->op == BD_IO_FLUSH)
		return false;

	io->progress += (uint32_t)res;
	if (io->progress == io->len)
		return false;
	/* Nothing at all is the end of the file; a piece of a block is what stood before it, and
	 * direct I/O cannot go on from there. */
	if (!res || !bd_is_aligned(io->progress, io->dev->io_align)) {
		io->res = -EIO;
		return false;
	}
	bd_count(&stats->short_resumed, 1);
	return true;
}

static ssize_t transfer_once(const struct bd_io *io)
{
	int fd = io->dev->fd;
	off_t at = (off_t)(io->dev->base + io->offset + io->progress);
	struct iovec piece;
	const struct iovec *iov = io->iov;
	int n = (int)io->iovcnt;

	if (io->op == BD_IO_FLUSH)
		return fdatasync(fd);
	if (!iov || io->progress) {
		piece = bd_io_piece(io, io->progress);
		iov = &piece;
		n = 1;
	}
	return io->op == BD_IO_READ ? preadv(fd, iov, n, at) : pwritev(fd, iov, n, at);
}

void bd_io_transfer(struct bd_io *io, struct bd_ring_stats *stats)
{
	ssize_t n;

	do {
		bd_count(&stats->syscalls, 1);
		n = transfer_once(io);
	} while (bd_io_advance(io, n < 0 ? -errno : (int)n, stats));
}

static void blocking_submit(struct bd_ring *ring, struct bd_io *io)
{
	bd_io_transfer(io, &ring->stats);
	bd_io_complete(io, io->res);
}

static int blocking_advance(struct bd_ring *ring, enum bd_ring_advance how, uint64_t deadline)
{
	(void)ring, (void)how, (void)deadline;
	return 0; /* what was submitted is complete, or some device holds it */
}

static bool blocking_can_block(const struct bd_ring *ring)
{
	(void)ring;
	return false;
}

static void blocking_wake(struct bd_ring *ring)
{
	(void)ring;
}

static int blocking_attach_eventfd(struct bd_ring *ring, int fd)
{
	(void)ring, (void)fd;
	return 0; /* bd_io_complete() writes it */
}

static int blocking_register_buffers(struct bd_ring *ring, const struct iovec *iov, unsigned int n)
{
	(void)ring, (void)iov, (void)n;
	return 0; /* preadv has nothing to gain from it */
}

static void blocking_free(struct bd_ring *ring)
{
	bd_ring_fini(ring);
	free(ring);
}

static const struct bd_ring_ops blocking_ops = {
	.submit = blocking_submit,
	.advance = blocking_advance,
	.can_block = blocking_can_block,
	.wake = blocking_wake,
	.attach_eventfd = blocking_attach_eventfd,
	.register_buffers = blocking_register_buffers,
	.free = blocking_free,
};

int bd_ring_init_blocking(struct bd_ring *ring)
{
	return bd_ring_init(ring, BD_RING_BLOCKING, &blocking_ops);
}

int bd_ring_new_blocking(struct bd_ring **out)
{
	struct bd_ring *ring = bd_zalloc(sizeof(*ring));
	int err = ring ? bd_ring_init_blocking(ring) : -ENOMEM;
	if (err) {
		free(ring);
		return err;
	}
	*out = ring;
	return 0;
}
