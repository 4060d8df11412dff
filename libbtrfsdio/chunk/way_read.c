/* SPDX-License-Identifier: MIT */
/* chunk/way_read.c - read a logical range by one way: direct pieces, or rebuilt from parity */
#include "chunk/lspace.h"

#include <string.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"

/* One device I/O. */
struct bd_way_part {
	struct bd_io io;
	struct bd_way_read *wr;
};

/* A piece of one data stripe that is rebuilt from parts first .. first + n - 1. */
struct bd_way_group {
	uint32_t offset; /* into the caller's buffer */
	uint32_t len;
	unsigned int first;
	unsigned int n;
	uint8_t *coef; /* n factors */
};

static bool is_rebuild(const struct bd_way_read *wr)
{
	return wr->chunk->raid->parity && wr->way > 0;
}

static void part_done(struct bd_io *io);

static void part_init(struct bd_way_read *wr, struct bd_way_part *part, void *buf)
{
	part->wr = wr;
	part->io = (struct bd_io){
		.op = BD_IO_READ,
		.buf = buf,
		.buf_index = -1,
		.done = part_done,
	};
}

static int plan_direct(struct bd_way_read *wr)
{
	for (uint32_t pos = 0; pos < wr->len;) {
		struct bd_way_part *part = &wr->parts[wr->num_parts++];
		uint32_t len = bd_way_span(wr->chunk, wr->logical + pos, wr->len - pos, wr->way);
		int err;

		part_init(wr, part, (uint8_t *)wr->buf + pos);
		err = bd_way_io(wr->chunk, wr->logical + pos, len, wr->way, &part->io);
		if (err)
			return err;
		pos += len;
	}
	return 0;
}

/* Read every column that has a factor into the scratch buffer, behind what is used of it. */
static int plan_group(struct bd_way_read *wr, struct bd_way_group *group,
		      const struct bd_full_stripe *at, const uint8_t *coef, size_t *used)
{
	group->first = wr->num_parts;
	for (unsigned int i = 0; i < bd_way_columns(wr->chunk); i++) {
		const struct bd_stripe *stripe = bd_chunk_column(wr->chunk, at->row, i);
		uint64_t physical = stripe->physical + at->row * BD_STRIPE_LEN + at->in_stripe;
		struct bd_way_part *part;
		int err;

		if (!coef[i])
			continue;
		part = &wr->parts[wr->num_parts++];
		part_init(wr, part, wr->scratch + *used);
		err = bd_member_io(stripe->member, physical, group->len, &part->io);
		if (err)
			return err;
		*used += group->len;
		group->coef[group->n++] = coef[i];
	}
	return 0;
}

static int plan_rebuild(struct bd_way_read *wr)
{
	size_t used = 0;

	for (uint32_t pos = 0; pos < wr->len; pos += wr->groups[wr->num_groups - 1].len) {
		struct bd_way_group *group = &wr->groups[wr->num_groups++];
		struct bd_full_stripe at;
		uint8_t all[BD_RAID6_MAX_DATA + 2];
		int err;

		bd_chunk_full_stripe(wr->chunk, wr->logical + pos, &at);
		group->offset = pos;
		group->len = (uint32_t)bd_min_u64(wr->len - pos, BD_STRIPE_LEN - at.in_stripe);
		if (!bd_way_solve(wr->chunk, &at, wr->way, all))
			return BD_FAIL(-ENXIO, WAY_UNSOLVABLE,
				       "too many devices are missing to rebuild from parity");
		err = plan_group(wr, group, &at, all, &used);
		if (err)
			return err;
	}
	return 0;
}

static unsigned int max_pieces(const struct bd_way_read *wr)
{
	unsigned int unit = BD_STRIPE_LEN;

	for (unsigned int i = 0; i < wr->chunk->num_stripes; i++) {
		const struct bd_dev *dev = wr->chunk->stripes[i].member->dev;

		if (dev && dev->max_io < unit)
			unit = dev->max_io;
	}
	/* Begins and ends in the middle of a stripe, and somewhere a device was cut short. */
	return (wr->len / BD_STRIPE_LEN + 2) * ((BD_STRIPE_LEN + unit - 1) / unit) + 1;
}

static void way_free(struct bd_way_read *wr)
{
	bd_iobuf_put(&wr->ls->bufs, wr->scratch, wr->scratch_size);
	free(wr->groups);
	free(wr->parts);
	wr->scratch = NULL;
	wr->groups = NULL;
	wr->parts = NULL;
}

