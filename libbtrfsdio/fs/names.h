/* SPDX-License-Identifier: MIT */
/* fs/names.h - paths out of back references, built from their ends */
#ifndef BD_FS_NAMES_H
#define BD_FS_NAMES_H

#include "fs/fs.h"

/* Directories between an inode and its subvolume's root, subvolumes between one and the top. */
#define BD_MAX_DEPTH 4096u

/* A path that grows at its front. */
struct bd_back_path {
	char *buf;
	size_t size, start; /* the path is buf[start .. size) */
};

/* Put "name" in front, with a '/' behind it unless the path is empty. 0; -ENOMEM. */
int bd_back_path_prepend(struct bd_back_path *bp, const char *name, size_t len);
static inline size_t bd_back_path_len(const struct bd_back_path *bp)
{
	return bp->size - bp->start;
}

/* Prepend the names from @ino up to its subvolume's root. A directory has one name. */
int bd_back_path_climb(struct bdio_fs *fs, struct bdio_ino ino, struct bd_back_path *bp);

#endif
