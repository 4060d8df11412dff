/* SPDX-License-Identifier: MIT */
/* disk/item_check.h - item by item validation of a leaf */
#ifndef BD_DISK_ITEM_CHECK_H
#define BD_DISK_ITEM_CHECK_H

#include <stddef.h>
#include "disk/key.h"
#include "disk/super.h"

struct bd_item_ctx {
	const struct bd_super *super;
	uint64_t leaf;	/* logical address of the leaf, for messages */
	uint64_t owner; /* its header's owner: (root) trees have different rules */
	unsigned int slot;
	const struct bd_key *prev_key; /* key of the item before; NULL for slot 0 */
	const void *prev_data;	       /* its data, for overlap checks of neighbours */
	uint32_t prev_size;
};

/*
 * Check one item by its type. What is promised afterwards, so that readers need no bounds
 * checks of their own:
 *
 * INODE_ITEM: 160 bytes, a valid mode.
 * INODE_REF, INODE_EXTREF: whole names of 1..255 bytes.
 * DIR_ITEM, DIR_INDEX, XATTR_ITEM: whole entries, names of 1..255 bytes, known type; XATTR_ITEM
 *	and no other has data; DIR_INDEX holds one entry, of the others each name has the hash in
 *	the key; an entry's location is an INODE_ITEM with offset 0 or a subvolume's ROOT_ITEM.
 * EXTENT_DATA: known type and compression, no encryption. Inline: file offset 0, at least one
 *	byte, 1 <= ram_bytes <= one sector, uncompressed: ram_bytes are there. Others: 53 bytes,
 *	aligned, num_bytes > 0, no end overflows, no overlap with the extent before in the leaf;
 *	unless a hole: disk_num_bytes > 0 and offset + num_bytes <= ram_bytes, uncompressed also
 *	<= disk_num_bytes. How large a compressed extent may be is not limited here.
 * EXTENT_CSUM: whole checksums, at least one, aligned, no overlap.
 * ROOT_ITEM: 239 or 439 bytes, level < 8, aligned bytenr. ROOT_REF, ROOT_BACKREF: the name fits.
 * CHUNK_ITEM: by bd_chunk_item_decode(). DEV_ITEM: 98 bytes, its devid is the key's.
 * DEV_EXTENT, BLOCK_GROUP_ITEM, FREE_SPACE_*, QGROUP_*: exact size, aligned ranges without
 *	overflow; a bitmap has a bit for each sector. UUID_*: whole ids.
 * EXTENT_ITEM, METADATA_ITEM: whole inline references of known types that fit the extent's kind,
 *	in order; the tree block info is there. *_REF: exact size.
 *
 * An item of any other type passes, whatever its size. Linux refuses all of this too; what it
 * reads, old kernels' leavings included, is accepted.
 *
 * Return: 0; -EUCLEAN (reported with leaf, slot and key).
 */
int bd_item_check(const struct bd_item_ctx *ctx, const struct bd_key *key, const void *data,
		  uint32_t size);

/* Bytes of an inline reference in an EXTENT_ITEM or METADATA_ITEM; 0 for an unknown type. */
unsigned int bd_inline_ref_size(uint8_t type);

/* Hash of an extent data reference: offset of its EXTENT_DATA_REF key, order of inline ones. */
uint64_t bd_data_ref_hash(const struct bd_disk_extent_data_ref *ref);

#endif
