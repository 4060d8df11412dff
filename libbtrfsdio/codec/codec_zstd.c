/* SPDX-License-Identifier: MIT */
/* codec/codec_zstd.c - extents that are one zstd frame */
#include "codec/codec_internal.h"
#include "base/err.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/*
 * The kernel refuses frames with a larger window, so there is no honest one, and the limit bounds
 * what the decoder allocates where it cannot decode in place.
 */
#define WINDOW_LOG_MAX 17

static const uint8_t frame_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};

static int zstd_begin(struct bd_codec_ctx *ctx)
{
	if (!ctx->zstd) {
		ctx->zstd = ZSTD_createDCtx();
		if (!ctx->zstd)
			return BD_FAIL(-ENOMEM, ZSTD_CTX_ALLOC, "no memory for a zstd decoder");
		ZSTD_DCtx_setParameter(ctx->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	}
	ZSTD_DCtx_reset(ctx->zstd, ZSTD_reset_session_only);
	return 0;
}

/*
 * The streaming interface serves every case: a frame that states its size and fits is decoded
 * straight into dst in one go, without a window; of any other it gives as much as dst holds. For
 * frames of old kernels, which state no size, it measured as fast as the one-shot interface.
 */
int bd_zstd_decompress(struct bd_codec_ctx *ctx, struct bd_codec_job *job)
{
	ZSTD_inBuffer in = {job->src, job->src_len, 0};
	ZSTD_outBuffer out = {job->dst, job->dst_len, 0};
	size_t left;
	int err;

	/* libzstd would skip skippable frames, and decode those of its versions before 1.0. */
	if (job->src_len < sizeof(frame_magic) || memcmp(job->src, frame_magic, 4) != 0)
		return BD_FAIL(-EUCLEAN, ZSTD_MAGIC, "corrupt zstd extent: no frame at its start");
	err = zstd_begin(ctx);
	if (err)
		return err;
	do {
		left = ZSTD_decompressStream(ctx->zstd, &out, &in);
		if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
			return BD_FAIL(-ENOMEM, ZSTD_WINDOW_ALLOC, "no memory for a zstd window");
		if (ZSTD_isError(left))
			return BD_FAIL(-EUCLEAN, ZSTD_DATA,
				       "corrupt zstd frame: byte %zu of %zu, %s", in.pos, in.size,
				       ZSTD_getErrorName(left));
	} while (left && out.pos < out.size && in.pos < in.size);
	if (left && out.pos < out.size)
		return BD_FAIL(-EUCLEAN, ZSTD_SHORT,
			       "corrupt zstd frame: %zu bytes, ends too early", in.size);
	job->out_len = out.pos;
	return 0;
}

void bd_zstd_free(struct bd_codec_ctx *ctx)
{
	ZSTD_freeDCtx(ctx->zstd);
}
