/* SPDX-License-Identifier: MIT */
/* btrfsdio/subvol.h - subvolumes and snapshots. Thread-safe. */
#ifndef BTRFSDIO_SUBVOL_H
#define BTRFSDIO_SUBVOL_H

#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BDIO_SUBVOL_RDONLY (1ull << 0)

struct bdio_subvol {
	uint64_t id;
	uint64_t parent_id;  /* subvolume that holds its directory entry; 0 for the top level */
	uint64_t dir_inode;  /* directory there */
	uint64_t generation; /* of its root */
	uint64_t last_snapshot;
	uint64_t flags;					      /* BDIO_SUBVOL_* */
	uint8_t uuid[16], parent_uuid[16], received_uuid[16]; /* zero: none */
	uint64_t ctransid, otransid, stransid, rtransid;
	struct bdio_timespec ctime, otime, stime, rtime;
	char name[256]; /* terminated; last component; empty for the top level */
	uint64_t reserved[4];
};

/**
 * bdio_subvol_next() - subvolumes in order of their id; those in deletion are not shown
 * @after: id to start behind; 0: from the start (5, the top level, comes first)
 * Return: 1 with *out written; 0 no more; errors of a tree read.
 */
BDIO_API int bdio_subvol_next(struct bdio_fs *fs, uint64_t after, struct bdio_subvol *out);

/* Return: 0; -ENOENT no such subvolume, or in deletion. */
BDIO_API int bdio_subvol_get(struct bdio_fs *fs, uint64_t id, struct bdio_subvol *out);

/**
 * bdio_subvol_path() - path of a subvolume from the top level, without a leading '/'
 * @buf, @size: terminated
 * Return: bytes without the terminator; -ERANGE @size is too small; -ENOENT; -EUCLEAN a loop.
 */
BDIO_API ssize_t bdio_subvol_path(struct bdio_fs *fs, uint64_t id, char *buf, size_t size);

/**
 * bdio_subvol_find() - subvolume by "PATH" from the top level, or by its decimal id
 * @spec: terminated; digits only: an id; else a path, of a subvolume's root
 * Return: 0; -ENOENT; -EINVAL the path is not a subvolume's root.
 */
BDIO_API int bdio_subvol_find(struct bdio_fs *fs, const char *spec, uint64_t *id);

#ifdef __cplusplus
}
#endif
#endif
