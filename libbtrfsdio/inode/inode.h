/* SPDX-License-Identifier: MIT */
/* inode/inode.h - inode items, the extents of a file, checksum ranges */
#ifndef BD_INODE_INODE_H
#define BD_INODE_INODE_H

#include "base/rcache.h"
#include "txn/volume.h"

/* What the inode layer keeps for a volume. */
struct bd_inodes {
	struct bd_volume *vol;
	struct bd_rcache ranges; /* struct bd_extent_seg and struct bd_csum_win */
	/* For tests, else NULL: true makes a sector whose checksum matched count as bad. */
	bool (*inject)(uint64_t logical);
};

/* An inode item in host order. */
struct bd_inode_item {
	uint64_t generation, transid, size, nbytes, rdev, flags, sequence;
	uint32_t nlink, uid, gid, mode;
	struct bdio_timespec atime, ctime, mtime, otime;
};

struct bdio_timespec bd_time_decode(const struct bd_disk_timespec *d);
void bd_inode_item_decode(const struct bd_disk_inode_item *d, struct bd_inode_item *out);
/* Return: 0; -ENOENT no such inode (reported); errors of a tree read. */
int bd_inode_item_read(const struct bd_tree *tree, uint64_t ino, struct bd_inode_item *out);

/* An inode with data that is open for reading. */
struct bd_inode {
	struct bd_inodes *inodes;
	struct bd_tree tree; /* of its subvolume */
	uint64_t ino;
	struct bd_inode_item item;
};

/* A file extent. Ranges of a file that no extent covers are holes. */
struct bd_extent {
	uint64_t file_offset;
	uint64_t length;	 /* of the file; an inline extent's is not rounded */
	uint64_t disk_bytenr;	 /* 0: hole with an item, or inline */
	uint64_t disk_num_bytes; /* inline: stored bytes */
	uint64_t offset; /* into the decompressed extent; inline: where the bytes lie in the segment
			  */
	uint64_t ram_bytes;
	uint64_t generation;
	uint8_t type;	     /* enum bd_file_extent_type */
	uint8_t compression; /* enum bd_compression */
};

/* The extents of a stretch of a file: everything in [range.start, range.end) is known. */
struct bd_extent_seg {
	struct bd_range range; /* a: subvolume, b: inode */
	uint32_t n;
	struct bd_extent extents[]; /* ascending; the bytes of inline extents follow */
};

/* Decode an EXTENT_DATA item that bd_item_check() accepted. */
void bd_extent_decode(const struct bd_key *key, const void *data, uint32_t size,
		      struct bd_extent *out);

/*
 * The segment that knows about @pos, cached or loaded. Release with bd_range_put(&seg->range).
 * Return: 0; -EUCLEAN extents overlap (reported); errors of a tree read.
 */
int bd_extent_seg_get(const struct bd_inode *inode, uint64_t pos, struct bd_extent_seg **out);

/* Index of the first extent that ends behind @pos; seg->n when there is none. */
uint32_t bd_extent_seg_find(const struct bd_extent_seg *seg, uint64_t pos, uint32_t sectorsize);

/* End of the file range that an extent stands for: inline ones cover their whole sector. */
uint64_t bd_extent_end(const struct bd_extent *extent, uint32_t sectorsize);

static inline const void *bd_extent_inline_data(const struct bd_extent_seg *seg,
						const struct bd_extent *extent)
{
	return (const uint8_t *)seg + extent->offset;
}

/* Checksums of an aligned window of the logical address space, as a flat array. */
struct bd_csum_win {
	struct bd_range range; /* in bytes of the logical space */
	uint64_t *present;     /* a bit for each sector that has one */
	uint8_t *csums;
};

/* Bytes of the checksum array of one window: the unit in which checksums are cached. */
#define BD_CSUM_WIN_BYTES 16384u

/* Bytes of the logical space that one window covers; windows are aligned to it. */
static inline uint64_t bd_csum_win_span(const struct bd_super *super)
{
	return (uint64_t)(BD_CSUM_WIN_BYTES / super->csum_size) * super->sectorsize;
}

/* Release with bd_range_put(&win->range). Return: 0; errors of a tree read. */
int bd_csum_win_get(struct bd_inodes *inodes, uint64_t logical, struct bd_csum_win **out);

/* Stored checksum of the sector at @logical, inside the window; NULL: there is none. */
const uint8_t *bd_csum_of(const struct bd_csum_win *win, const struct bd_super *super,
			  uint64_t logical);

#endif
