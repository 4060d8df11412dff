/* SPDX-License-Identifier: MIT */
/* btrfsdio/extent.h - the extents of a file, and stored checksums without reading data */
#ifndef BTRFSDIO_EXTENT_H
#define BTRFSDIO_EXTENT_H

#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bdio_extent_type {
	BDIO_EXTENT_HOLE = 0,
	BDIO_EXTENT_DATA,
	BDIO_EXTENT_INLINE,
	BDIO_EXTENT_PREALLOC,
};

enum bdio_compression {
	BDIO_COMPRESS_NONE = 0,
	BDIO_COMPRESS_ZLIB,
	BDIO_COMPRESS_LZO,
	BDIO_COMPRESS_ZSTD
};

#define BDIO_EXTENT_NO_CSUM (1u << 0) /* the inode says nodatasum: data cannot be verified */

struct bdio_extent {
	uint64_t file_offset; /* bytes; consecutive extents leave no gap: holes are extents too */
	uint64_t length;      /* bytes of the file, sector-rounded at its end */
	uint64_t logical;     /* start of the whole extent on disk; 0 for holes and inline */
	uint64_t disk_length; /* bytes of the whole extent on disk; of the stored bytes when inline
			       */
	uint64_t extent_offset; /* where file_offset lies in the decompressed extent */
	uint64_t ram_bytes;	/* decompressed size of the whole extent */
	uint64_t generation;	/* that wrote it; 0 for holes */
	uint32_t type;		/* enum bdio_extent_type */
	uint32_t compression;	/* enum bdio_compression */
	uint32_t flags;		/* BDIO_EXTENT_* */
	uint32_t reserved;
};

/**
 * bdio_extent_iter_open() - extents from the one that holds @offset to the end of the file
 * Extents behind the file's size (preallocated, left by old kernels) are not shown.
 * @file must stay open as long as the iterator. One thread at a time.
 */
BDIO_API int bdio_extent_iter_open(struct bdio_file *file, uint64_t offset,
				   struct bdio_extent_iter **out);
/* Return: 1 with *out written; 0 at the end; errors of a tree read. */
BDIO_API int bdio_extent_iter_next(struct bdio_extent_iter *iter, struct bdio_extent *out);
BDIO_API void bdio_extent_iter_close(struct bdio_extent_iter *iter);

/**
 * bdio_csum_get() - stored checksums of a logical range, from the checksum tree
 * @logical, @nsectors: aligned to the sector size
 * @csums:  nsectors * bdio_fs_info.csum_size bytes; entries without a checksum are zero
 * @present: nsectors bytes, 1: has a checksum; may be NULL
 *
 * The checksum of a compressed extent is of its bytes on disk. Thread-safe.
 * Return: number of sectors that have a checksum; -EINVAL alignment; errors of a tree read.
 */
BDIO_API ssize_t bdio_csum_get(struct bdio_fs *fs, uint64_t logical, size_t nsectors, void *csums,
			       uint8_t *present);

/**
 * bdio_csum_compute() - checksum bytes in memory as this filesystem does
 * @csum: bdio_fs_info.csum_size bytes are written
 *
 * Compare it with what bdio_csum_get() says about one sector; or, of a tree block or superblock,
 * with the checksum that it begins with, computed over all that follows its first 32 bytes.
 * Thread-safe.
 */
BDIO_API void bdio_csum_compute(const struct bdio_fs *fs, const void *data, size_t len, void *csum);

#ifdef __cplusplus
}
#endif
#endif
