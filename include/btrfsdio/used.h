/* SPDX-License-Identifier: MIT */
/*
 * btrfsdio/used.h - which bytes of which device are in use
 *
 * For imaging tools: copy exactly these ranges of every device and the copy opens, checks and
 * mounts. All mirrors and parity are listed, superblocks too.
 *
 * On RAID5/6 whole full stripes are listed, with the parts of them that are not in use: parity is
 * of all data in its row, so a copy without them could not be rebuilt after a loss.
 *
 * A superblock range is its device's own copy; a missing device has no ranges.
 */
#ifndef BTRFSDIO_USED_H
#define BTRFSDIO_USED_H

#include "btrfsdio/predef.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BDIO_USED_SUPER	   (1u << 0)
#define BDIO_USED_METADATA (1u << 1) /* tree blocks, of SYSTEM chunks too */
#define BDIO_USED_DATA	   (1u << 2)
#define BDIO_USED_PARITY   (1u << 3) /* P or Q of a used range */

struct bdio_used {
	uint64_t devid;
	uint64_t physical; /* byte on the device, without bdio_open_opts.offset */
	uint64_t length;   /* bytes */
	uint64_t logical;  /* of the first byte; UINT64_MAX for superblocks and parity */
	uint32_t kind;	   /* one of BDIO_USED_* */
	uint32_t copy;	   /* number of the mirror */
};

/**
 * bdio_used_open() - walk the ranges, device by device, ascending
 * @devid: one device; 0: all
 *
 * Ranges do not overlap. Neighbours of one kind are merged where their logical addresses follow
 * each other as well, so that each byte's address is known. The extent tree is read once for each
 * device. One thread at a time.
 * Return: 0; -ENOENT no such device, or missing; errors of a tree read.
 */
BDIO_API int bdio_used_open(struct bdio_fs *fs, uint64_t devid, struct bdio_used_iter **out);
/* Return: 1 with *out written; 0 at the end; errors of a tree read. */
BDIO_API int bdio_used_next(struct bdio_used_iter *iter, struct bdio_used *out);
BDIO_API void bdio_used_close(struct bdio_used_iter *iter);

#ifdef __cplusplus
}
#endif
#endif
