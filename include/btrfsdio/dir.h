/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/dir.h - read directories
 *
 * A struct bdio_dir is a cursor for one thread at a time; several cursors may be open on one
 * directory.
 */
#ifndef BTRFSDIO_DIR_H
#define BTRFSDIO_DIR_H

#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bdio_ftype {
	BDIO_FT_UNKNOWN = 0,
	BDIO_FT_FILE,
	BDIO_FT_DIR,
	BDIO_FT_CHRDEV,
	BDIO_FT_BLKDEV,
	BDIO_FT_FIFO,
	BDIO_FT_SOCK,
	BDIO_FT_SYMLINK,
};

struct bdio_dirent {
	struct bdio_ino
		ino; /* a subvolume: its id and inode 256; without one to show: BDIO_INODE_STUB */
	uint64_t index;	   /* position; pass to bdio_dir_seek() to go on behind this entry */
	uint16_t name_len; /* 1..255 */
	uint8_t type;	   /* enum bdio_ftype, as the entry says */
	uint8_t is_subvol; /* 1: crosses into another subvolume (or is the stub of one) */
	char name[256];	   /* terminated for convenience; any bytes but '/' and NUL */
};

/**
 * bdio_dir_open() - a cursor over a directory's entries, "." and ".." not among them
 * Entries come in the order of their index, that is of their creation.
 * Return: 0; -ENOTDIR; -ENOENT; errors of a tree read.
 */
BDIO_API int bdio_dir_open(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_dir **out);

/**
 * bdio_dir_next() - the next entry
 * A damaged name (with '/' or NUL in it) is -EUCLEAN for this entry; the next call goes on behind
 * it. Return: 1 with *out written; 0 at the end; errors of a tree read.
 */
BDIO_API int bdio_dir_next(struct bdio_dir *dir, struct bdio_dirent *out);

/* Go on behind the entry with this index; 0: from the start. */
BDIO_API void bdio_dir_seek(struct bdio_dir *dir, uint64_t index);

/* NULL is fine. */
BDIO_API void bdio_dir_close(struct bdio_dir *dir);

#ifdef __cplusplus
}
#endif
#endif
