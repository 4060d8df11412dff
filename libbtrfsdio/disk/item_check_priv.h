/* SPDX-License-Identifier: MIT */
/* disk/item_check_priv.h - the checkers by subject, behind the table of item_check.c */
#ifndef BD_DISK_ITEM_CHECK_PRIV_H
#define BD_DISK_ITEM_CHECK_PRIV_H

#include <inttypes.h>
#include "base/err.h"
#include "base/math.h"
#include "disk/item_check.h"
#include "disk/print.h"

/* An item under check; its size lies within the table's limits for the type. */
struct bd_item {
	const struct bd_item_ctx *ctx;
	const struct bd_key *key;
	const void *data;
	uint32_t size;
};

/* Report a bad item: where it is, then the reason and the value, "fmt", ... */
#define ITEM_FAIL(it, SITE, fmt, ...)                                                 \
	BD_FAIL(-EUCLEAN, SITE, "corrupt leaf: logical %" PRIu64 " slot %u %s, " fmt, \
		(it)->ctx->leaf, (it)->ctx->slot,                                     \
		bd_key_text((it)->key, (char[BD_KEY_TEXT_MAX]){0}), ##__VA_ARGS__)

/* With a log tree the superblock is one transaction behind what is written. */
static inline bool bd_item_future(const struct bd_item *it, uint64_t generation)
{
	return generation > it->ctx->super->generation + 1;
}

/* Return: 0; -EUCLEAN (reported) */
typedef int bd_item_checker(const struct bd_item *it);

/* item_check_inode.c */
bd_item_checker bd_check_inode_item;
bd_item_checker bd_check_inode_ref;
bd_item_checker bd_check_inode_extref;
bd_item_checker bd_check_verity_desc;
/* An inode's items follow its INODE_ITEM: the item before belongs to the same inode. */
bd_item_checker bd_check_same_inode;

/* item_check_dir.c */
bd_item_checker bd_check_dir_entries;

/* item_check_data.c */
bd_item_checker bd_check_file_extent;
bd_item_checker bd_check_csums;

/* item_check_root.c */
bd_item_checker bd_check_root_item;
bd_item_checker bd_check_root_ref;
bd_item_checker bd_check_uuid;

/* item_check_extent.c */
bd_item_checker bd_check_extent_item;
bd_item_checker bd_check_tree_ref;
bd_item_checker bd_check_data_refs;
bd_item_checker bd_check_shared_data_ref;

/* item_check_space.c */
bd_item_checker bd_check_block_group;
bd_item_checker bd_check_free_space;
bd_item_checker bd_check_free_space_info;
bd_item_checker bd_check_free_space_bitmap;
bd_item_checker bd_check_space_cache;

/* item_check_device.c */
bd_item_checker bd_check_chunk;
bd_item_checker bd_check_dev_item;
bd_item_checker bd_check_dev_extent;
bd_item_checker bd_check_qgroup_status;

#endif
