/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/file.h - read a file's data by position
 *
 * A struct bdio_file is thread-safe and has no position of its own. For many requests in flight use
 * a queue, btrfsdio/queue.h.
 */
#ifndef BTRFSDIO_FILE_H
#define BTRFSDIO_FILE_H

#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * bdio_file_open() - open a regular file (or symlink, whose data is its target)
 * Return: 0; -EISDIR; -EINVAL no file with data; -ENOENT; errors of a tree read.
 */
BDIO_API int bdio_file_open(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_file **out);

/* No request on it may be in flight. NULL is fine. */
BDIO_API void bdio_file_close(struct bdio_file *file);

/* Size in bytes. */
BDIO_API uint64_t bdio_file_size(const struct bdio_file *file);

#define BDIO_READ_NO_VERIFY (1u << 0) /* return data without looking at its checksums */
/*
 * The caller promises not to touch the buffer during the read: then compressed data may be
 * decompressed straight into it.
 */
#define BDIO_READ_BUFFER_STABLE (1u << 1)

/**
 * bdio_file_read() - read and verify
 * @buf: any alignment; 4096-aligned @buf, @len and @offset avoid a copy
 * @len: up to SSIZE_MAX; a read stops at the end of the file; holes are zeros
 *
 * Every sector's checksum is compared. A copy that fails is replaced by another one, or is rebuilt
 * from parity; data without checksums (nodatasum) is returned as it is, see bdio_extent.flags.
 * Where no copy is good the read ends before the first bad sector.
 *
 * Return: bytes read, less than @len only at the end of the file or before a bad sector; 0 at or
 * behind the end of the file; -EIO the sector at @offset is bad: bdio_error_get() tells file offset
 * and length of the bad range (.file_offset, .file_length: go on behind it), logical address,
 * device and both checksums; -EUCLEAN damaged metadata or compressed data. After an error the
 * contents of @buf are undefined.
 */
BDIO_API ssize_t bdio_file_read(struct bdio_file *file, void *buf, size_t len, uint64_t offset,
				unsigned int flags);

#define BDIO_SEEK_DATA 0
#define BDIO_SEEK_HOLE 1

/**
 * bdio_file_seek() - the next data or hole at or behind @offset
 * Preallocated extents count as holes. There is a hole at the end of every file.
 * Return: 0 with *out written; -ENXIO @offset is at or behind the end of the file, or no data
 * follows; errors of a tree read.
 */
BDIO_API int bdio_file_seek(struct bdio_file *file, uint64_t offset, int whence, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
