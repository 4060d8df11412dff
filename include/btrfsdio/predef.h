/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/predef.h - version, export macro and the names of all opaque objects
 *
 * Rules that hold for every call of the library:
 *
 * - A call returns 0, a count, or a negative errno; it never sets errno and never returns -1
 *   as such. bdio_error_get() tells where the calling thread's last failed call failed and
 *   with which numbers.
 * - An out parameter is written only on success, unless its description says otherwise.
 * - Structs that the caller fills begin with their size: zero the struct, set .size to its
 *   sizeof, set what you want. A field left 0 takes its default. Unknown flag bits and
 *   non-zero reserved fields are -EINVAL.
 * - Structs that the library fills are plain data of fixed layout.
 * - The library never writes to stdout or stderr, installs no signal handler, never exits.
 * - Offsets and lengths are in bytes unless a name says otherwise.
 */
#ifndef BTRFSDIO_PREDEF_H
#define BTRFSDIO_PREDEF_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BDIO_VERSION_MAJOR 0
#define BDIO_VERSION_MINOR 1
#define BDIO_VERSION_PATCH 0

#if defined(BDIO_BUILDING_SHARED)
#define BDIO_API __attribute__((visibility("default")))
#else
#define BDIO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct bdio_fs;		  /* an open filesystem; thread-safe */
struct bdio_file;	  /* an open inode with data; thread-safe */
struct bdio_dir;	  /* a directory cursor; one thread at a time */
struct bdio_queue;	  /* an asynchronous queue; one thread at a time */
struct bdio_extent_iter;  /* a cursor over the extents of a file; one thread at a time */
struct bdio_used_iter;	  /* a cursor over allocated device ranges; one thread at a time */
struct bdio_changed_iter; /* a cursor over what changed since a generation; one thread at a time */

/*
 * Identity of an inode. Inode numbers repeat in every subvolume, so neither number alone
 * identifies anything. The top level subvolume is 5; the root directory of every subvolume
 * is inode 256.
 */
struct bdio_ino {
	uint64_t subvol; /* subvolume id */
	uint64_t inode;	 /* inode number inside it */
};

#define BDIO_SUBVOL_TOP 5ULL
#define BDIO_INODE_ROOT 256ULL
/* A directory that stands where a snapshot has no subvolume to show: always empty. */
#define BDIO_INODE_STUB 2ULL

struct bdio_timespec {
	int64_t sec;   /* seconds since the epoch, may be negative */
	uint32_t nsec; /* 0..999,999,999 in sound images; given as found on disk */
	uint32_t reserved;
};

/**
 * bdio_version() - the version of the library that runs, as opposed to the header's
 *
 * Return: a static string "MAJOR.MINOR.PATCH". Thread-safe.
 */
BDIO_API const char *bdio_version(void);

#ifdef __cplusplus
}
#endif
#endif
