/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/fs.h - open and close a filesystem
 *
 * A struct bdio_fs is thread-safe: any number of threads may use it and everything opened from
 * it. Close what was opened from it (files, directories, queues, iterators) before
 * bdio_close(). Several filesystems in one process do not know of each other.
 *
 * Example: examples/verified_copy.c
 */
#ifndef BTRFSDIO_FS_H
#define BTRFSDIO_FS_H

#include "btrfsdio/device.h"
#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Devices may be missing: what has a copy left or can be rebuilt is read, the rest is -EIO. */
#define BDIO_OPEN_DEGRADED (1ull << 0)
/* Look for further members among the block devices of this machine (libblkid). */
#define BDIO_OPEN_SCAN (1ull << 1)
/* Open although the kernel has the filesystem mounted: what is read may be torn or stale. */
#define BDIO_OPEN_FORCE_LIVE (1ull << 2)
/* Return data without looking at its checksums. Metadata is always verified. */
#define BDIO_OPEN_NO_VERIFY (1ull << 3)
/* Use blocking system calls even where io_uring is there. */
#define BDIO_OPEN_BLOCKING (1ull << 4)
/* A device may be shorter than the filesystem says: bytes behind its end are -EIO. */
#define BDIO_OPEN_SALVAGE (1ull << 5)

struct bdio_open_opts {	 /* zero it, set .size; a field left 0 takes its default */
	size_t size;	 /* sizeof(struct bdio_open_opts) as the caller was compiled */
	uint64_t flags;	 /* BDIO_OPEN_*; an unknown bit is -EINVAL */
	uint64_t offset; /* byte where the filesystem starts in each path, for a partition inside a
			    disk image */
	/*
	 * Bytes of memory for cached tree nodes, checksums and extent maps together; default 64
	 * MiB, at least 1 MiB. What is in use by running calls comes on top.
	 */
	uint64_t cache_bytes;
	uint32_t queue_depth; /* device I/Os in flight for one blocking call, 1..4096; default 64 */
	/*
	 * Superblock copy to start from, counted from 1 (1: 64 KiB, 2: 64 MiB, 3: 256 GiB).
	 * Default: the primary; when it is unusable, the newest copy that matches.
	 */
	uint32_t super_copy;
	/* Backup roots of the superblock to start from, 1..4 (1: the newest); default: the current
	 * roots. */
	uint32_t backup_root;
	uint32_t reserved;		   /* must be 0 */
	const struct bdio_device *devices; /* devices that the caller supplies; copied */
	size_t num_devices;
	uint64_t reserved2[4]; /* must be 0 */
};

/**
 * bdio_open() - assemble the devices of one btrfs filesystem and load its roots
 * @paths, @npaths: image files or block devices of one filesystem, in any order; borrowed for
 *		    the call; may be none when @opts->devices has some
 * @opts: NULL means defaults
 * @out:  written only on success; release with bdio_close()
 *
 * Opens read-only: nothing is ever written to the devices, not even the repair of a bad copy.
 * A log tree that was left by a crash is not applied: bdio_fs_get_info() tells, in .log_present.
 * Thread-safe. On failure nothing stays open.
 *
 * Return: 0; -EINVAL bad argument, or paths that belong to different filesystems, or one device
 * twice; -ENXIO a device is missing and BDIO_OPEN_DEGRADED was not given, or the trees do not
 * survive it; -EUCLEAN on-disk data fails a check; -EIO device error; -EOPNOTSUPP a feature that
 * is not read; -EBUSY mounted by the kernel and BDIO_OPEN_FORCE_LIVE not given.
 */
BDIO_API int bdio_open(const char *const *paths, size_t npaths, const struct bdio_open_opts *opts,
		       struct bdio_fs **out);

/**
 * bdio_close() - release a filesystem and its devices
 * @fs: NULL is fine
 *
 * Nothing that came from @fs may be in use by any thread, and no queue of it may exist.
 */
BDIO_API void bdio_close(struct bdio_fs *fs);

#ifdef __cplusplus
}
#endif
#endif
