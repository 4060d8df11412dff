/* SPDX-License-Identifier: MIT */
/* disk/node_check.h - is this block the tree block that the parent meant, and is it sound? */
#ifndef BD_DISK_NODE_CHECK_H
#define BD_DISK_NODE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include "disk/key.h"
#include "disk/super.h"

/* What the pointer to a block promises about it. */
struct bd_node_expect {
	uint64_t logical;
	uint64_t generation; /* 0: any */
	uint64_t owner;	     /* tree objectid; 0: any */
	uint8_t level;	     /* UINT8_MAX: any (a root whose item does not say) */
	bool has_first_key;
	struct bd_key first_key;
};

/*
 * Header against the superblock and the promise: checksum, address, fsid (metadata_uuid or a
 * seed's), level, generation, owner (a subvolume tree accepts any subvolume id, 5 or >= 256,
 * because snapshots share blocks; tree-reloc and data-reloc blocks may appear under subvolumes),
 * first key. On a checksum failure both checksums go to the error record.
 *
 * Return: 0; -EIO wrong checksum; -EUCLEAN right checksum, wrong block. Both reported.
 */
int bd_node_check_header(const void *block, const struct bd_super *super,
			 const struct bd_node_expect *want);

/*
 * Only what the pointer promises: level, generation, owner, first key. For a block that already
 * passed bd_node_check_header() and is now reached through another pointer.
 * Return: 0; -EUCLEAN (reported).
 */
int bd_node_check_promise(const void *block, const struct bd_node_expect *want);

/*
 * Everything inside a block whose header is good: number of items, item bounds and order,
 * no overlap, key pointers aligned and non-zero; in a leaf each item by bd_item_check().
 * After this returns 0 readers may use item offsets, sizes and the checked contents without
 * further bounds checks, as far as disk/item_check.h promises.
 *
 * Return: 0; -EUCLEAN (reported).
 */
int bd_node_check_body(const void *block, const struct bd_super *super);

static inline const struct bd_disk_header *bd_node_header(const void *block)
{
	return block;
}

static inline uint32_t bd_node_nritems(const void *block)
{
	return bd_le32(bd_node_header(block)->nritems);
}

static inline const struct bd_disk_item *bd_leaf_item(const void *block, unsigned int slot)
{
	return (const struct bd_disk_item *)((const uint8_t *)block +
					     sizeof(struct bd_disk_header)) +
	       slot;
}

static inline const void *bd_leaf_data(const void *block, unsigned int slot, uint32_t *size)
{
	const struct bd_disk_item *item = bd_leaf_item(block, slot);

	*size = bd_le32(item->size);
	return (const uint8_t *)block + sizeof(struct bd_disk_header) + bd_le32(item->offset);
}

static inline const struct bd_disk_key_ptr *bd_node_ptr(const void *block, unsigned int slot)
{
	return (const struct bd_disk_key_ptr *)((const uint8_t *)block +
						sizeof(struct bd_disk_header)) +
	       slot;
}

/* Key of slot @slot of a leaf or node. */
static inline struct bd_key bd_node_key(const void *block, unsigned int slot)
{
	if (bd_node_header(block)->level == 0)
		return bd_key_decode(&bd_leaf_item(block, slot)->key);
	return bd_key_decode(&bd_node_ptr(block, slot)->key);
}

#endif
