/* SPDX-License-Identifier: MIT */
/* fs/inode_read.c - attributes and data of inodes */
#include "fs/fs.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"

#define STUB_MODE (S_IFDIR | 0755)

/* The disk has the kernel's own encoding: minor in the low 20 bits. */
static uint64_t rdev_decode(uint64_t disk)
{
	return makedev((unsigned int)(disk >> 20), (unsigned int)(disk & 0xfffff));
}

static int stat_stub(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_stat *out)
{
	struct bdio_stat root;
	int err = bd_stat(fs, (struct bdio_ino){ino.subvol, BDIO_INODE_ROOT}, &root);

	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	out->ino = ino;
	out->mode = STUB_MODE;
	out->nlink = 1;
	out->uid = root.uid;
	out->gid = root.gid;
	out->atime = out->mtime = out->ctime = out->otime = root.otime;
	return 0;
}

int bd_stat(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_stat *out)
{
	struct bd_inode_item item;
	struct bd_tree tree;
	int err;

	if (bd_is_stub(ino))
		return stat_stub(fs, ino, out);
	err = bd_subvol_tree(fs, ino.subvol, &tree);
	if (!err)
		err = bd_inode_item_read(&tree, ino.inode, &item);
	if (err)
		return err;
	*out = (struct bdio_stat){
		.ino = ino,
		.mode = item.mode,
		.nlink = item.nlink,
		.uid = item.uid,
		.gid = item.gid,
		.rdev = S_ISCHR(item.mode) || S_ISBLK(item.mode) ? rdev_decode(item.rdev) : 0,
		.size = item.size,
		.nbytes = item.nbytes,
		.flags = item.flags,
		.generation = item.generation,
		.transid = item.transid,
		.atime = item.atime,
		.mtime = item.mtime,
		.ctime = item.ctime,
		.otime = item.otime,
		.sequence = item.sequence,
	};
	return 0;
}

static int inode_init(struct bdio_fs *fs, struct bdio_ino ino, struct bd_inode *inode)
{
	int err = bd_subvol_tree(fs, ino.subvol, &inode->tree);

	if (err)
		return err;
	inode->inodes = &fs->inodes;
	inode->ino = ino.inode;
	err = bd_inode_item_read(&inode->tree, ino.inode, &inode->item);
	if (err)
		return err;
	/* Offsets of files are signed for Linux; larger sizes come from damage only. */
	if (inode->item.size > INT64_MAX)
		return BD_FAIL(-EUCLEAN, INODE_SIZE, "corrupt inode: %llu, size %llu",
			       (unsigned long long)ino.inode, (unsigned long long)inode->item.size);
	return 0;
}

int bd_file_open(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_file **out)
{
	struct bdio_file *file;
	int err = 0;

	if (bd_is_stub(ino))
		return BD_FAIL(-EISDIR, FILE_STUB, "is a directory");
	file = bd_zalloc(sizeof(*file));
	if (!file)
		return BD_FAIL(-ENOMEM, FILE_NEW, "no memory for a file");
	file->fs = fs;
	err = inode_init(fs, ino, &file->inode);
	if (!err && S_ISDIR(file->inode.item.mode))
		err = BD_FAIL(-EISDIR, FILE_DIR, "is a directory");
	if (!err && !S_ISREG(file->inode.item.mode) && !S_ISLNK(file->inode.item.mode))
		err = BD_FAIL(-EINVAL, FILE_SPECIAL, "is a special file, without data");
	if (err) {
		free(file);
		return err;
	}
	*out = file;
	return 0;
}

void bd_file_close(struct bdio_file *file)
{
	free(file);
}

ssize_t bd_file_read(struct bdio_file *file, void *buf, size_t len, uint64_t offset,
		     unsigned int flags)
{
	const struct bd_inode *inode = &file->inode;

	if (offset >= inode->item.size || !len)
		return 0;
	len = bd_min_u64(len, inode->item.size - offset);
	return bd_read_sync(&file->fs->readers, inode, buf, len, offset, flags);
}

static bool has_data(const struct bd_extent *extent)
{
	return extent->type == BD_FILE_EXTENT_INLINE ||
	       (extent->type == BD_FILE_EXTENT_REG && extent->disk_bytenr);
}

/*
 * One step of a seek at *pos: is there data, and up to where is it so? *end is beyond *pos.
 */
static int seek_step(const struct bd_inode *inode, uint64_t pos, bool *data, uint64_t *end)
{
	uint32_t sectorsize = inode->tree.cache->super->sectorsize;
	const struct bd_extent *extent;
	struct bd_extent_seg *seg;
	uint32_t i;
	int err = bd_extent_seg_get(inode, pos, &seg);

	if (err)
		return err;
	i = bd_extent_seg_find(seg, pos, sectorsize);
	extent = i < seg->n ? &seg->extents[i] : NULL;
	if (extent && extent->file_offset <= pos) {
		*data = has_data(extent);
		*end = bd_extent_end(extent, sectorsize);
	} else {
		*data = false;
		*end = extent ? extent->file_offset : seg->range.end;
	}
	bd_range_put(&seg->range);
	return 0;
}

int bd_file_seek(struct bdio_file *file, uint64_t offset, int whence, uint64_t *out)
{
	uint64_t size = file->inode.item.size, pos = offset, end;
	bool data;
	int err;

	while (pos < size) {
		err = seek_step(&file->inode, pos, &data, &end);
		if (err)
			return err;
		if (data == (whence == BDIO_SEEK_DATA)) {
			*out = pos;
			return 0;
		}
		pos = end;
	}
	if (whence == BDIO_SEEK_HOLE && offset < size) {
		*out = size;
		return 0;
	}
	return BD_FAIL(-ENXIO, FILE_SEEK, "no data at or behind %llu", (unsigned long long)offset);
}

ssize_t bd_readlink(struct bdio_fs *fs, struct bdio_ino ino, char *buf, size_t size)
{
	struct bd_inode inode;
	ssize_t n;
	int err;

	if (bd_is_stub(ino))
		return BD_FAIL(-EINVAL, READLINK_STUB, "not a symlink");
	err = inode_init(fs, ino, &inode);
	if (err)
		return err;
	if (!S_ISLNK(inode.item.mode))
		return BD_FAIL(-EINVAL, READLINK, "not a symlink");
	if (inode.item.size > BD_MAX_BLOCKSIZE)
		return BD_FAIL(-EUCLEAN, READLINK_SIZE, "corrupt symlink: inode %llu, %llu bytes",
			       (unsigned long long)ino.inode, (unsigned long long)inode.item.size);
	if (!inode.item.size || !size)
		return (ssize_t)inode.item.size;
	size = bd_min_u64(size, inode.item.size);
	n = bd_read_sync(&fs->readers, &inode, buf, size, 0, 0);
	/* cut short by a bad sector: half a target is none */
	if (n >= 0 && (size_t)n < size)
		return bd_err_self()->code;
	return n < 0 ? n : (ssize_t)inode.item.size;
}
