/* SPDX-License-Identifier: MIT */
/* fuzz/fuzz_codec.c - any bytes as a compressed extent, any wanted length */
#include "codec/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Buffers of exactly the size used, so that the sanitizer sees the first byte outside. */
struct attempt {
	enum bd_codec codec;
	unsigned int sectorsize;
	int inlined;
	const uint8_t *src;
	size_t src_len;
};

static int attempt(struct bd_codec_ctx *ctx, const struct attempt *a, uint8_t *dst, size_t want,
		   size_t *got)
{
	struct bd_codec_job job = {.codec = a->codec,
				   .inlined = a->inlined,
				   .sectorsize = a->sectorsize,
				   .src = a->src,
				   .src_len = a->src_len,
				   .dst = dst,
				   .dst_len = want};
	int err = bd_decompress(ctx, &job);

	*got = job.out_len;

	if (err && err != -EUCLEAN && err != -ENOMEM)
		abort();
	if (!err && *got > want)
		abort();
	for (size_t i = *got; !err && i < want; i++) {
		if (dst[i])
			abort();
	}
	return err;
}

/* Byte 0: codec, sector size, inline or not. Bytes 1..3: wanted length, up to 256 KiB. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bd_codec_ctx *ctx;
	size_t got = 0, got_less = 0;

	if (size < 4 || bd_codec_ctx_new(&ctx))
		return 0;

	size_t want = (data[1] | (size_t)data[2] << 8 | (size_t)data[3] << 16) & 0x3ffff;
	size_t less = want / 2;
	struct attempt a = {
		.codec = (enum bd_codec)(BD_CODEC_ZLIB + data[0] % 3),
		.sectorsize = 4096u << (data[0] >> 2) % 5,
		.inlined = data[0] >> 7,
		.src_len = size - 4,
	};
	uint8_t *src = malloc(size - 4), *all = malloc(want), *part = malloc(less);

	memcpy(src, data + 4, size - 4);
	a.src = src;
	/* Half of what can be had is the first half of it, from a context that has been used. */
	if (attempt(ctx, &a, all, want, &got) == 0 &&
	    attempt(ctx, &a, part, less, &got_less) == 0 &&
	    (memcmp(all, part, less) || (got > less ? less : got) != got_less))
		abort();
	free(src);
	free(all);
	free(part);
	bd_codec_ctx_free(ctx);
	return 0;
}
