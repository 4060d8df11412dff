/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/changed.h - what changed in a subvolume since a generation
 *
 * Tree blocks carry the generation that wrote them, so whatever did not change is skipped
 * without being read: the cost goes with the size of the change.
 *
 * What this cannot see: deletions (of files, names, ranges punched out with NO_HOLES), and
 * data that was written in place (nodatacow files, preallocated ranges written
 * after their extent item was converted count, as that changes the item). Blocks rewritten for
 * other reasons, by a balance for example, are looked into but only items whose own generation is
 * new are reported.
 *
 * Example: examples/changed_extents.c
 */
#ifndef BTRFSDIO_CHANGED_H
#define BTRFSDIO_CHANGED_H

#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bdio_change {
	BDIO_CHANGE_INODE = 1, /* attributes: the inode's transid is newer */
	BDIO_CHANGE_DATA,      /* a range of a file: an extent that is newer */
	BDIO_CHANGE_NAME,      /* a directory entry that is newer */
	BDIO_CHANGE_XATTR,     /* an extended attribute that is newer */
};

struct bdio_changed {
	struct bdio_ino ino; /* the file; for a name: the directory */
	uint32_t what;	     /* enum bdio_change */
	uint32_t created;    /* BDIO_CHANGE_INODE: 1 when the inode itself is newer than @since */
	uint64_t generation; /* that made the change */
	uint64_t offset, length; /* BDIO_CHANGE_DATA: range of the file, sector-rounded */
	struct bdio_ino child;	 /* BDIO_CHANGE_NAME: what the name points to */
	uint16_t name_len;
	uint8_t type;	/* enum bdio_ftype of child */
	char name[256]; /* BDIO_CHANGE_NAME, _XATTR: terminated */
};

/**
 * bdio_changed_open() - changes of one subvolume in generations > @since
 * @subvol: id
 * @since:  generation; 0: everything
 * Order: by inode number; of one inode its attributes, xattrs, names, then ranges ascending.
 * One thread at a time.
 * Return: 0; -ENOENT no such subvolume; errors of a tree read.
 */
BDIO_API int bdio_changed_open(struct bdio_fs *fs, uint64_t subvol, uint64_t since,
			       struct bdio_changed_iter **out);
/* Return: 1 with *out written; 0 at the end; errors of a tree read. */
BDIO_API int bdio_changed_next(struct bdio_changed_iter *iter, struct bdio_changed *out);
BDIO_API void bdio_changed_close(struct bdio_changed_iter *iter);

#ifdef __cplusplus
}
#endif
#endif
