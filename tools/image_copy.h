/* SPDX-License-Identifier: MIT */
/* tools/image_copy.h - copy used ranges of devices into sparse files */
#ifndef BTRFSDIO_TOOLS_IMAGE_COPY_H
#define BTRFSDIO_TOOLS_IMAGE_COPY_H

#include "image_check.h"
#include "session.h"

enum image_kind {
	IMAGE_SUPER,
	IMAGE_METADATA,
	IMAGE_DATA,
	IMAGE_PARITY,
	IMAGE_KINDS,
};

struct image_device {
	uint64_t devid, size;
	uint64_t copied;		     /* bytes */
	const char *source_path, *dest_path; /* borrowed */
	int source, dest;
};

struct image {
	const struct session *session;
	uint64_t offset; /* of the filesystem in its sources */
	struct image_device *devices;
	size_t num_devices;
	uint64_t copied[IMAGE_KINDS]; /* bytes */
	uint64_t unreadable;	      /* bytes that are holes in the copy */
	bool verify;
	struct image_check check;
	/* Called for each piece that is copied although it is bad, or cannot be read at all. */
	void (*bad)(void *priv, const struct image_device *device, uint64_t physical,
		    uint64_t length, const char *problem);
	void *priv;
	const struct image_device *current; /* whose range is being copied */
};

/*
 * Copy everything. Superblocks come last: a copy that was not finished is no filesystem.
 * Return: 0 whatever was found bad; -errno, reported, when it could not go on.
 */
int image_copy(struct image *image);

#endif
