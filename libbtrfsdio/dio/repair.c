/* SPDX-License-Identifier: MIT */
/* dio/repair.c - what failed to verify is read again, then from the other copies or from parity */
#include "dio/piece.h"

#include <string.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"
#include "disk/csum.h"

/*
 * First the same copy again, into a private buffer: when that verifies, the device was right
 * and the caller changed its buffer during the read. Then every other way. Each attempt reads the
 * piece as a whole and keeps the sectors that were bad so far and are good now.
 */
struct repair {
	struct bd_way_read wr; /* first: its completion finds the repair by it */
	struct bd_read_piece *piece;
	uint64_t bad;
	unsigned int attempt;	 /* 0: the first way again; then the others */
	bool io_error;		 /* the first way's read failed: no use in trying it again */
	struct bdio_error error; /* why the first way's read failed; .code 0: it did not */
	/* What the first data that came had instead of the right checksums, and by which way. */
	bool have_found;
	unsigned int found_way;
	uint8_t found[BD_PIECE_SECTORS][BD_CSUM_SIZE];
};

static const struct bd_super *super_of(const struct repair *rp)
{
	return &rp->piece->read->rd->inodes->vol->super;
}

/* Keep what is wrong with each bad sector: which of them are lost turns out later. */
static void note_mismatch(struct repair *rp, const uint8_t *data)
{
	const struct bd_super *super = super_of(rp);

	for (uint64_t bad = rp->bad; bad; bad &= bad - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(bad);

		bd_csum(super->csum_type, data + (size_t)i * super->sectorsize, super->sectorsize,
			rp->found[i]);
	}
	rp->have_found = true;
	rp->found_way = rp->wr.way;
}

/* Why @n sectors from number @first on are lost, into the thread's record. */
static void describe(const struct repair *rp, unsigned int first, unsigned int n)
{
	const struct bd_read_piece *piece = rp->piece;
	const struct bd_super *super = super_of(rp);
	uint64_t logical = piece->logical + (uint64_t)first * super->sectorsize;
	const uint8_t *want;

	if (!rp->have_found) {
		*bd_err_self() = rp->error;
		bd_err_at_way(piece->chunk, logical, n * super->sectorsize, piece->way);
		return;
	}
	want = bd_csum_of(piece->csums, super, logical);
	if (want) {
		BD_FAIL(-EIO, DATA_CSUM, "corrupt data: logical %llu, wrong %s checksum",
			(unsigned long long)logical, bd_csum_name(super->csum_type));
		bd_err_csums(want, rp->found[first], super->csum_size);
	} else {
		BD_FAIL(-EIO, DATA_NO_CSUM, "corrupt data: logical %llu, its checksum is missing",
			(unsigned long long)logical);
	}
	bd_err_at_way(piece->chunk, logical, n * super->sectorsize, rp->found_way);
}

/* Tell the read about each run of sectors that no way could give. */
static void report_bad(const struct repair *rp)
{
	struct bd_read_piece *piece = rp->piece;
	uint32_t sectorsize = super_of(rp)->sectorsize;
	uint64_t bad = rp->bad;

	while (bad) {
		unsigned int first = (unsigned int)__builtin_ctzll(bad);
		uint64_t rest = bad >> first;
		unsigned int n = ~rest ? (unsigned int)__builtin_ctzll(~rest) : 64;

		describe(rp, first, n);
		/* A gather reports for the whole extent, out of the thread's record. */
		if (piece->gather)
			return;
		bd_read_bad(piece->read, piece->file_offset + (uint64_t)first * sectorsize,
			    (uint64_t)n * sectorsize, bd_lost_code());
		bad = n == 64 ? 0 : bad & ~(((1ULL << n) - 1) << first);
	}
}

static void repair_end(struct repair *rp)
{
	struct bd_read_piece *piece = rp->piece;
	uint64_t bad = rp->bad;

	report_bad(rp);
	bd_unpin(&rp->wr.ls->pins, piece->logical, piece->len);
	bd_iobuf_put(&rp->wr.ls->bufs, rp->wr.buf, piece->len);
	free(rp);
	bd_piece_finish(piece, bad);
}

