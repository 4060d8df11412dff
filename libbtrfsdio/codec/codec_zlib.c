/* SPDX-License-Identifier: MIT */
/* codec/codec_zlib.c - extents that are a zlib stream */
#include "codec/codec_internal.h"
#include "base/err.h"
#include "base/mem.h"

#include <libdeflate.h>
#define ZLIB_CONST /* makes next_in a pointer to const */
#include <zlib.h>

static int inflate_begin(struct bd_codec_ctx *ctx)
{
	if (ctx->inflate) {
		inflateReset(ctx->inflate);
		return 0;
	}

	z_stream *strm = bd_zalloc(sizeof(*strm));

	if (!strm || inflateInit(strm) != Z_OK) {
		free(strm);
		return BD_FAIL(-ENOMEM, ZLIB_INFLATE_ALLOC, "no memory for a streaming inflater");
	}
	ctx->inflate = strm;
	return 0;
}

/*
 * Exactly as far as dst goes, however much the stream holds behind that. libdeflate cannot:
 * when the output does not fit it promises nothing about what it wrote, and a retry in a buffer
 * that is large enough for an honest stream would still guess what a hostile one holds.
 */
static int inflate_prefix(struct bd_codec_ctx *ctx, struct bd_codec_job *job)
{
	int err = inflate_begin(ctx);

	if (err)
		return err;

	z_stream *strm = ctx->inflate;

	strm->next_in = job->src;
	strm->avail_in = (uInt)job->src_len;
	strm->next_out = job->dst;
	strm->avail_out = (uInt)job->dst_len;

	int ret = inflate(strm, Z_FINISH);
	bool cut = (ret == Z_OK || ret == Z_BUF_ERROR) && strm->avail_out == 0;

	if (ret == Z_MEM_ERROR)
		return BD_FAIL(-ENOMEM, ZLIB_WINDOW_ALLOC, "no memory for an inflate window");
	if (ret != Z_STREAM_END && !cut)
		return BD_FAIL(-EUCLEAN, ZLIB_DATA, "corrupt zlib stream: byte %lu of %zu, %s",
			       strm->total_in, job->src_len,
			       strm->msg	    ? strm->msg
			       : ret == Z_NEED_DICT ? "needs a dictionary"
						    : "ends too early");
	job->out_len = job->dst_len - strm->avail_out;
	return 0;
}

/*
 * libdeflate is several times as fast as zlib. What it does not take as a whole, because the
 * stream holds more than is wanted or because it is damaged, goes to zlib, which is right
 * about the first case and can name the place of the second.
 */
int bd_zlib_decompress(struct bd_codec_ctx *ctx, struct bd_codec_job *job)
{
	if (!ctx->deflate)
		ctx->deflate = libdeflate_alloc_decompressor();
	if (!ctx->deflate)
		return BD_FAIL(-ENOMEM, ZLIB_DEFLATE_ALLOC, "no memory for a zlib decoder");
	if (libdeflate_zlib_decompress(ctx->deflate, job->src, job->src_len, job->dst, job->dst_len,
				       &job->out_len) == LIBDEFLATE_SUCCESS)
		return 0;
	return inflate_prefix(ctx, job);
}

void bd_zlib_free(struct bd_codec_ctx *ctx)
{
	libdeflate_free_decompressor(ctx->deflate);
	inflateEnd(ctx->inflate);
	free(ctx->inflate);
}
