/* SPDX-License-Identifier: MIT */
/* api/api_queue.c - btrfsdio/queue.h */
#include "btrfsdio/queue.h"

#include <limits.h>

#include "api/args.h"
#include "base/mem.h"
#include "fs/fs.h"

#define DEFAULT_DEPTH 128u
#define MAX_DEPTH     4096u
#define MAX_IOV	      1024u
#define QUEUE_FLAGS \
	(BDIO_QUEUE_SINGLE_ISSUER | BDIO_QUEUE_SQPOLL | BDIO_QUEUE_IOPOLL | BDIO_QUEUE_BLOCKING)
#define READ_FLAGS (BDIO_READ_NO_VERIFY | BDIO_READ_BUFFER_STABLE)

struct bdio_queue {
	struct bdio_fs *fs;
	struct bd_queue *queue;
};

static unsigned int ring_flags(uint64_t flags)
{
	return (flags & BDIO_QUEUE_SINGLE_ISSUER ? BD_RING_SINGLE_ISSUER : 0) |
	       (flags & BDIO_QUEUE_SQPOLL ? BD_RING_SQPOLL : 0) |
	       (flags & BDIO_QUEUE_IOPOLL ? BD_RING_IOPOLL : 0);
}

static int check_queue_opts(const struct bdio_queue_opts *opts)
{
	if (opts->flags & ~QUEUE_FLAGS)
		return BD_EINVAL(QUEUE_FLAGS, "unknown flag for a queue");
	if (opts->reserved || !bd_is_zero(opts->reserved2, sizeof(opts->reserved2)))
		return BD_EINVAL(QUEUE_RESERVED, "bdio_queue_opts.reserved");
	if (opts->depth > MAX_DEPTH)
		return BD_EINVAL(QUEUE_DEPTH, "depth above 4096");
	return 0;
}

int bdio_queue_create(struct bdio_fs *fs, const struct bdio_queue_opts *opts,
		      struct bdio_queue **out)
{
	struct bdio_queue_opts own;
	struct bd_ring_opts ring = {.kind = fs->vol.ls.ring_kind};
	struct bdio_queue *queue;
	int err = bd_opts_copy(&own, sizeof(own), opts, opts ? opts->size : 0);

	if (!err)
		err = out ? check_queue_opts(&own) : BD_EINVAL(QUEUE_NULL, "NULL");
	if (err)
		return err;
	if (!own.depth)
		own.depth = DEFAULT_DEPTH;
	if (own.flags & BDIO_QUEUE_BLOCKING)
		ring.kind = BD_RING_BLOCKING;
	ring.flags = ring_flags(own.flags);
	ring.depth = own.depth;
	queue = bd_zalloc(sizeof(*queue));
	if (!queue)
		return BD_FAIL(-ENOMEM, QUEUE_HANDLE, "no memory for a queue");
	queue->fs = fs;
	err = bd_queue_new(&fs->inodes, &fs->readers.counters, &ring, own.depth, &queue->queue);
	if (err) {
		free(queue);
		return err;
	}
	*out = queue;
	return 0;
}

void bdio_queue_destroy(struct bdio_queue *queue)
{
	if (!queue)
		return;
	bd_queue_free(queue->queue);
	free(queue);
}

/* Cut the vectors at @left bytes; returns how many remain. */
static unsigned int clip_iov(struct iovec *iov, unsigned int n, size_t left)
{
	for (unsigned int i = 0; i < n; i++) {
		if (iov[i].iov_len >= left) {
			iov[i].iov_len = left;
			return left ? i + 1 : i;
		}
		left -= iov[i].iov_len;
	}
	return n;
}

int bdio_queue_readv(struct bdio_queue *queue, struct bdio_file *file, const struct iovec *iov,
		     unsigned int iovcnt, uint64_t offset, unsigned int flags, uint64_t user_data)
{
	uint64_t size = file->inode.item.size;
	struct iovec own[MAX_IOV];
	size_t len = 0;

	if (file->fs != queue->fs || (flags & ~READ_FLAGS) || iovcnt > MAX_IOV || (iovcnt && !iov))
		return BD_EINVAL(QUEUE_READ_ARGS, "file, vectors or flags of a read");
	for (unsigned int i = 0; i < iovcnt; i++) {
		if (iov[i].iov_len > SSIZE_MAX - len || (iov[i].iov_len && !iov[i].iov_base))
			return BD_EINVAL(QUEUE_READ_LEN, "length or address of a vector");
		len += iov[i].iov_len;
		own[i] = iov[i];
	}
	/* A read ends at the end of the file: what lies behind is not the library's to touch. */
	if (offset >= size)
		len = 0;
	else if (len > size - offset)
		len = size - offset;
	iovcnt = clip_iov(own, iovcnt, len);
	return bd_queue_prepare(queue->queue, &file->inode, own, iovcnt, offset, len, flags,
				user_data);
}

int bdio_queue_read(struct bdio_queue *queue, struct bdio_file *file, void *buf, size_t len,
		    uint64_t offset, unsigned int flags, uint64_t user_data)
{
	struct iovec iov = {.iov_base = buf, .iov_len = len};

	return bdio_queue_readv(queue, file, &iov, 1, offset, flags, user_data);
}

int bdio_queue_submit(struct bdio_queue *queue)
{
	return bd_queue_submit(queue->queue);
}

int bdio_queue_wait(struct bdio_queue *queue, struct bdio_completion *out, unsigned int max,
		    unsigned int min, int64_t timeout_ns)
{
	if (min > max || (max && !out))
		return BD_EINVAL(QUEUE_WAIT_ARGS, "max and min of a wait");
	return bd_queue_reap(queue->queue, out, max, min, timeout_ns);
}

int bdio_queue_submit_and_wait(struct bdio_queue *queue, struct bdio_completion *out,
			       unsigned int max, unsigned int min, int64_t timeout_ns)
{
	if (min > max || (max && !out))
		return BD_EINVAL(QUEUE_SUBMIT_WAIT_ARGS, "max and min of a wait");
	return bd_queue_submit_and_reap(queue->queue, out, max, min, timeout_ns);
}

int bdio_queue_peek(struct bdio_queue *queue, struct bdio_completion *out, unsigned int max)
{
	return bdio_queue_wait(queue, out, max, 0, 0);
}

int bdio_queue_eventfd(struct bdio_queue *queue)
{
	return bd_ring_eventfd(queue->queue->ring);
}

int bdio_queue_register(struct bdio_queue *queue, const struct iovec *buffers, unsigned int n)
{
	if (n && !buffers)
		return BD_EINVAL(QUEUE_REGISTER_ARGS, "NULL");
	return bd_queue_register(queue->queue, buffers, n);
}
