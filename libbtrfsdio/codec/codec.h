/* SPDX-License-Identifier: MIT */
/* codec/codec.h - zlib, lzo and zstd: bytes to bytes, bounded */
#ifndef BD_CODEC_CODEC_H
#define BD_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers as in the format; codec/ does not know disk/. */
enum bd_codec { BD_CODEC_ZLIB = 1, BD_CODEC_LZO = 2, BD_CODEC_ZSTD = 3 };

/*
 * Working memory for one thread at a time: decoders allocate their state once and keep it.
 * Free with bd_codec_ctx_free(); NULL is fine there.
 */
struct bd_codec_ctx;
int bd_codec_ctx_new(struct bd_codec_ctx **out);
void bd_codec_ctx_free(struct bd_codec_ctx *ctx);

/* One extent to decompress. The caller sets all but out_len. */
struct bd_codec_job {
	enum bd_codec codec;
	bool inlined; /* the extent is inline: its lzo stream ends with the item, unpadded */
	unsigned int sectorsize; /* of the filesystem, a power of two; lzo segments depend on it */
	const uint8_t *src; /* as stored: a zlib stream, a zstd frame or btrfs' segmented lzo, */
	size_t src_len;	    /* possibly padded with anything up to the sector end */
	uint8_t *dst;
	size_t dst_len; /* bytes wanted from the start of the decompressed extent */
	size_t out_len; /* how much the stream held of them */
};

/*
 * Decompress a btrfs extent.
 *
 * A stream that holds more than job->dst_len is cut there: that is not an error, and damage
 * behind the cut may go unnoticed. A sound stream that ends early leaves the rest of dst zero, as
 * the kernel does. Never reads beyond src_len or writes beyond dst_len; work is bounded by both (a
 * zip bomb costs no more than its dst_len). After a failure dst and out_len may hold anything;
 * the context stays usable.
 * Return: 0; -EUCLEAN the stream is damaged or either length above 128 MiB (reported); -ENOMEM.
 */
int bd_decompress(struct bd_codec_ctx *ctx, struct bd_codec_job *job);

#endif