/* The sectors of @good are in the private buffer: hand them over. */
static void take(struct repair *rp, uint64_t good)
{
	struct bd_read *read = rp->piece->read;
	uint32_t sectorsize = super_of(rp)->sectorsize;

	rp->bad &= ~good;
	if (rp->attempt == 0) {
		bd_count(&read->rd->counters->bounces, (uint64_t)__builtin_popcountll(good));
	} else if (good) {
		bd_count(&rp->wr.ls->mirror_reads, 1);
		read->flags |= BD_READ_REPAIRED;
	}
	for (; good; good &= good - 1) {
		size_t at = (size_t)__builtin_ctzll(good) * sectorsize;

		memcpy(rp->piece->buf + at, (uint8_t *)rp->wr.buf + at, sectorsize);
		bd_count(&read->rd->counters->copied_bytes, sectorsize);
	}
}

static void attempt_next(struct repair *rp);

static void attempt_done(struct bd_way_read *wr)
{
	struct repair *rp = (struct repair *)wr;
	struct bd_read_piece *piece = rp->piece;
	uint64_t good;

	if (wr->res == -ENOMEM) {
		/* Says nothing about the data: not a reason to call it lost. */
		rp->error = *bd_err_self();
		rp->have_found = false;
		repair_end(rp);
		return;
	}
	if (wr->res) {
		if (!rp->error.code)
			rp->error = *bd_err_self();
	} else {
		good = rp->bad;
		if (piece->csums)
			good &= ~bd_piece_verify(piece, wr->buf, rp->bad);
		take(rp, good);
		if (rp->bad && rp->attempt == 0)
			bd_count(&piece->read->rd->counters->csum_errors,
				 (uint64_t)__builtin_popcountll(rp->bad));
		if (rp->bad && !rp->error.code && !rp->have_found)
			note_mismatch(rp, wr->buf);
	}
	rp->attempt++;
	attempt_next(rp);
}

/* The way of an attempt; false: not worth trying. */
static bool choose_way(struct repair *rp)
{
	struct bd_read_piece *piece = rp->piece;

	rp->wr.way = (piece->way + rp->attempt) % bd_ways(piece->chunk);
	if (rp->attempt == 0 && rp->io_error)
		return false;
	/* Nothing could tell an old copy of unverified data. */
	return piece->csums ||
	       bd_way_is_fresh(piece->chunk, piece->logical, piece->len, rp->wr.way);
}

static void attempt_next(struct repair *rp)
{
	while (rp->bad && rp->attempt < bd_ways(rp->piece->chunk)) {
		if (choose_way(rp)) {
			bd_way_read(&rp->wr);
			return;
		}
		rp->attempt++;
	}
	repair_end(rp);
}

void bd_piece_repair(struct bd_read_piece *piece, uint64_t bad, bool io_error)
{
	struct bd_lspace *ls = &piece->read->rd->inodes->vol->ls;
	struct repair *rp = bd_zalloc(sizeof(*rp)); /* leaves the error record alone */
	void *buf = bd_iobuf_get(&ls->bufs, piece->len);

	if (!rp || !buf) {
		free(rp);
		bd_iobuf_put(&ls->bufs, buf, piece->len);
		BD_FAIL(-ENOMEM, REPAIR_NEW, "no memory to read another copy");
		bd_read_bad(piece->read, piece->file_offset, piece->len, -ENOMEM);
		bd_piece_finish(piece, bad);
		return;
	}
	rp->piece = piece;
	rp->bad = bad;
	rp->io_error = io_error;
	rp->wr = (struct bd_way_read){
		.ls = ls,
		.chunk = piece->chunk,
		.logical = piece->logical,
		.len = piece->len,
		.buf = buf,
		.ring = piece->read->rd->ring,
		.done = attempt_done,
	};
	if (io_error)
		rp->error = *bd_err_self();
	bd_pin(&ls->pins, piece->logical, piece->len);
	attempt_next(rp);
}
