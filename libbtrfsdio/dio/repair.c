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
 * piece as a whole and keeps the sectors that were bad so far and are good now. What is left after
 * a device refused to read is tried once more sector by sector: it may have stumbled over another.
 */
struct repair {
	struct bd_way_read wr; /* first: its completion finds the repair by it */
	struct bd_read_piece *piece;
	uint8_t *buf; /* of the whole piece */
	uint64_t bad;
	uint64_t todo; /* sectors that still get their own attempts, the lowest now; 0: the whole
			  piece */
	unsigned int attempt; /* 0: the first way again; then the others */
	bool skip_first;      /* the first way's read failed: no use in trying it again */
	bool io_failed;	      /* some way's read failed */
	bool running, arrived;
	struct bdio_error error; /* why the first read failed that did; .code 0: none */
	/* What the first data that came had instead of the right checksums, and by which way. */
	uint64_t found_map;
	unsigned int found_way;
	uint8_t found[BD_PIECE_SECTORS][BD_CSUM_SIZE];
};

static const struct bd_super *super_of(const struct repair *rp)
{
	return &rp->piece->read->rd->inodes->vol->super;
}

/* Keep what is wrong with each sector of @bad: which of them are lost turns out later. */
static void note_mismatch(struct repair *rp, uint64_t bad)
{
	const struct bd_super *super = super_of(rp);

	if (!rp->found_map)
		rp->found_way = rp->wr.way;
	rp->found_map |= bad;
	for (; bad; bad &= bad - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(bad);

		bd_csum(super->csum_type, rp->buf + (size_t)i * super->sectorsize,
			super->sectorsize, rp->found[i]);
	}
}

/* Why @n sectors from number @first on are lost, into the thread's record. */
static void describe(const struct repair *rp, unsigned int first, unsigned int n)
{
	const struct bd_read_piece *piece = rp->piece;
	const struct bd_super *super = super_of(rp);
	uint64_t logical = piece->logical + (uint64_t)first * super->sectorsize;
	const uint8_t *want;

	if (!(rp->found_map >> first & 1)) {
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
	bd_iobuf_put(&rp->wr.ls->bufs, rp->buf, piece->len);
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

		memcpy(rp->piece->buf + at, rp->buf + at, sectorsize);
		bd_count(&read->rd->counters->copied_bytes, sectorsize);
	}
}

/* The bad sectors that the present attempts are for. */
static uint64_t unit(const struct repair *rp)
{
	return rp->todo ? rp->bad & rp->todo & -rp->todo : rp->bad;
}

static void run(struct repair *rp);

static void data_arrived(struct repair *rp)
{
	struct bd_read_piece *piece = rp->piece;
	uint64_t tried = unit(rp), bad = 0;

	if (piece->csums)
		bad = bd_piece_verify(piece, rp->buf, tried);
	take(rp, tried & ~bad);
	if (rp->attempt == 0)
		bd_count(&piece->read->rd->counters->csum_errors,
			 (uint64_t)__builtin_popcountll(bad));
	if (!rp->error.code)
		note_mismatch(rp, bad & ~rp->found_map);
}

static void attempt_done(struct bd_way_read *wr)
{
	struct repair *rp = (struct repair *)wr;

	if (!wr->res) {
		data_arrived(rp);
	} else if (wr->res == -ENOMEM) {
		/* Says nothing about the data: not a reason to call it lost. */
		rp->error = *bd_err_self();
		rp->found_map = 0;
	} else {
		rp->io_failed = true;
		if (!rp->error.code)
			rp->error = *bd_err_self();
	}
	rp->attempt++;
	rp->arrived = true;
	run(rp);
}

/* The way of an attempt; false: not worth trying. */
static bool choose_way(struct repair *rp)
{
	struct bd_read_piece *piece = rp->piece;

	rp->wr.way = (piece->way + rp->attempt) % bd_ways(piece->chunk);
	if (rp->attempt == 0 && rp->skip_first && !rp->todo)
		return false;
	/* Nothing could tell an old copy of unverified data. */
	return piece->csums ||
	       bd_way_is_fresh(piece->chunk, rp->wr.logical, rp->wr.len, rp->wr.way);
}

/* From the whole piece to its first bad sector, or to the next one. False: there is none. */
static bool next_sector(struct repair *rp)
{
	uint32_t sectorsize = super_of(rp)->sectorsize;
	uint32_t at;

	if (!rp->todo && (!rp->io_failed || rp->piece->len == sectorsize))
		return false;
	rp->todo = rp->bad & (rp->todo ? rp->todo & (rp->todo - 1) : ~0ULL);
	if (!rp->todo)
		return false;
	at = (uint32_t)__builtin_ctzll(rp->todo) * sectorsize;
	rp->wr.logical = rp->piece->logical + at;
	rp->wr.len = sectorsize;
	rp->wr.buf = rp->buf + at;
	rp->attempt = 0;
	return true;
}

/* Set up the next attempt. False: there is nothing left to try, or to get. */
static bool next_attempt(struct repair *rp)
{
	while (rp->bad && rp->error.code != -ENOMEM) {
		if (!unit(rp) || rp->attempt == bd_ways(rp->piece->chunk)) {
			if (!next_sector(rp))
				return false;
		} else if (choose_way(rp)) {
			return true;
		} else {
			rp->attempt++;
		}
	}
	return false;
}

/* A way may fail before any I/O, inside bd_way_read(): the loop goes on then, without recursion. */
static void run(struct repair *rp)
{
	if (rp->running)
		return;
	rp->running = true;
	while (next_attempt(rp)) {
		rp->arrived = false;
		bd_way_read(&rp->wr);
		if (!rp->arrived) {
			rp->running = false;
			return;
		}
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
	rp->buf = buf;
	rp->skip_first = rp->io_failed = io_error;
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
	run(rp);
}
