/* SPDX-License-Identifier: MIT */
/* codec/codec_internal.h - one decompression, and what each codec keeps between two */
#ifndef BD_CODEC_CODEC_INTERNAL_H
#define BD_CODEC_CODEC_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each decoder is allocated by the first extent that needs it, as most threads meet one codec. */
struct bd_codec_ctx {
	struct libdeflate_decompressor *deflate;
	struct z_stream_s *inflate;
	struct ZSTD_DCtx_s *zstd;
};

struct bd_codec_job {
	const uint8_t *src;
	size_t src_len;
	uint8_t *dst;
	size_t dst_len; /* never 0 */
	unsigned int sectorsize;
	bool inlined;
	size_t out_len; /* decoded so far; what stands in dst behind it is of no account */
};

/* 0 with out_len <= dst_len; -EUCLEAN; -ENOMEM */
int bd_zlib_decompress(struct bd_codec_ctx *ctx, struct bd_codec_job *job);
int bd_lzo_decompress(struct bd_codec_job *job);
int bd_zstd_decompress(struct bd_codec_ctx *ctx, struct bd_codec_job *job);

void bd_zlib_free(struct bd_codec_ctx *ctx);
void bd_zstd_free(struct bd_codec_ctx *ctx);

#endif
