/* SPDX-License-Identifier: MIT */
/* tests/unit/sample.h - an image with files of every kind, and the bytes that they must have */
#ifndef BD_TESTS_SAMPLE_H
#define BD_TESTS_SAMPLE_H

#include "image_build.h"

enum sample_kind {
	SAMPLE_PLAIN, /* several extents, a size that is no multiple of anything */
	SAMPLE_HOLES, /* holes with and without items, preallocated, bookends, a hole at the end */
	SAMPLE_INLINE,
	SAMPLE_INLINE_ZIP,
	SAMPLE_EMPTY,
	SAMPLE_ZLIB,
	SAMPLE_LZO,
	SAMPLE_ZSTD,
	SAMPLE_SHORT_ZIP, /* a stream that ends early: the rest is zeros */
	SAMPLE_NOSUM,
	SAMPLE_FRAGMENTS, /* an extent for each sector, more of them than one segment holds */
	SAMPLE_FILES
};

struct sample_file {
	uint64_t ino;
	uint64_t size;
	uint8_t *bytes;
	uint64_t logical; /* of its first extent on disk */
};

struct sample {
	struct img *img;
	struct sample_file file[SAMPLE_FILES];
};

/* Finished: ready to be opened. */
struct sample *sample_new(const struct img_opts *opts);
void sample_free(struct sample *sample);

/* Bytes that a read of @len at @offset must return. */
static inline size_t sample_expect(const struct sample_file *file, uint64_t offset, size_t len)
{
	uint64_t left = offset < file->size ? file->size - offset : 0;

	return len < left ? len : left;
}

/* Read the range into a buffer that begins @skew bytes behind a page; true: all is right. */
bool sample_reads(struct bdio_file *file, const struct sample_file *want, uint64_t offset,
		  size_t len, unsigned int skew);

#endif
