/* SPDX-License-Identifier: MIT */
/* ops/extract_read.c - how a worker reads: small files plainly or many at once, large in parallel
 */
#include "ops/extract_priv.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <sys/vfs.h>

#include "base/math.h"

/*
 * Up to here a file is read by plain calls, one device I/O at a time. Where the image is in
 * memory that is all there is to gain: a queue would pass each read on to another thread.
 */
#define PLAIN_MAX BD_PIECE_MAX

static bool is_slow(const struct bd_dev *dev)
{
	struct statfs host;

	if (!dev || dev->fd < 0 || dev->buffered)
		return false;
	return dev->is_block || fstatfs(dev->fd, &host) || host.f_type != TMPFS_MAGIC;
}

bool bd_xreader_ahead(const struct bdio_fs *fs)
{
	const struct bd_lspace *ls = &fs->vol.ls;
	bool slow = false;

	for (size_t i = 0; i < ls->num_members; i++)
		slow |= is_slow(ls->members[i]->dev);
	return slow && ls->ring_kind == BD_RING_URING;
}

static int init_reader(struct bd_reader *reader, struct bdio_fs *fs, enum bd_ring_kind kind)
{
	const struct bd_ring_opts opts = {.kind = kind, .depth = BD_EXTRACT_BATCH};
	struct bd_ring *ring;
	int err = bd_ring_new(&opts, &ring);

	if (!err)
		bd_reader_init(reader, &fs->inodes, ring, &fs->readers.counters);
	return err;
}

static void fini_reader(struct bd_reader *reader, struct bdio_fs *fs)
{
	struct bd_ring *ring = reader->ring;

	bd_reader_fini(reader);
	bd_lspace_ring_free(&fs->vol.ls, ring);
}

int bd_xreader_init(struct bd_xworker *worker)
{
	struct bd_extract *x = worker->x;
	int err = init_reader(&worker->plain, x->fs, BD_RING_BLOCKING);

	if (!err && x->read_ahead) {
		err = init_reader(&worker->ahead, x->fs, BD_RING_URING);
		if (err)
			fini_reader(&worker->plain, x->fs);
	}
	return err;
}

void bd_xreader_fini(struct bd_xworker *worker)
{
	struct bd_extract *x = worker->x;

	fini_reader(&worker->plain, x->fs);
	if (x->read_ahead)
		fini_reader(&worker->ahead, x->fs);
}

/* --- one read ------------------------------------------------------------------------------ */

static void note_done(struct bd_read *read)
{
	*(unsigned int *)read->priv -= 1;
}

/* @pending: counted down when it is done. */
static void start(struct bd_reader *reader, struct bd_read *read, const struct bdio_file *file,
		  const struct iovec *iov, uint64_t offset, unsigned int *pending)
{
	*read = (struct bd_read){
		.inode = &file->inode,
		.iov = iov,
		.iovcnt = 1,
		.buf_index = -1,
		.offset = offset,
		.len = iov->iov_len,
		.flags = BD_READ_BUFFER_STABLE,
		.done = note_done,
		.priv = pending,
	};
	++*pending;
	bd_read_start(reader, read);
}

static void drive(struct bd_reader *reader, const unsigned int *pending)
{
	while (*pending)
		bd_ring_drive(reader->ring, true, 0);
}

ssize_t bd_xreader_read(struct bd_xworker *worker, struct bdio_file *file, void *buf, size_t len,
			uint64_t offset)
{
	struct iovec iov = {.iov_base = buf, .iov_len = len};
	unsigned int pending = 0;
	struct bd_read read;

	if (len > PLAIN_MAX)
		return bd_file_read(file, buf, len, offset, BD_READ_BUFFER_STABLE);
	start(&worker->plain, &read, file, &iov, offset, &pending);
	drive(&worker->plain, &pending);
	if (read.error) {
		*bd_err_self() = *read.error;
		free(read.error);
	}
	return read.result;
}

/* --- many files ---------------------------------------------------------------------------- */

/* What cannot be opened or read here is left to be read, and reported, one by one. */
void bd_xreader_read_ahead(struct bd_xworker *worker, unsigned int n)
{
	uint8_t *buf = worker->buf + BD_EXTRACT_BUFFER;
	struct iovec iovs[BD_EXTRACT_BATCH] = {0};
	struct bd_read reads[BD_EXTRACT_BATCH] = {0};
	unsigned int pending = 0;

	for (unsigned int i = 0; i < n; i++, buf += BD_EXTRACT_SMALL) {
		struct bd_xslot *slot = &worker->slots[i];

		if (bd_file_open(worker->x->fs, slot->job.st.ino, &slot->file))
			continue;
		iovs[i] = (struct iovec){.iov_base = buf,
					 .iov_len = bd_min_u64(slot->file->inode.item.size,
							       BD_EXTRACT_SMALL)};
		start(&worker->ahead, &reads[i], slot->file, &iovs[i], 0, &pending);
	}
	drive(&worker->ahead, &pending);
	for (unsigned int i = 0; i < n; i++) {
		struct bd_xslot *slot = &worker->slots[i];

		if (!slot->file)
			continue;
		free(reads[i].error);
		if (reads[i].result == (ssize_t)slot->file->inode.item.size)
			slot->data = iovs[i].iov_base;
	}
}
