/* SPDX-License-Identifier: MIT */
/* dio/piece.h - inside the read engine: one device I/O of a read */
#ifndef BD_DIO_PIECE_H
#define BD_DIO_PIECE_H

#include "base/err.h"
#include "dio/reader.h"

struct bd_gather;

struct bd_read_piece {
	struct bd_io io; /* first: the completion finds the piece by it */
	struct bd_read *read;
	struct bd_gather *gather; /* compressed extent that it belongs to; NULL: plain data */
	const struct bd_chunk *chunk;
	struct bd_csum_win *csums; /* NULL: nothing to compare with */
	uint64_t logical;	   /* sector-aligned, as is len */
	uint32_t len;
	unsigned int way;
	uint64_t file_offset;	     /* of the byte at logical */
	uint8_t *buf;		     /* len bytes */
	void *bounce;		     /* == buf when it is ours */
	uint32_t want_off, want_len; /* with a bounce: bytes of it that the caller wants */
	STAILQ_ENTRY(bd_read_piece) link;
};

/* A compressed extent on its way: its pieces fill buf. */
struct bd_gather {
	struct bd_read *read;
	struct bd_extent extent;
	uint64_t file_offset; /* part of the file that is wanted of it */
	uint32_t len;
	uint32_t planned; /* bytes of the extent that have a piece */
	unsigned int pending;
	bool bad;
	uint8_t *buf; /* extent.disk_num_bytes */
};

/* read_plan.c */
/* One piece or gather is done. */
void bd_read_put(struct bd_read *read);
/*
 * The calling thread's error record describes why [file_offset, +len) is lost. Keeps the
 * failure that lies first in the file.
 */
void bd_read_bad(struct bd_read *read, uint64_t file_offset, uint64_t len, int code);
/* Data that no way could give is -EIO, unless it only was for want of memory: see the thread's
 * record. */
static inline int bd_lost_code(void)
{
	return bd_err_self()->code == -ENOMEM ? -ENOMEM : -EIO;
}
/* Copy into the caller's vectors, or (src NULL) zero them. */
void bd_read_fill(struct bd_read *read, uint64_t file_offset, const void *src, uint64_t len);

/* hints.c: as bd_extent_seg_get() and bd_csum_win_get(); release as of those. */
int bd_hint_seg(struct bd_reader *rd, const struct bd_inode *inode, uint64_t pos,
		struct bd_extent_seg **out);
int bd_hint_win(struct bd_reader *rd, uint64_t logical, struct bd_csum_win **out);
void bd_hints_drop(struct bd_hints *hints);

/* piece.c */
struct bd_read_piece *bd_piece_new(struct bd_read *read);
/*
 * Fill in chunk, checksums, way and the length (at most @max) for a piece at @logical.
 * 0; -errno reported: nothing of it can be read.
 */
int bd_piece_place(struct bd_read_piece *piece, uint64_t logical, uint32_t max);
void bd_piece_submit(struct bd_read_piece *piece);
/* All sectors are good but those of @bad, whose error is in the thread's record. */
void bd_piece_finish(struct bd_read_piece *piece, uint64_t bad);
void bd_piece_free(struct bd_read_piece *piece);
/* Compare the sectors of @which in @data; returns those that do not match or have no checksum. */
uint64_t bd_piece_verify(struct bd_read_piece *piece, const uint8_t *data, uint64_t which);

static inline unsigned int bd_piece_sectors(const struct bd_read_piece *piece)
{
	return piece->len / piece->read->rd->inodes->vol->super.sectorsize;
}

static inline uint64_t bd_piece_all(const struct bd_read_piece *piece)
{
	return ~0ULL >> (64 - bd_piece_sectors(piece));
}

/*
 * repair.c: get the sectors of @bad another way and finish the piece. @io_error: the read itself
 * failed, the thread's error record says how.
 */
void bd_piece_repair(struct bd_read_piece *piece, uint64_t bad, bool io_error);

/* unzip.c */
void bd_gather_start(struct bd_read *read, const struct bd_extent *extent, uint64_t file_offset,
		     uint64_t len);
void bd_gather_piece_done(struct bd_gather *gather, bool bad);
/* Decompress an inline extent into the caller's vectors. */
void bd_unzip_inline(struct bd_read *read, const struct bd_extent *extent, const void *data,
		     uint64_t file_offset, uint64_t len);

#endif
