/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/inode.h - find inodes by path, read their attributes
 *
 * All calls are thread-safe. Names and link targets are bytes, not text: anything but '/' and NUL.
 */
#ifndef BTRFSDIO_INODE_H
#define BTRFSDIO_INODE_H

#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bdio_stat {
	struct bdio_ino ino;
	uint32_t mode;	/* type and permission bits as in st_mode */
	uint32_t nlink; /* as on disk: 1 for every directory */
	uint32_t uid, gid;
	uint64_t rdev;	 /* of device nodes, encoded as dev_t of Linux' makedev() */
	uint64_t size;	 /* bytes */
	uint64_t nbytes; /* bytes of extents on disk, before compression; inline data included */
	uint64_t flags;	 /* BDIO_INODE_* */
	uint64_t generation, transid;			 /* of creation, of the last change */
	struct bdio_timespec atime, mtime, ctime, otime; /* otime: creation */
	uint64_t sequence;
	uint64_t reserved[4];
};

/* inode flags, as on disk */
#define BDIO_INODE_NODATASUM  (1ull << 0)
#define BDIO_INODE_NODATACOW  (1ull << 1)
#define BDIO_INODE_NOCOMPRESS (1ull << 3)
#define BDIO_INODE_PREALLOC   (1ull << 4)
#define BDIO_INODE_SYNC	      (1ull << 5)
#define BDIO_INODE_IMMUTABLE  (1ull << 6)
#define BDIO_INODE_APPEND     (1ull << 7)
#define BDIO_INODE_NODUMP     (1ull << 8)
#define BDIO_INODE_NOATIME    (1ull << 9)
#define BDIO_INODE_DIRSYNC    (1ull << 10)
#define BDIO_INODE_COMPRESS   (1ull << 11)
#define BDIO_INODE_VERITY     (1ull << 32) /* the file has an fs-verity descriptor */

#define BDIO_LOOKUP_FOLLOW (1u << 0) /* follow a symlink that is the last component */

/**
 * bdio_lookup() - find an inode by path
 * @start: directory where a relative path starts; an absolute one starts at its subvolume's root
 * @path, @len: bytes; need not be terminated; empty components and "." are skipped, ".." goes
 *		up, not above the root where the look-up began
 * @flags: BDIO_LOOKUP_*
 *
 * Symlinks in the middle are followed, inside the image: an absolute target starts at the same
 * root. At most 40 links are followed. Subvolumes are crossed like directories.
 * Return: 0; -ENOENT; -ENOTDIR; -ELOOP; -ENAMETOOLONG a component over 255 bytes; errors of a
 * tree read.
 */
BDIO_API int bdio_lookup(struct bdio_fs *fs, struct bdio_ino start, const char *path, size_t len,
			 unsigned int flags, struct bdio_ino *out);

/**
 * bdio_stat() - attributes of an inode
 * Return: 0; -ENOENT no such inode; -ESTALE no such subvolume; errors of a tree read.
 */
BDIO_API int bdio_stat(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_stat *out);

/**
 * bdio_readlink() - target of a symlink
 * @buf, @size: not terminated; cut to @size
 * Return: bytes of the whole target; -EINVAL not a symlink; errors of a data read.
 */
BDIO_API ssize_t bdio_readlink(struct bdio_fs *fs, struct bdio_ino ino, char *buf, size_t size);

/**
 * bdio_xattr_get() - value of one extended attribute
 * @name: terminated, with its prefix: "user.x", "security.capability", "btrfs.compression"
 * @buf, @size: cut is not done: a value that does not fit is -ERANGE; @size 0 asks for the length
 * Return: bytes of the value; -ENODATA no such attribute; -ERANGE; errors of a tree read.
 */
BDIO_API ssize_t bdio_xattr_get(struct bdio_fs *fs, struct bdio_ino ino, const char *name,
				void *buf, size_t size);

/**
 * bdio_xattr_list() - names of all extended attributes
 * @buf, @size: names, each terminated, one after the other; @size 0 asks for the length
 * Return: bytes in all; -ERANGE; errors of a tree read.
 */
BDIO_API ssize_t bdio_xattr_list(struct bdio_fs *fs, struct bdio_ino ino, char *buf, size_t size);

/**
 * bdio_paths() - every name of an inode
 * @fn: called with each path from its subvolume's root, without a leading '/', not terminated,
 *	valid during the call; a non-zero return stops
 *
 * A hard-linked file has several. The subvolume root itself has the empty path.
 * Return: 0; what @fn returned; errors of a tree read; -EUCLEAN the parents form a loop.
 */
BDIO_API int bdio_paths(struct bdio_fs *fs, struct bdio_ino ino,
			int (*fn)(void *priv, const char *path, size_t len), void *priv);

#ifdef __cplusplus
}
#endif
#endif
