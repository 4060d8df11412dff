/* SPDX-License-Identifier: MIT */
/* dio/unzip.c - compressed extents: gather the whole extent, verify, decompress, copy */
#include "dio/piece.h"

#include <string.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"

/*
 * Linux never makes a compressed extent larger than this, on disk or decompressed, and does
 * not read one that is.
 */
#define ZIP_MAX (128u << 10)

static struct bd_codec_ctx *codec_of(struct bd_reader *rd)
{
	if (!rd->codec && bd_codec_ctx_new(&rd->codec))
		return NULL;
	return rd->codec;
}

/* Decompress enough for [skip, skip + len) of the extent and copy that part to the caller. */
static int unzip(struct bd_read *read, const struct bd_extent *extent, const void *src,
		 uint64_t skip, uint64_t file_offset, uint64_t len)
{
	struct bd_volume *vol = read->rd->inodes->vol;
	struct bd_codec_ctx *codec = codec_of(read->rd);
	size_t size = skip + len;
	uint8_t *plain = codec ? bd_iobuf_get(&vol->ls.bufs, size) : NULL;
	struct bd_codec_job job = {
		.codec = (enum bd_codec)extent->compression,
		.inlined = extent->type == BD_FILE_EXTENT_INLINE,
		.sectorsize = vol->super.sectorsize,
		.src = src,
		.src_len = extent->disk_num_bytes,
		.dst = plain,
		.dst_len = size,
	};
	int err;

	if (!plain)
		return BD_FAIL(-ENOMEM, UNZIP_NOMEM, "no memory to decompress an extent");
	err = bd_decompress(codec, &job);
	if (!err)
		bd_read_fill(read, file_offset, plain + skip, len);
	bd_iobuf_put(&vol->ls.bufs, plain, size);
	return err;
}

void bd_unzip_inline(struct bd_read *read, const struct bd_extent *extent, const void *data,
		     uint64_t file_offset, uint64_t len)
{
	uint64_t skip = file_offset - extent->file_offset;
	uint64_t n = skip < extent->ram_bytes ? bd_min_u64(len, extent->ram_bytes - skip) : 0;
	int err = n ? unzip(read, extent, data, skip, file_offset, n) : 0;

	if (err)
		bd_read_bad(read, file_offset, len, err);
	else if (n < len)
		bd_read_fill(read, file_offset + n, NULL, len - n);
}

static void gather_finish(struct bd_gather *gather)
{
	struct bd_read *read = gather->read;
	const struct bd_extent *extent = &gather->extent;

	if (!gather->bad) {
		uint64_t skip = extent->offset + (gather->file_offset - extent->file_offset);
		int err = unzip(read, extent, gather->buf, skip, gather->file_offset, gather->len);

		if (err) {
			bd_err_at_logical(extent->disk_bytenr, extent->disk_num_bytes);
			/* Nothing of a damaged stream can be had: all that refers to it is lost. */
			bd_read_bad(read, extent->file_offset, extent->length, err);
		}
	}
	bd_iobuf_put(&read->rd->inodes->vol->ls.bufs, gather->buf, extent->disk_num_bytes);
	free(gather);
	bd_read_put(read);
}

void bd_gather_piece_done(struct bd_gather *gather, bool bad)
{
	if (bad) {
		gather->bad = true;
		bd_read_bad(gather->read, gather->extent.file_offset, gather->extent.length,
			    bd_lost_code());
	}
	if (--gather->pending == 0)
		gather_finish(gather);
}

static int gather_plan(struct bd_gather *gather)
{
	const struct bd_extent *extent = &gather->extent;

	while (gather->planned < extent->disk_num_bytes) {
		struct bd_read_piece *piece = bd_piece_new(gather->read);
		int err;

		if (!piece)
			return -ENOMEM;
		err = bd_piece_place(piece, extent->disk_bytenr + gather->planned,
				     (uint32_t)extent->disk_num_bytes - gather->planned);
		if (err) {
			bd_piece_free(piece);
			return err;
		}
		piece->gather = gather;
		piece->file_offset = extent->file_offset;
		piece->buf = gather->buf + gather->planned;
		gather->planned += piece->len;
		gather->pending++;
		bd_piece_submit(piece);
	}
	return 0;
}

void bd_gather_start(struct bd_read *read, const struct bd_extent *extent, uint64_t file_offset,
		     uint64_t len)
{
	struct bd_gather *gather = NULL;
	int err;

	if (extent->disk_num_bytes > ZIP_MAX || extent->ram_bytes > ZIP_MAX) {
		err = BD_FAIL(-EUCLEAN, ZIP_TOO_LARGE,
			      "corrupt file: compressed extent at %llu, %llu bytes of %llu",
			      (unsigned long long)extent->disk_bytenr,
			      (unsigned long long)extent->disk_num_bytes,
			      (unsigned long long)extent->ram_bytes);
		goto fail;
	}
	gather = bd_zalloc(sizeof(*gather));
	if (gather)
		gather->buf = bd_iobuf_get(&read->rd->inodes->vol->ls.bufs, extent->disk_num_bytes);
	if (!gather || !gather->buf) {
		err = BD_FAIL(-ENOMEM, GATHER_NEW, "no memory for a compressed extent");
		goto fail;
	}
	gather->read = read;
	gather->extent = *extent;
	gather->file_offset = file_offset;
	gather->len = (uint32_t)len;
	gather->pending = 1; /* the planning */
	read->pending++;
	err = gather_plan(gather);
	if (err) {
		gather->bad = true;
		bd_read_bad(read, extent->file_offset, extent->length, err);
	}
	bd_gather_piece_done(gather, false);
	return;
fail:
	free(gather);
	bd_read_bad(read, file_offset, len, err);
}
