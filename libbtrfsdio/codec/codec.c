/* SPDX-License-Identifier: MIT */
/* codec/codec.c - from the compression type of an extent to its decoder */
#include "codec/codec.h"
#include "codec/codec_internal.h"
#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* No file extent is larger. It also keeps every length inside zlib's 32-bit counters. */
#define EXTENT_MAX_LEN ((size_t)128 << 20)

int bd_codec_ctx_new(struct bd_codec_ctx **out)
{
	struct bd_codec_ctx *ctx = bd_zalloc(sizeof(*ctx));

	if (!ctx)
		return BD_FAIL(-ENOMEM, CODEC_CTX_ALLOC, "no memory for a decompression context");
	*out = ctx;
	return 0;
}

void bd_codec_ctx_free(struct bd_codec_ctx *ctx)
{
	if (!ctx)
		return;
	bd_zlib_free(ctx);
	bd_zstd_free(ctx);
	free(ctx);
}

static int decompress(struct bd_codec_ctx *ctx, struct bd_codec_job *job)
{
	switch (job->codec) {
	case BD_CODEC_ZLIB:
		return bd_zlib_decompress(ctx, job);
	case BD_CODEC_LZO:
		return bd_lzo_decompress(job);
	case BD_CODEC_ZSTD:
		return bd_zstd_decompress(ctx, job);
	}
	return BD_FAIL(-EUCLEAN, CODEC_UNKNOWN, "corrupt extent: unknown compression type %u",
		       (unsigned int)job->codec);
}

int bd_decompress(struct bd_codec_ctx *ctx, struct bd_codec_job *job)
{
	int err;

	assert(bd_is_pow2(job->sectorsize));
	job->out_len = 0;
	if (job->src_len > EXTENT_MAX_LEN || job->dst_len > EXTENT_MAX_LEN)
		return BD_FAIL(-EUCLEAN, CODEC_LENGTH,
			       "corrupt extent: too long to be compressed, %zu bytes for %zu",
			       job->src_len, job->dst_len);
	if (!job->dst_len)
		return 0;
	err = decompress(ctx, job);
	if (!err)
		memset(job->dst + job->out_len, 0, job->dst_len - job->out_len);
	return err;
}
