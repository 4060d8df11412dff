/* SPDX-License-Identifier: MIT */
/* dio/read_plan.c - from a file range to pieces */
#include "dio/piece.h"

#include <string.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"

static const struct bd_super *super_of(const struct bd_read *read)
{
	return &read->rd->inodes->vol->super;
}

void bd_read_bad(struct bd_read *read, uint64_t file_offset, uint64_t len, int code)
{
	uint64_t from = bd_max_u64(file_offset, read->offset);
	uint64_t to = bd_min_u64(file_offset + len, read->offset + read->len);

	if (from >= read->bad_at || from >= to)
		return;
	/* That a device is missing, say, is why; what the call returns is @code. */
	bd_err_self()->code = code;
	bd_err_at_inode(read->inode->tree.id, read->inode->ino);
	bd_err_at_file(from, to - from);
	read->bad_at = from;
	read->bad_code = code;
	if (!read->error)
		read->error = malloc(sizeof(*read->error));
	if (read->error)
		*read->error = *bd_err_self();
}

void bd_read_fill(struct bd_read *read, uint64_t file_offset, const void *src, uint64_t len)
{
	uint64_t skip = file_offset - read->offset;

	if (src)
		bd_count(&read->rd->counters->copied_bytes, len);
	for (unsigned int i = 0; i < read->iovcnt && len; i++) {
		const struct iovec *v = &read->iov[i];
		uint64_t n;

		if (skip >= v->iov_len) {
			skip -= v->iov_len;
			continue;
		}
		n = bd_min_u64(len, v->iov_len - skip);
		if (src) {
			memcpy((uint8_t *)v->iov_base + skip, src, n);
			src = (const uint8_t *)src + n;
		} else {
			memset((uint8_t *)v->iov_base + skip, 0, n);
		}
		len -= n;
		skip = 0;
	}
}

/* Where in the caller's vectors a file byte goes, and how much is contiguous there. */
static uint8_t *destination(const struct bd_read *read, uint64_t file_offset, uint64_t *room)
{
	uint64_t skip = file_offset - read->offset;
	unsigned int i = 0;

	while (skip >= read->iov[i].iov_len)
		skip -= read->iov[i++].iov_len;
	*room = read->iov[i].iov_len - skip;
	return (uint8_t *)read->iov[i].iov_base + skip;
}

static bool buffer_aligned(const struct bd_read *read, uint64_t file_offset, uint64_t *room,
			   uint8_t **buf)
{
	*buf = destination(read, file_offset, room);
	return bd_is_aligned((uintptr_t)*buf, BD_MIN_BLOCKSIZE);
}

/* A file's last bytes: up to here one copied I/O is cheaper than a direct one and another for the
 * tail. */
#define TAIL_COPY_MAX 65536u

/*
 * How much of [pos, pos + len) the next piece takes, rounded up to sectors. *direct: where it goes
 * straight into the caller's buffer; NULL: through a bounce buffer.
 */
static uint64_t piece_span(const struct bd_read *read, uint64_t pos, uint64_t len, uint8_t **direct)
{
	uint32_t sectorsize = super_of(read)->sectorsize;
	uint64_t head = bd_align_up(pos, sectorsize) - pos;
	uint64_t room, whole;
	uint8_t *buf;

	*direct = NULL;
	if (head) {
		/* A head sector alone, when what follows can go direct. */
		if (len > head + sectorsize && buffer_aligned(read, pos + head, &room, &buf))
			return sectorsize;
		return bd_align_up(len - bd_min_u64(len, head), sectorsize) + sectorsize;
	}
	if (!buffer_aligned(read, pos, &room, &buf))
		return bd_align_up(len, sectorsize);
	whole = bd_align_down(bd_min_u64(len, room), sectorsize);
	if (!whole || (whole < len && room >= len && len <= TAIL_COPY_MAX))
		return bd_align_up(len, sectorsize);
	*direct = buf;
	return whole;
}

static int use_bounce(struct bd_read_piece *piece, uint64_t pos, uint64_t len)
{
	struct bd_lspace *ls = &piece->read->rd->inodes->vol->ls;

	piece->want_off = (uint32_t)(pos - piece->file_offset);
	piece->want_len = (uint32_t)bd_min_u64(len, piece->len - piece->want_off);
	piece->bounce = bd_iobuf_get(&ls->bufs, piece->len);
	if (!piece->bounce)
		return BD_FAIL(-ENOMEM, PIECE_BOUNCE, "no memory for a bounce buffer");
	piece->buf = piece->bounce;
	return 0;
}

