/* SPDX-License-Identifier: MIT */
/* tests/unit/image_priv.h - what the files of the image builder share */
#ifndef BD_TESTS_IMAGE_PRIV_H
#define BD_TESTS_IMAGE_PRIV_H

#include "image_build.h"

struct img_item {
	uint64_t tree;
	struct bd_key key;
	void *data;
	uint32_t size;
};

extern const uint8_t img_fsid[BD_FSID_SIZE];

/* Zeroed; aborts without memory. */
void *img_alloc(size_t size);
/* Onto every copy of a logical range. */
void img_write(struct img *img, uint64_t logical, const void *bytes, size_t size);
/* Stripe of a chunk that holds the byte @offset of it, and the byte inside of the stripe. */
unsigned int img_stripe_of(const struct img_chunk *chunk, uint64_t offset, unsigned int copy,
			   uint64_t *in_stripe);
void img_inode(struct img *img, uint64_t tree, uint64_t ino, uint32_t mode, uint64_t size,
	       uint64_t flags);

#endif
