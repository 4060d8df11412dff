/* SPDX-License-Identifier: MIT */
/* ops/extract_read.c - how a worker reads: small files by plain calls, large ones in parallel */
#include "ops/extract_priv.h"

#include <stdlib.h>

/*
 * One device I/O at a time is what a small file needs. A plain call does that without a change
 * of threads, which a queue costs where the image is a file in memory or in the page cache.
 */
#define PLAIN_MAX BD_PIECE_MAX

int bd_xreader_init(struct bd_reader *reader, struct bdio_fs *fs)
{
	const struct bd_ring_opts opts = {.kind = BD_RING_BLOCKING, .depth = 1};
	struct bd_ring *ring;
	int err = bd_ring_new(&opts, &ring);

	if (!err)
		bd_reader_init(reader, &fs->inodes, ring, &fs->readers.counters);
	return err;
}

void bd_xreader_fini(struct bd_reader *reader, struct bdio_fs *fs)
{
	struct bd_ring *ring = reader->ring;

	bd_reader_fini(reader);
	bd_lspace_ring_free(&fs->vol.ls, ring);
}

static void note_done(struct bd_read *read)
{
	*(bool *)read->priv = true;
}

static ssize_t read_plain(struct bd_reader *reader, struct bdio_file *file, void *buf, size_t len,
			  uint64_t offset)
{
	struct iovec iov = {.iov_base = buf, .iov_len = len};
	bool done = false;
	struct bd_read read = {
		.inode = &file->inode,
		.iov = &iov,
		.iovcnt = 1,
		.buf_index = -1,
		.offset = offset,
		.len = len,
		.flags = BD_READ_BUFFER_STABLE,
		.done = note_done,
		.priv = &done,
	};

	bd_read_start(reader, &read);
	while (!done)
		bd_ring_drive(reader->ring, true, 0);
	if (read.error) {
		*bd_err_self() = *read.error;
		free(read.error);
	}
	return read.result;
}

ssize_t bd_xreader_read(struct bd_reader *reader, struct bdio_file *file, void *buf, size_t len,
			uint64_t offset)
{
	if (len <= PLAIN_MAX)
		return read_plain(reader, file, buf, len, offset);
	return bd_file_read(file, buf, len, offset, BD_READ_BUFFER_STABLE);
}
