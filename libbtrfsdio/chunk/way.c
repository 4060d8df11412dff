/* SPDX-License-Identifier: MIT */
/* chunk/way.c - which ways there are to read a range, and which to try first */
#include "chunk/lspace.h"

#include "base/err.h"
#include "base/math.h"
#include "disk/format.h"

unsigned int bd_ways(const struct bd_chunk *chunk)
{
	if (!chunk->raid->parity)
		return chunk->raid->copies;
	if (chunk->raid->parity == 1)
		return 2;
	/* direct; all others good; P bad; each other data stripe bad */
	return 2 + chunk->data_stripes;
}

/* Equally busy devices take turns in steps of this: large enough for their own readahead. */
#define TURN_SHIFT 20

unsigned int bd_way_prefer(const struct bd_chunk *chunk, uint64_t logical)
{
	unsigned int turn = (unsigned int)(logical >> TURN_SHIFT);
	unsigned int best = 0, best_busy = UINT32_MAX;

	if (chunk->raid->parity || chunk->raid->copies == 1 || chunk->raid->flag == BD_BG_DUP)
		return 0;
	for (unsigned int i = 0; i < chunk->raid->copies; i++) {
		unsigned int copy = (i + turn) % chunk->raid->copies;
		struct bd_piece piece;
		unsigned int busy;

		bd_chunk_piece(chunk, logical, 1, copy, &piece);
		if (!piece.stripe->member->dev || piece.stripe->member->stale)
			continue;
		busy = atomic_load_explicit(&piece.stripe->member->dev->in_flight,
					    memory_order_relaxed);
		if (busy < best_busy) {
			best = copy;
			best_busy = busy;
		}
	}
	return best;
}

unsigned int bd_way_columns(const struct bd_chunk *chunk)
{
	return chunk->data_stripes + chunk->raid->parity;
}

static bool solve(const struct bd_chunk *chunk, const struct bd_full_stripe *at, unsigned int way,
		  bool use_stale, uint8_t *coef)
{
	unsigned int ndata = chunk->data_stripes;
	bool ok[2] = {true, chunk->raid->parity > 1};
	int also = -1;

	for (unsigned int i = 0; i < bd_way_columns(chunk); i++) {
		const struct bd_member *member = bd_chunk_column(chunk, at->row, i)->member;
		bool gone = !member->dev || (member->stale && !use_stale);

		if (way == 2 && i == ndata)
			gone = true;
		if (way > 2 && i == (way - 3) + (way - 3 >= at->column))
			gone = true;
		if (!gone || i == at->column)
			continue;
		if (i >= ndata)
			ok[i - ndata] = false;
		else if (also < 0)
			also = (int)i;
		else
			return false;
	}
	return bd_raid_solve(ndata, at->column, also, ok[0], ok[1], coef);
}

bool bd_way_solve(const struct bd_chunk *chunk, const struct bd_full_stripe *at, unsigned int way,
		  uint8_t *coef)
{
	return solve(chunk, at, way, false, coef) || solve(chunk, at, way, true, coef);
}

static bool rebuild_is_fresh(const struct bd_chunk *chunk, uint64_t logical, uint64_t end,
			     unsigned int way)
{
	uint8_t coef[BD_RAID6_MAX_DATA + 2];
	struct bd_full_stripe at;

	if (chunk->data_stripes > BD_RAID6_MAX_DATA)
		return false;
	for (; logical < end; logical += BD_STRIPE_LEN - at.in_stripe) {
		bd_chunk_full_stripe(chunk, logical, &at);
		if (!solve(chunk, &at, way, false, coef))
			return false;
	}
	return true;
}

bool bd_way_is_fresh(const struct bd_chunk *chunk, uint64_t logical, uint32_t len, unsigned int way)
{
	uint64_t end = logical + len;

	if (chunk->raid->parity && way > 0)
		return rebuild_is_fresh(chunk, logical, end, way);
	while (logical < end) {
		struct bd_piece piece;

		bd_chunk_piece(chunk, logical, end - logical, way, &piece);
		if (piece.stripe->member->stale)
			return false;
		logical += piece.length;
	}
	return true;
}

uint32_t bd_way_span(const struct bd_chunk *chunk, uint64_t logical, uint32_t max, unsigned int way)
{
	const struct bd_dev *dev;
	struct bd_piece piece;
	uint64_t len;

	bd_chunk_piece(chunk, logical, max, way, &piece);
	len = piece.length;
	dev = piece.stripe->member->dev;
	if (!dev)
		return (uint32_t)len;
	len = bd_min_u64(len, dev->max_io);
	/* Of a device that was cut short, what is left is read by itself. */
	if (piece.physical < dev->size && dev->size - piece.physical < len)
		len = bd_max_u64(bd_align_down(dev->size - piece.physical, BD_MIN_BLOCKSIZE),
				 BD_MIN_BLOCKSIZE);
	return (uint32_t)bd_min_u64(len, max);
}

void bd_err_at_way(const struct bd_chunk *chunk, uint64_t logical, uint32_t len, unsigned int way)
{
	struct bd_piece piece;

	bd_chunk_piece(chunk, logical, len, chunk->raid->parity ? 0 : way, &piece);
	bd_err_at_device(piece.stripe->member->devid, piece.physical);
	bd_err_at_logical(logical, len);
}

int bd_member_io(const struct bd_member *member, uint64_t physical, uint32_t len, struct bd_io *io)
{
	uint64_t end;
	int err = 0;

	if (!member->dev)
		err = BD_FAIL(-ENXIO, WAY_MISSING, "device %llu is missing",
			      (unsigned long long)member->devid);
	else if (!bd_add_u64(physical, len, &end) || end > member->dev->size)
		err = BD_FAIL(-EIO, WAY_BEYOND, "device %llu (%s) ends at byte %llu",
			      (unsigned long long)member->devid, member->dev->name,
			      (unsigned long long)member->dev->size);
	if (err) {
		bd_err_at_device(member->devid, physical);
		return err;
	}
	io->dev = member->dev;
	io->offset = physical;
	io->len = len;
	return 0;
}

int bd_way_io(const struct bd_chunk *chunk, uint64_t logical, uint32_t len, unsigned int way,
	      struct bd_io *io)
{
	struct bd_piece piece;
	int err;

	bd_chunk_piece(chunk, logical, len, way, &piece);
	err = bd_member_io(piece.stripe->member, piece.physical, len, io);
	if (err)
		bd_err_at_logical(logical, len);
	return err;
}
