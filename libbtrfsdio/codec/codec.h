/* SPDX-License-Identifier: MIT */
/* codec/codec.h - zlib, lzo and zstd: bytes to bytes, bounded */
#ifndef BD_CODEC_CODEC_H
#define BD_CODEC_CODEC_H

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

/*
 * Decompress a btrfs extent.
 * @src, @src_len: the extent as stored: a zlib stream, a zstd frame or btrfs' segmented lzo,
 *                 possibly padded with anything up to the sector end
 * @dst, @dst_len: exactly the bytes wanted from the start of the decompressed extent
 * @sectorsize:    of the filesystem, checked: a power of two; lzo segments depend on it
 * @inlined:	   the extent is inline: its lzo stream then ends with the item, without padding
 *
 * A stream that holds more than @dst_len is cut there: that is not an error, and damage behind
 * the cut may go unnoticed. A sound stream that ends early leaves the rest of @dst zero, as the
 * kernel does: *out_len tells how much came. Never reads beyond @src_len or writes beyond
 * @dst_len; work is bounded by both (a zip bomb costs no more than its @dst_len). After a
 * failure @dst may hold anything and *out_len is untouched; the context stays usable.
 * Return: 0; -EUCLEAN the stream is damaged or either length above 128 MiB (reported); -ENOMEM.
 */
int bd_decompress(struct bd_codec_ctx *ctx, enum bd_codec codec, const void *src, size_t src_len,
		  void *dst, size_t dst_len, unsigned int sectorsize, int inlined, size_t *out_len);

#endif
