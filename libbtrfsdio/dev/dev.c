/* SPDX-License-Identifier: MIT */
/* dev/dev.c - the checked door of all devices, and what every back end needs */
#include "dev/dev_impl.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/math.h"
#include "base/mem.h"
#include "dev/ring_impl.h"

struct bd_dev *bd_dev_alloc(size_t size, const struct bd_dev_ops *ops, const char *name)
{
	struct bd_dev *dev = bd_zalloc(size);
	if (!dev)
		return NULL;
	dev->ops = ops;
	dev->io_align = 1;
	dev->max_io = BD_DEV_MAX_IO;
	dev->fd = -1;
	dev->name = strdup(name);
	if (!dev->name) {
		free(dev);
		return NULL;
	}
	return dev;
}

void bd_dev_close(struct bd_dev *dev)
{
	if (!dev)
		return;
	assert(dev->in_flight == 0);
	/* A ring that registered the descriptor would go on using it under the number's next owner.
	 */
	assert(dev->rings == 0);
	dev->ops->close(dev);
	free(dev->name);
	free(dev);
}

struct iovec bd_io_piece(const struct bd_io *io, uint32_t pos)
{
	if (!io->iov)
		return (struct iovec){(char *)io->buf + pos, io->len - pos};

	const struct iovec *v = io->iov;
	size_t skip = pos;
	for (; skip >= v->iov_len; v++)
		skip -= v->iov_len;
	return (struct iovec){(char *)v->iov_base + skip, v->iov_len - skip};
}

static bool buffers_fit(const struct bd_io *io)
{
	uint64_t total = 0;
	for (unsigned int i = 0; i < io->iovcnt; i++) {
		const struct iovec *v = &io->iov[i];
		if (!bd_is_aligned((uintptr_t)v->iov_base | v->iov_len, io->dev->io_align))
			return false;
		total += v->iov_len;
	}
	return io->iovcnt > 0 && io->iovcnt <= IOV_MAX && total == io->len;
}

/* What the issuer answers for; whether the range lies inside may hang on bytes from disk. */
static bool well_formed(const struct bd_io *io)
{
	if (io->op == BD_IO_FLUSH)
		return true;
	if (!io->len || io->len > INT_MAX ||
	    !bd_is_aligned(io->offset | io->len, io->dev->io_align))
		return false;
	if (io->iov)
		return buffers_fit(io);
	return bd_is_aligned((uintptr_t)io->buf, io->dev->io_align);
}

static int permitted(const struct bd_io *io)
{
	uint64_t end;
	bool ok = well_formed(io);

	assert(ok);
	if (!ok)
		return -EINVAL;
	if (io->op != BD_IO_READ && !io->dev->writable)
		return -EROFS;
	if (io->op == BD_IO_FLUSH)
		return 0;
	if (!bd_add_u64(io->offset, io->len, &end) || end > io->dev->size)
		return -EIO;
	return 0;
}

static void count(struct bd_dev *dev, const struct bd_io *io)
{
	switch (io->op) {
	case BD_IO_READ:
		bd_count(&dev->reads, 1);
		bd_count(&dev->read_bytes, io->len);
		break;
	case BD_IO_WRITE:
		bd_count(&dev->writes, 1);
		bd_count(&dev->write_bytes, io->len);
		break;
	case BD_IO_FLUSH:
		bd_count(&dev->flushes, 1);
		break;
	}
}

static void submit(struct bd_ring *ring, struct bd_io *io)
{
	struct bd_dev *dev = io->dev;

	io->ring = ring;
	io->progress = 0;
	io->tries = 0;
	atomic_fetch_add_explicit(&dev->in_flight, 1, memory_order_relaxed);
	int err = permitted(io);
	if (err) {
		bd_io_complete(io, err);
		return;
	}
	count(dev, io);
	dev->ops->submit(dev, ring, io);
}

void bd_dev_submit(struct bd_ring *ring, struct bd_io *io)
{
	io->inner = false;
	atomic_fetch_add_explicit(&ring->in_flight, 1, memory_order_relaxed);
	bd_count(&ring->stats.submitted, 1);
	submit(ring, io);
}

void bd_dev_submit_inner(struct bd_ring *ring, struct bd_io *io)
{
	io->inner = true;
	submit(ring, io);
}

static void read_done(struct bd_io *io)
{
	atomic_store((atomic_bool *)io->priv, true);
}

int bd_dev_read(struct bd_dev *dev, void *buf, uint32_t len, uint64_t offset)
{
	struct bd_ring ring;
	atomic_bool done = false;
	struct bd_io io = {.dev = dev,
			   .op = BD_IO_READ,
			   .offset = offset,
			   .len = len,
			   .buf_index = -1,
			   .buf = buf,
			   .done = read_done,
			   .priv = &done};

	int err = bd_ring_init_blocking(&ring);
	if (err)
		return err;
	bd_dev_submit(&ring, &io);
	err = bd_ring_wait(&ring, &done);
	bd_ring_fini(&ring);
	return err ? err : io.res;
}
