/* SPDX-License-Identifier: MIT */
/* chunk/way.c - which ways there are to read a range, and which to try first */
#include "chunk/lspace.h"

#include "base/err.h"
#include "base/math.h"

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

bool bd_way_is_fresh(const struct bd_chunk *chunk, uint64_t logical, uint32_t len, unsigned int way)
{
	uint64_t end = logical + len;

	if (chunk->raid->parity && way > 0) {
		/* A rebuild reads the whole full stripe: any stale member of the chunk spoils it.
		 */
		for (unsigned int i = 0; i < chunk->num_stripes; i++) {
			if (chunk->stripes[i].member->stale)
				return false;
		}
		return true;
	}
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
	struct bd_piece piece;
	uint64_t len;

	bd_chunk_piece(chunk, logical, max, way, &piece);
	len = piece.length;
	if (piece.stripe->member->dev)
		len = bd_min_u64(len, piece.stripe->member->dev->max_io);
	return (uint32_t)len;
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
