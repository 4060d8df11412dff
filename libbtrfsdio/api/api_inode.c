/* SPDX-License-Identifier: MIT */
/* api/api_inode.c - btrfsdio/inode.h, dir.h, subvol.h */
#include "api/args.h"
#include "fs/fs.h"

int bdio_lookup(struct bdio_fs *fs, struct bdio_ino start, const char *path, size_t len,
		unsigned int flags, struct bdio_ino *out)
{
	if (!out || (len && !path) || (flags & ~BDIO_LOOKUP_FOLLOW))
		return BD_EINVAL(LOOKUP_ARGS, "path or flags");
	return bd_lookup(fs, start, path, len, flags, out);
}

int bdio_stat(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_stat *out)
{
	return out ? bd_stat(fs, ino, out) : BD_EINVAL(STAT_ARGS, "NULL");
}

ssize_t bdio_readlink(struct bdio_fs *fs, struct bdio_ino ino, char *buf, size_t size)
{
	if (size && !buf)
		return BD_EINVAL(READLINK_ARGS, "NULL");
	return bd_readlink(fs, ino, buf, size);
}

ssize_t bdio_xattr_get(struct bdio_fs *fs, struct bdio_ino ino, const char *name, void *buf,
		       size_t size)
{
	if (!name || (size && !buf))
		return BD_EINVAL(XATTR_GET_ARGS, "NULL");
	return bd_xattr_get(fs, ino, name, buf, size);
}

ssize_t bdio_xattr_list(struct bdio_fs *fs, struct bdio_ino ino, char *buf, size_t size)
{
	if (size && !buf)
		return BD_EINVAL(XATTR_LIST_ARGS, "NULL");
	return bd_xattr_list(fs, ino, buf, size);
}

int bdio_paths(struct bdio_fs *fs, struct bdio_ino ino,
	       int (*fn)(void *priv, const char *path, size_t len), void *priv)
{
	return fn ? bd_paths(fs, ino, fn, priv) : BD_EINVAL(PATHS_ARGS, "NULL");
}

int bdio_dir_open(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_dir **out)
{
	return out ? bd_dir_open(fs, ino, out) : BD_EINVAL(DIR_OPEN_ARGS, "NULL");
}

int bdio_dir_next(struct bdio_dir *dir, struct bdio_dirent *out)
{
	return out ? bd_dir_next(dir, out) : BD_EINVAL(DIR_NEXT_ARGS, "NULL");
}

void bdio_dir_seek(struct bdio_dir *dir, uint64_t index)
{
	bd_dir_seek(dir, index);
}

void bdio_dir_close(struct bdio_dir *dir)
{
	bd_dir_close(dir);
}

int bdio_subvol_next(struct bdio_fs *fs, uint64_t after, struct bdio_subvol *out)
{
	return out ? bd_subvol_next(fs, after, out) : BD_EINVAL(SUBVOL_NEXT_ARGS, "NULL");
}

int bdio_subvol_get(struct bdio_fs *fs, uint64_t id, struct bdio_subvol *out)
{
	return out ? bd_subvol_get(fs, id, out) : BD_EINVAL(SUBVOL_GET_ARGS, "NULL");
}

ssize_t bdio_subvol_path(struct bdio_fs *fs, uint64_t id, char *buf, size_t size)
{
	if (!buf)
		return BD_EINVAL(SUBVOL_PATH_ARGS, "NULL");
	return bd_subvol_path(fs, id, buf, size);
}

int bdio_subvol_find(struct bdio_fs *fs, const char *spec, uint64_t *id)
{
	if (!spec || !id)
		return BD_EINVAL(SUBVOL_FIND_ARGS, "NULL");
	return bd_subvol_find(fs, spec, id);
}