static int way_alloc(struct bd_way_read *wr, bool rebuild)
{
	unsigned int pieces = max_pieces(wr), cols = rebuild ? bd_way_columns(wr->chunk) : 1;
	uint8_t *coef;

	if (rebuild && wr->chunk->data_stripes > BD_RAID6_MAX_DATA)
		return BD_FAIL(-EOPNOTSUPP, WAY_WIDE, "a full stripe of %u devices",
			       wr->chunk->num_stripes);
	wr->parts = bd_calloc((size_t)pieces * cols, sizeof(*wr->parts));
	if (!wr->parts)
		goto nomem;
	if (!rebuild)
		return 0;
	wr->groups = bd_calloc(pieces, sizeof(*wr->groups) + cols);
	wr->scratch_size = (size_t)cols * wr->len;
	wr->scratch = bd_iobuf_get(&wr->ls->bufs, wr->scratch_size);
	if (!wr->groups || !wr->scratch)
		goto nomem;
	coef = (uint8_t *)(wr->groups + pieces);
	for (unsigned int i = 0; i < pieces; i++)
		wr->groups[i].coef = coef + (size_t)i * cols;
	return 0;
nomem:
	return BD_FAIL(-ENOMEM, WAY_NOMEM, "no memory to read a range of %u bytes", wr->len);
}

static int rebuild_groups(struct bd_way_read *wr)
{
	const uint8_t *src[BD_RAID6_MAX_DATA + 2];

	for (unsigned int g = 0; g < wr->num_groups; g++) {
		const struct bd_way_group *group = &wr->groups[g];
		int err;

		for (unsigned int i = 0; i < group->n; i++)
			src[i] = wr->parts[group->first + i].io.buf;
		err = bd_raid_combine(group->n, group->coef, src, group->len,
				      (uint8_t *)wr->buf + group->offset);
		if (err)
			return err;
		bd_count(&wr->ls->parity_rebuilds, 1);
	}
	return 0;
}

static void way_finish(struct bd_way_read *wr, int res)
{
	if (!res)
		res = rebuild_groups(wr);
	wr->res = res;
	way_free(wr);
	wr->done(wr);
}

static int io_failed(const struct bd_way_read *wr, const struct bd_io *io, int res)
{
	int err = BD_FAIL(-EIO, WAY_IO, "read error %d on %s", -res, io->dev->name);

	bd_count(&wr->ls->read_errors, 1);
	bd_err_at_way(wr->chunk, wr->logical, wr->len, wr->way);
	return err;
}

static void part_done(struct bd_io *io)
{
	struct bd_way_part *part = (struct bd_way_part *)io;
	struct bd_way_read *wr = part->wr;
	struct bd_way_part *none = NULL;

	if (io->res)
		atomic_compare_exchange_strong(&wr->failed, &none, part);
	if (atomic_fetch_sub(&wr->pending, 1) > 1)
		return;
	/* Reported only now: other reads' failures share this thread's record meanwhile. */
	if (wr->failed)
		way_finish(wr, io_failed(wr, &wr->failed->io, wr->failed->io.res));
	else
		way_finish(wr, 0);
}

void bd_way_read(struct bd_way_read *wr)
{
	bool rebuild = is_rebuild(wr);
	unsigned int n;
	int err;

	wr->failed = NULL;
	wr->parts = NULL;
	wr->groups = NULL;
	wr->scratch = NULL;
	wr->scratch_size = 0;
	wr->num_parts = 0;
	wr->num_groups = 0;
	err = way_alloc(wr, rebuild);
	if (!err)
		err = rebuild ? plan_rebuild(wr) : plan_direct(wr);
	if (err) {
		way_finish(wr, err);
		return;
	}
	/* The last completion frees *wr: nothing of it may be looked at behind the loop. */
	n = wr->num_parts;
	wr->pending = n;
	for (unsigned int i = 0; i < n; i++) {
		struct bd_way_part *part = &wr->parts[i];

		bd_dev_submit(wr->ring, &part->io);
	}
}

static void sync_done(struct bd_way_read *wr)
{
	*(bool *)wr->priv = true;
}

/* Rare: a block that crosses stripes, or a rebuild. So the ring is made for it alone. */
static int read_parts_sync(struct bd_way_read *wr, bool *done)
{
	int err = bd_lspace_ring_new(wr->ls, &wr->ring);

	if (err)
		return err;
	wr->done = sync_done;
	wr->priv = done;
	bd_way_read(wr);
	while (!*done)
		bd_ring_drive(wr->ring, true, 0);
	bd_lspace_ring_free(wr->ls, wr->ring);
	return wr->res;
}

/* The usual case of a tree block: one device I/O, for which a plain pread() is cheapest. */
static int read_span_sync(struct bd_way_read *wr)
{
	struct bd_io io;
	int err = bd_way_io(wr->chunk, wr->logical, wr->len, wr->way, &io);

	if (err)
		return err;
	err = bd_dev_read(io.dev, wr->buf, io.len, io.offset);
	bd_count(&wr->ls->syscalls, 1);
	return err ? io_failed(wr, &io, err) : 0;
}

int bd_way_read_sync(struct bd_lspace *ls, const struct bd_chunk *chunk, uint64_t logical,
		     uint32_t len, unsigned int way, void *buf)
{
	struct bd_way_read wr = {
		.ls = ls,
		.chunk = chunk,
		.logical = logical,
		.len = len,
		.way = way,
		.buf = buf,
	};
	bool done = false;

	if (!is_rebuild(&wr) && bd_way_span(chunk, logical, len, way) == len)
		return read_span_sync(&wr);
	return read_parts_sync(&wr, &done);
}
