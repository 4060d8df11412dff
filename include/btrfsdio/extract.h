/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/extract.h - copy a tree of an image into a directory of the host, exactly
 *
 * Owners (when root), modes, times to the nanosecond, extended attributes, hard links, special
 * files, holes. Data is verified. Never writes outside the destination, whatever names and links
 * the image holds: everything is created below one directory descriptor, component by component,
 * without following links.
 *
 * What is not copied: inode flags, creation times, and what makes a subvolume one: it becomes a
 * directory, and an empty one where a snapshot only has its name. Attributes "btrfs.*" that the
 * host does not know are left out silently. When root copies but does not set owners, files that
 * are not root's lose their set-id bits.
 *
 * What is lost is reported and the rest goes on: a directory whose place is taken by something
 * else; a directory that the image shows in two places (it is copied once); bad sectors, adjacent
 * ones as one range; where metadata is damaged, what it described, which becomes a hole also with
 * BDIO_ON_ERROR_ZERO. A hard link that the host refuses becomes a copy, and is reported. Want of
 * memory, and a host that can take no more (no space, read-only, I/O error, too many open files),
 * end it.
 */
#ifndef BTRFSDIO_EXTRACT_H
#define BTRFSDIO_EXTRACT_H

#include "btrfsdio/error.h"
#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bdio_on_error {
	BDIO_ON_ERROR_ZERO = 0, /* bad sectors become zeros */
	BDIO_ON_ERROR_SKIP,	/* bad sectors become holes */
	BDIO_ON_ERROR_STOP,	/* the first error ends the extraction */
};

struct bdio_extract_progress {
	uint64_t files, dirs, others; /* done so far */
	uint64_t bytes;		      /* of file data */
	uint64_t errors;	      /* paths or ranges that were lost */
};

struct bdio_extract_opts { /* zero it, set .size */
	size_t size;
	uint64_t flags;	   /* BDIO_EXTRACT_* */
	uint32_t on_error; /* enum bdio_on_error */
	uint32_t threads;  /* 1..64; default: twice the number of processors, 4 to 8 */
	/*
	 * Called for each loss: @path is below the destination ("." is itself) and terminated,
	 * @error says what and, for a bad range, where. May be called from any of the threads,
	 * one call at a time.
	 */
	void (*lost)(void *priv, const char *path, const struct bdio_error *error);
	/*
	 * Called from the calling thread every 100 ms or so, and at the end unless it was
	 * stopped; not while lost() runs. Non-zero stops with -ECANCELED.
	 */
	int (*progress)(void *priv, const struct bdio_extract_progress *progress);
	void *priv;
	uint64_t reserved[4]; /* must be 0 */
};

#define BDIO_EXTRACT_NO_OWNER (1ull << 0) /* leave owners as they come; default when not root */
#define BDIO_EXTRACT_NO_XATTR (1ull << 1)

/**
 * bdio_extract() - copy @ino to @dest
 * @dest: path on the host; links in it are followed. A directory's contents go into @dest, which
 * is created when it is not there; anything else becomes @dest itself, or goes below it under
 * @name when @dest is a directory
 * @name: name for a file that goes into an existing directory; NULL: that is -EISDIR
 * @opts: NULL: defaults
 * @result: what was done; written also on failure; may be NULL
 *
 * Existing files are replaced, existing directories are merged into and get the attributes of
 * the image's, @dest those of @ino. Directories get their attributes last; until then only the
 * owner may enter them, and one that was stopped in stays so. The image is only read: calls on
 * @fs may run in other threads, other extractions too.
 *
 * Return: 0 all of it is there (attributes that the host refuses, e.g. security xattrs without
 * root, are reported as lost); 1 something was lost; -ECANCELED; other -errno: nothing could be
 * begun, or stopped: a file that was being written then is incomplete.
 */
BDIO_API int bdio_extract(struct bdio_fs *fs, struct bdio_ino ino, const char *dest,
			  const char *name, const struct bdio_extract_opts *opts,
			  struct bdio_extract_progress *result);

#ifdef __cplusplus
}
#endif
#endif
