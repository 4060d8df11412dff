/* SPDX-License-Identifier: MIT */
/* fs/fs.h - an open filesystem: subvolumes, paths, directories, attributes */
#ifndef BD_FS_FS_H
#define BD_FS_FS_H

#include "btrfsdio/dir.h"
#include "btrfsdio/file.h"
#include "btrfsdio/inode.h"
#include "btrfsdio/subvol.h"
#include "dio/queue.h"
#include "dio/reader.h"

struct bdio_fs {
	struct bd_volume vol;
	struct bd_inodes inodes;
	struct bd_reader_pool readers;
	uint64_t default_subvol;
};

struct bdio_file {
	struct bdio_fs *fs;
	struct bd_inode inode;
};

struct bdio_dir {
	struct bdio_fs *fs;
	struct bd_tree tree;
	uint64_t ino;
	uint64_t index;	     /* of the last entry returned */
	struct bd_path path; /* stands on it, to go on without a search */
	bool on_entry;
};

/* Return as bdio_open(). @opts is complete. */
int bd_fs_open(const char *const *paths, size_t npaths, const struct bdio_open_opts *opts,
	       struct bdio_fs **out);
void bd_fs_close(struct bdio_fs *fs);

/* subvol_root.c: the tree of a subvolume. 0; -ENOENT none, or in deletion (reported). */
int bd_subvol_tree(struct bdio_fs *fs, uint64_t id, struct bd_tree *out);
/* Its root item, in full form. */
int bd_subvol_item(struct bdio_fs *fs, uint64_t id, struct bd_disk_root_item *out);

/* dir_entry.c: a directory entry's target. */
struct bd_dir_target {
	struct bdio_ino ino;
	uint8_t type; /* enum bd_ftype */
	bool is_subvol;
};
/* Resolve an entry of a directory in @subvol: follows into subvolumes, or to their stub. */
int bd_dir_target(struct bdio_fs *fs, uint64_t subvol, const struct bd_disk_dir_item *item,
		  struct bd_dir_target *out);
/* 0; -ENOENT (reported); errors of a tree read. */
int bd_dir_find(struct bdio_fs *fs, struct bdio_ino dir, const char *name, size_t len,
		struct bd_dir_target *out);
/* May a name appear in a path? */
bool bd_name_is_sound(const char *name, size_t len);

/* stub of a subvolume that is not there: an empty directory */
static inline bool bd_is_stub(struct bdio_ino ino)
{
	return ino.inode == BD_OBJ_EMPTY_SUBVOL_DIR;
}

/* inode_read.c */
int bd_stat(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_stat *out);
int bd_file_open(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_file **out);
void bd_file_close(struct bdio_file *file);
ssize_t bd_file_read(struct bdio_file *file, void *buf, size_t len, uint64_t offset,
		     unsigned int flags);
int bd_file_seek(struct bdio_file *file, uint64_t offset, int whence, uint64_t *out);
ssize_t bd_readlink(struct bdio_fs *fs, struct bdio_ino ino, char *buf, size_t size);

/* lookup.c */
int bd_lookup(struct bdio_fs *fs, struct bdio_ino start, const char *path, size_t len,
	      unsigned int flags, struct bdio_ino *out);

/* readdir.c */
int bd_dir_open(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_dir **out);
int bd_dir_next(struct bdio_dir *dir, struct bdio_dirent *out);
void bd_dir_seek(struct bdio_dir *dir, uint64_t index);
void bd_dir_close(struct bdio_dir *dir);

/* xattr.c */
ssize_t bd_xattr_get(struct bdio_fs *fs, struct bdio_ino ino, const char *name, void *buf,
		     size_t size);
ssize_t bd_xattr_list(struct bdio_fs *fs, struct bdio_ino ino, char *buf, size_t size);
/* Every attribute of an inode; a non-zero return of @fn stops and is returned. */
int bd_xattr_each(struct bdio_fs *fs, struct bdio_ino ino,
		  int (*fn)(void *priv, const char *name, size_t name_len, const void *value,
			    size_t value_len),
		  void *priv);

/* names.c */
int bd_paths(struct bdio_fs *fs, struct bdio_ino ino,
	     int (*fn)(void *priv, const char *path, size_t len), void *priv);

/* subvol.c */
int bd_subvol_next(struct bdio_fs *fs, uint64_t after, struct bdio_subvol *out);
int bd_subvol_get(struct bdio_fs *fs, uint64_t id, struct bdio_subvol *out);
ssize_t bd_subvol_path(struct bdio_fs *fs, uint64_t id, char *buf, size_t size);
int bd_subvol_find(struct bdio_fs *fs, const char *spec, uint64_t *id);
int bd_subvol_default(struct bdio_fs *fs, uint64_t *id);

#endif