/* One piece of plain data at @pos; returns the bytes of the file that it deals with. */
static uint64_t plan_data(struct bd_read *read, const struct bd_extent *extent, uint64_t pos,
			  uint64_t len)
{
	uint64_t start = bd_align_down(pos, super_of(read)->sectorsize);
	uint64_t logical = extent->disk_bytenr + extent->offset + (start - extent->file_offset);
	struct bd_read_piece *piece = bd_piece_new(read);
	uint8_t *direct;
	uint64_t span;
	int err;

	if (!piece) {
		bd_read_bad(read, pos, len, -ENOMEM);
		return len;
	}
	span = piece_span(read, pos, len, &direct);
	piece->file_offset = start;
	err = bd_piece_place(piece, logical, (uint32_t)bd_min_u64(span, BD_PIECE_MAX));
	len = bd_min_u64(len, start + piece->len - pos);
	if (!err && !direct)
		err = use_bounce(piece, pos, len);
	if (err) {
		bd_read_bad(read, start, piece->len, err);
		bd_piece_free(piece);
		return len;
	}
	if (direct) {
		piece->buf = direct;
		piece->io.buf_index = read->buf_index;
	}
	read->pending++;
	bd_piece_submit(piece);
	return len;
}

static uint64_t plan_inline(struct bd_read *read, const struct bd_extent_seg *seg,
			    const struct bd_extent *extent, uint64_t pos, uint64_t len)
{
	const uint8_t *data = bd_extent_inline_data(seg, extent);
	uint64_t skip = pos - extent->file_offset, n = 0;

	if (extent->compression != BD_COMPRESS_NONE) {
		bd_unzip_inline(read, extent, data, pos, len);
		return len;
	}
	if (skip < extent->disk_num_bytes) {
		n = bd_min_u64(len, extent->disk_num_bytes - skip);
		bd_read_fill(read, pos, data + skip, n);
	}
	if (n < len)
		bd_read_fill(read, pos + n, NULL, len - n);
	return len;
}

static uint64_t plan_extent(struct bd_read *read, const struct bd_extent_seg *seg,
			    const struct bd_extent *extent, uint64_t pos, uint64_t len)
{
	if (extent->type == BD_FILE_EXTENT_INLINE)
		return plan_inline(read, seg, extent, pos, len);
	if (extent->type == BD_FILE_EXTENT_PREALLOC || !extent->disk_bytenr) {
		bd_read_fill(read, pos, NULL, len);
		return len;
	}
	if (extent->compression == BD_COMPRESS_NONE)
		return plan_data(read, extent, pos, len);
	bd_gather_start(read, extent, pos, len);
	return len;
}

/* Deal with the next stretch of the file at read->pos that the segment knows. */
static void plan_step(struct bd_read *read, const struct bd_extent_seg *seg)
{
	uint32_t sectorsize = super_of(read)->sectorsize;
	uint64_t pos = read->pos;
	uint64_t end = bd_min_u64(read->offset + read->len, seg->range.end);
	uint32_t i = bd_extent_seg_find(seg, pos, sectorsize);
	const struct bd_extent *extent = i < seg->n ? &seg->extents[i] : NULL;

	if (extent && extent->file_offset <= pos) {
		end = bd_min_u64(end, bd_extent_end(extent, sectorsize));
		read->pos += plan_extent(read, seg, extent, pos, end - pos);
		return;
	}
	if (extent)
		end = bd_min_u64(end, extent->file_offset);
	bd_read_fill(read, pos, NULL, end - pos);
	read->pos = end;
}

static void plan(struct bd_read *read)
{
	uint64_t end = read->offset + read->len;

	while (read->pos < end && read->pending < BD_READ_PIECES) {
		struct bd_extent_seg *seg;
		int err = bd_hint_seg(read->rd, read->inode, read->pos, &seg);

		if (err) {
			bd_read_bad(read, read->pos, end - read->pos, err);
			read->pos = end;
			return;
		}
		while (read->pos < bd_min_u64(end, seg->range.end) &&
		       read->pending < BD_READ_PIECES)
			plan_step(read, seg);
		bd_range_put(&seg->range);
	}
}

static void complete(struct bd_read *read)
{
	if (read->bad_at == UINT64_MAX)
		read->result = (ssize_t)read->len;
	else if (read->bad_at > read->offset)
		read->result = (ssize_t)(read->bad_at - read->offset);
	else
		read->result = read->bad_code;
	if (read->result > 0)
		bd_count(&read->rd->counters->user_bytes, (uint64_t)read->result);
	read->done(read);
}

/* Plan what fits; a piece that finishes meanwhile only counts down, so this never recurses. */
static void run(struct bd_read *read)
{
	if (read->planning)
		return;
	read->planning = true;
	plan(read);
	read->planning = false;
	if (!read->pending)
		complete(read);
}

void bd_read_put(struct bd_read *read)
{
	read->pending--;
	run(read);
}

void bd_read_start(struct bd_reader *rd, struct bd_read *read)
{
	read->rd = rd;
	read->pos = read->offset;
	read->bad_at = UINT64_MAX;
	read->bad_code = 0;
	read->error = NULL;
	read->pending = 0;
	read->planning = false;
	run(read);
}
