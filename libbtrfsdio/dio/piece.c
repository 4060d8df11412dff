/* SPDX-License-Identifier: MIT */
/* dio/piece.c - one device I/O of a read: place it, verify what arrives */
#include "dio/piece.h"

#include <string.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"
#include "disk/csum.h"

struct bd_read_piece *bd_piece_new(struct bd_read *read)
{
	struct bd_reader *rd = read->rd;
	struct bd_read_piece *piece = STAILQ_FIRST(&rd->free_pieces);

	if (piece) {
		STAILQ_REMOVE_HEAD(&rd->free_pieces, link);
	} else {
		piece = malloc(sizeof(*piece));
		if (!piece) {
			BD_FAIL(-ENOMEM, PIECE_NEW, "no memory for a read");
			return NULL;
		}
	}
	memset(piece, 0, sizeof(*piece));
	piece->read = read;
	piece->io.buf_index = -1;
	return piece;
}

void bd_piece_free(struct bd_read_piece *piece)
{
	struct bd_reader *rd = piece->read->rd;

	if (piece->csums)
		bd_range_put(&piece->csums->range);
	bd_iobuf_put(&rd->inodes->vol->ls.bufs, piece->bounce, piece->len);
	STAILQ_INSERT_HEAD(&rd->free_pieces, piece, link);
}

static bool wants_csums(const struct bd_read *read)
{
	return !(read->flags & BD_READ_NO_VERIFY) &&
	       !(read->inode->inodes->vol->open_flags & BDIO_OPEN_NO_VERIFY) &&
	       !(read->inode->item.flags & BD_INODE_NODATASUM);
}

int bd_piece_place(struct bd_read_piece *piece, uint64_t logical, uint32_t max)
{
	struct bd_read *read = piece->read;
	struct bd_inodes *inodes = read->rd->inodes;
	uint32_t sectorsize = inodes->vol->super.sectorsize;
	const struct bd_chunk *chunk = bd_chunk_find(&inodes->vol->ls.map, logical);
	int err;

	piece->logical = logical;
	piece->len = (uint32_t)bd_min_u64(max, (uint64_t)BD_PIECE_SECTORS * sectorsize);
	if (!chunk || bd_chunk_end(chunk) - logical < sectorsize)
		return BD_FAIL(-EUCLEAN, DATA_NO_CHUNK,
			       "corrupt file: inode %llu, its extent at %llu is not in a chunk",
			       (unsigned long long)read->inode->ino, (unsigned long long)logical);
	piece->chunk = chunk;
	piece->way = bd_way_prefer(chunk, logical);
	piece->len = bd_way_span(chunk, logical, piece->len, piece->way);
	piece->len = (uint32_t)bd_max_u64(bd_align_down(piece->len, sectorsize), sectorsize);
	if (!wants_csums(read)) {
		read->flags |= BD_READ_UNVERIFIED;
		return 0;
	}
	err = bd_hint_win(read->rd, logical, &piece->csums);
	if (err)
		return err;
	piece->len = (uint32_t)bd_min_u64(piece->len, piece->csums->range.end - logical);
	return 0;
}

static void piece_done(struct bd_io *io)
{
	struct bd_read_piece *piece = (struct bd_read_piece *)io;
	struct bd_lspace *ls = &piece->read->rd->inodes->vol->ls;
	uint64_t bad;

	bd_unpin(&ls->pins, piece->logical, piece->len);
	if (io->res) {
		bd_count(&ls->read_errors, 1);
		BD_FAIL(-EIO, DATA_IO, "read error %d on %s", -io->res, io->dev->name);
		bd_err_at_way(piece->chunk, piece->logical, piece->len, piece->way);
		bd_piece_repair(piece, bd_piece_all(piece), true);
		return;
	}
	bad = piece->csums ? bd_piece_verify(piece, piece->buf, bd_piece_all(piece)) : 0;
	if (bad)
		bd_piece_repair(piece, bad, false);
	else
		bd_piece_finish(piece, 0);
}

/* Nothing could tell an old copy of data that has no checksum. */
static int check_fresh(const struct bd_read_piece *piece)
{
	int err;

	if (piece->csums || bd_way_is_fresh(piece->chunk, piece->logical, piece->len, piece->way))
		return 0;
	err = BD_FAIL(-EIO, DATA_STALE, "the device is stale and the data has no checksum");
	bd_err_at_way(piece->chunk, piece->logical, piece->len, piece->way);
	return err;
}

void bd_piece_submit(struct bd_read_piece *piece)
{
	struct bd_lspace *ls = &piece->read->rd->inodes->vol->ls;
	int err = bd_way_io(piece->chunk, piece->logical, piece->len, piece->way, &piece->io);

	if (!err)
		err = check_fresh(piece);
	if (err) {
		bd_piece_repair(piece, bd_piece_all(piece), true);
		return;
	}
	piece->io.op = BD_IO_READ;
	piece->io.buf = piece->buf;
	piece->io.done = piece_done;
	bd_pin(&ls->pins, piece->logical, piece->len);
	bd_dev_submit(piece->read->rd->ring, &piece->io);
}

static bool sector_matches(const struct bd_read_piece *piece, const struct bd_super *super,
			   uint64_t logical, const uint8_t *data)
{
	const struct bd_inodes *inodes = piece->read->rd->inodes;
	const uint8_t *want = bd_csum_of(piece->csums, super, logical);
	uint8_t found[BD_CSUM_SIZE];

	if (!want)
		return false;
	bd_csum(super->csum_type, data, super->sectorsize, found);
	if (memcmp(want, found, super->csum_size))
		return false;
	return !inodes->inject || !inodes->inject(logical);
}

uint64_t bd_piece_verify(struct bd_read_piece *piece, const uint8_t *data, uint64_t which)
{
	const struct bd_super *super = &piece->read->rd->inodes->vol->super;
	uint64_t bad = 0;

	bd_count(&piece->read->rd->counters->verified_bytes,
		 (uint64_t)__builtin_popcountll(which) * super->sectorsize);
	for (; which; which &= which - 1) {
		uint64_t at = (uint64_t)__builtin_ctzll(which) * super->sectorsize;

		if (!sector_matches(piece, super, piece->logical + at, data + at))
			bad |= which & -which;
	}
	return bad;
}

void bd_piece_finish(struct bd_read_piece *piece, uint64_t bad)
{
	struct bd_read *read = piece->read;
	struct bd_gather *gather = piece->gather;

	/* What is good of a bounce buffer is copied even when some of it is bad. */
	if (piece->bounce && !gather)
		bd_read_fill(read, piece->file_offset + piece->want_off,
			     (uint8_t *)piece->bounce + piece->want_off, piece->want_len);
	bd_piece_free(piece);
	if (gather)
		bd_gather_piece_done(gather, bad != 0);
	else
		bd_read_put(read);
}
