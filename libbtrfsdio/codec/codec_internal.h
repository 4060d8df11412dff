/* SPDX-License-Identifier: MIT */
/* codec/codec_internal.h - what each codec keeps between two extents */
#ifndef BD_CODEC_CODEC_INTERNAL_H
#define BD_CODEC_CODEC_INTERNAL_H

#include "codec/codec.h"

/* Each decoder is allocated by the first extent that needs it, as most threads meet one codec. */
struct bd_codec_ctx {
	struct libdeflate_decompressor *deflate;
	struct z_stream_s *inflate;
	struct ZSTD_DCtx_s *zstd;
};

/* job->dst_len is not 0. 0 with out_len <= dst_len, what stands behind it in dst is of no account;
 * -EUCLEAN; -ENOMEM */
int bd_zlib_decompress(struct bd_codec_ctx *ctx, struct bd_codec_job *job);
int bd_lzo_decompress(struct bd_codec_job *job);
int bd_zstd_decompress(struct bd_codec_ctx *ctx, struct bd_codec_job *job);

void bd_zlib_free(struct bd_codec_ctx *ctx);
void bd_zstd_free(struct bd_codec_ctx *ctx);

#endif
