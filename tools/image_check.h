/* SPDX-License-Identifier: MIT */
/* tools/image_check.h - verify raw bytes of a device by what they are */
#ifndef BTRFSDIO_TOOLS_IMAGE_CHECK_H
#define BTRFSDIO_TOOLS_IMAGE_CHECK_H

#include "btrfsdio/btrfsdio.h"

struct image_check {
	struct bdio_fs *fs;
	const struct bdio_fs_info *info;
	uint64_t verified, unverified; /* bytes */
	/* Called for each piece whose checksum or address is wrong. */
	void (*bad)(void *priv, uint64_t physical, uint64_t length, const char *problem);
	void *priv;
};

/*
 * Verify the @len bytes that a part of @range holds, @skip bytes into it. Both are multiples of
 * the node size, but for the end of the range. Parity and data without checksums are counted as
 * unverified. Return: 0 whatever was found; errors of reading the checksum tree.
 */
int image_check(struct image_check *check, const struct bdio_used *range, uint64_t skip,
		const void *buf, size_t len);

#endif
