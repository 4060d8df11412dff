/* SPDX-License-Identifier: MIT */
/* disk/chunk_item.h - decode and check a chunk item */
#ifndef BD_DISK_CHUNK_ITEM_H
#define BD_DISK_CHUNK_ITEM_H

#include <stddef.h>
#include "disk/super.h"
#include "disk/key.h"

struct bd_chunk_item_stripe {
	uint64_t devid;
	uint64_t physical;
	uint8_t dev_uuid[BD_UUID_SIZE];
};

struct bd_chunk_item {
	uint64_t logical, length, type, owner;
	uint32_t sector_size, io_align, io_width;
	uint16_t num_stripes, sub_stripes;
};

/*
 * Check the item at @data (@size bytes, key offset @logical) against everything that does not
 * need other items: size against num_stripes, stripe_len 64 KiB, length a multiple of the
 * sector size and no overflow of logical + length, type and at most one profile bit, the
 * number of stripes that the profile allows, sub_stripes.
 * @super gives sectorsize and the mixed-groups bit.
 * Return: 0 with *out written; -EUCLEAN (reported).
 */
int bd_chunk_item_decode(const void *data, size_t size, uint64_t logical,
			 const struct bd_super *super, struct bd_chunk_item *out);

/* Stripe @i of an item that bd_chunk_item_decode() accepted. */
void bd_chunk_item_stripe(const void *data, unsigned int i, struct bd_chunk_item_stripe *out);

/*
 * Step through a superblock's sys_chunk_array. *pos starts at 0.
 * Return: 1 with *out and the item's bytes in *data, *size; 0 at the end; -EUCLEAN (reported).
 */
int bd_sys_chunk_next(const struct bd_super *super, uint32_t *pos, struct bd_chunk_item *out,
		      const void **data, size_t *size);

#endif
