/* SPDX-License-Identifier: MIT */
/* api/api_file.c - btrfsdio/file.h, extent.h */
#include "btrfsdio/extent.h"

#include <limits.h>

#include "api/args.h"
#include "disk/csum.h"
#include "fs/extents.h"
#include "fs/fs.h"

#define READ_FLAGS (BDIO_READ_NO_VERIFY | BDIO_READ_BUFFER_STABLE)

int bdio_file_open(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_file **out)
{
	return out ? bd_file_open(fs, ino, out) : BD_EINVAL(FILE_OPEN_ARGS, "NULL");
}

void bdio_file_close(struct bdio_file *file)
{
	bd_file_close(file);
}

uint64_t bdio_file_size(const struct bdio_file *file)
{
	return file->inode.item.size;
}

ssize_t bdio_file_read(struct bdio_file *file, void *buf, size_t len, uint64_t offset,
		       unsigned int flags)
{
	if ((len && !buf) || len > SSIZE_MAX || (flags & ~READ_FLAGS))
		return BD_EINVAL(READ_ARGS, "buffer, length or flags of a read");
	return bd_file_read(file, buf, len, offset, flags);
}

int bdio_file_seek(struct bdio_file *file, uint64_t offset, int whence, uint64_t *out)
{
	if (!out || (whence != BDIO_SEEK_DATA && whence != BDIO_SEEK_HOLE))
		return BD_EINVAL(SEEK_ARGS, "whence");
	return bd_file_seek(file, offset, whence, out);
}

int bdio_extent_iter_open(struct bdio_file *file, uint64_t offset, struct bdio_extent_iter **out)
{
	return out ? bd_extent_iter_open(file, offset, out) : BD_EINVAL(EXTENT_ITER_ARGS, "NULL");
}

int bdio_extent_iter_next(struct bdio_extent_iter *iter, struct bdio_extent *out)
{
	return out ? bd_extent_iter_next(iter, out) : BD_EINVAL(EXTENT_NEXT_ARGS, "NULL");
}

void bdio_extent_iter_close(struct bdio_extent_iter *iter)
{
	bd_extent_iter_close(iter);
}

ssize_t bdio_csum_get(struct bdio_fs *fs, uint64_t logical, size_t nsectors, void *csums,
		      uint8_t *present)
{
	uint32_t sectorsize = fs->vol.super.sectorsize;

	if (!csums || logical % sectorsize || nsectors > (UINT64_MAX - logical) / sectorsize)
		return BD_EINVAL(CSUM_ARGS, "array, alignment or range of checksums");
	return bd_csum_get(fs, logical, nsectors, csums, present);
}

void bdio_csum_compute(const struct bdio_fs *fs, const void *data, size_t len, void *csum)
{
	bd_csum(fs->vol.super.csum_type, data, len, csum);
}
