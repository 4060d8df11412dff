/* SPDX-License-Identifier: MIT */
/* codec/lzo1x.h - the LZO1X byte code: one segment of an lzo extent */
#ifndef BD_CODEC_LZO1X_H
#define BD_CODEC_LZO1X_H

#include <stddef.h>
#include <stdint.h>

enum bd_lzo1x_status {
	BD_LZO1X_END,	    /* the end marker came, and with it the end of @src */
	BD_LZO1X_FULL,	    /* @dst is full, the stream goes on */
	BD_LZO1X_TRUNCATED, /* @src ends before the end marker */
	BD_LZO1X_DISTANCE,  /* a match from before the start of @dst */
	BD_LZO1X_TRAILING,  /* bytes follow the end marker */
};

/*
 * Decode one stream. END and FULL mean that the first *@out_len bytes of @dst are right (all of
 * them with FULL); whatever the result, the rest of @dst may hold anything. Never reads outside
 * @src or writes outside @dst; time is linear in both. They must not overlap.
 */
enum bd_lzo1x_status bd_lzo1x_decompress(const uint8_t *src, size_t src_len, uint8_t *dst,
					 size_t dst_len, size_t *out_len);

#endif
