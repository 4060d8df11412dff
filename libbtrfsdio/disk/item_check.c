/* SPDX-License-Identifier: MIT */
/* disk/item_check.c - the table of item types: size limits and checker */
#include "disk/item_check.h"

#include "disk/item_check_priv.h"

#define EXACT(type)	sizeof(type), sizeof(type)
#define MORE_THAN(type) sizeof(type) + 1, UINT32_MAX

static const struct item_rule {
	bool known;
	uint32_t min_size;
	uint32_t max_size;
	bd_item_checker *check; /* NULL: the size says all */
} rules[UINT8_MAX + 1] = {
	[0] = {true, 0, UINT32_MAX, bd_check_space_cache},
	[BD_KEY_INODE_ITEM] = {true, EXACT(struct bd_disk_inode_item), bd_check_inode_item},
	[BD_KEY_INODE_REF] = {true, MORE_THAN(struct bd_disk_inode_ref), bd_check_inode_ref},
	[BD_KEY_INODE_EXTREF] = {true, MORE_THAN(struct bd_disk_inode_extref),
				 bd_check_inode_extref},
	[BD_KEY_XATTR_ITEM] = {true, MORE_THAN(struct bd_disk_dir_item), bd_check_dir_entries},
	[BD_KEY_VERITY_DESC] = {true, 1, UINT32_MAX, bd_check_verity_desc},
	[BD_KEY_DIR_LOG_ITEM] = {true, EXACT(le64), NULL},
	[BD_KEY_DIR_LOG_INDEX] = {true, EXACT(le64), NULL},
	[BD_KEY_DIR_ITEM] = {true, MORE_THAN(struct bd_disk_dir_item), bd_check_dir_entries},
	[BD_KEY_DIR_INDEX] = {true, MORE_THAN(struct bd_disk_dir_item), bd_check_dir_entries},
	[BD_KEY_EXTENT_DATA] = {true, BD_FILE_EXTENT_INLINE_HDR + 1, UINT32_MAX,
				bd_check_file_extent},
	[BD_KEY_EXTENT_CSUM] = {true, 1, UINT32_MAX, bd_check_csums},
	[BD_KEY_ROOT_ITEM] = {true, BD_ROOT_ITEM_V0_SIZE, sizeof(struct bd_disk_root_item),
			      bd_check_root_item},
	[BD_KEY_ROOT_BACKREF] = {true, MORE_THAN(struct bd_disk_root_ref), bd_check_root_ref},
	[BD_KEY_ROOT_REF] = {true, MORE_THAN(struct bd_disk_root_ref), bd_check_root_ref},
	[BD_KEY_EXTENT_ITEM] = {true, sizeof(struct bd_disk_extent_item), UINT32_MAX,
				bd_check_extent_item},
	[BD_KEY_METADATA_ITEM] = {true, sizeof(struct bd_disk_extent_item), UINT32_MAX,
				  bd_check_extent_item},
	[BD_KEY_TREE_BLOCK_REF] = {true, 0, 0, bd_check_tree_ref},
	[BD_KEY_SHARED_BLOCK_REF] = {true, 0, 0, bd_check_tree_ref},
	[BD_KEY_EXTENT_DATA_REF] = {true, sizeof(struct bd_disk_extent_data_ref), UINT32_MAX,
				    bd_check_data_refs},
	[BD_KEY_SHARED_DATA_REF] = {true, EXACT(struct bd_disk_shared_data_ref),
				    bd_check_shared_data_ref},
	[BD_KEY_BLOCK_GROUP_ITEM] = {true, EXACT(struct bd_disk_block_group_item),
				     bd_check_block_group},
	[BD_KEY_FREE_SPACE_INFO] = {true, EXACT(struct bd_disk_free_space_info),
				    bd_check_free_space_info},
	[BD_KEY_FREE_SPACE_EXTENT] = {true, 0, 0, bd_check_free_space},
	[BD_KEY_FREE_SPACE_BITMAP] = {true, 1, BD_FREE_SPACE_BITMAP_SIZE,
				      bd_check_free_space_bitmap},
	[BD_KEY_DEV_EXTENT] = {true, EXACT(struct bd_disk_dev_extent), bd_check_dev_extent},
	[BD_KEY_DEV_ITEM] = {true, EXACT(struct bd_disk_dev_item), bd_check_dev_item},
	[BD_KEY_CHUNK_ITEM] = {true, MORE_THAN(struct bd_disk_chunk), bd_check_chunk},
	[BD_KEY_QGROUP_STATUS] = {true, BD_QGROUP_STATUS_OLD_SIZE,
				  sizeof(struct bd_disk_qgroup_status), bd_check_qgroup_status},
	[BD_KEY_QGROUP_INFO] = {true, EXACT(struct bd_disk_qgroup_info), NULL},
	[BD_KEY_QGROUP_LIMIT] = {true, EXACT(struct bd_disk_qgroup_limit), NULL},
	[BD_KEY_QGROUP_RELATION] = {true, 0, 0, NULL},
	[BD_KEY_UUID_SUBVOL] = {true, sizeof(le64), UINT32_MAX, bd_check_uuid},
	[BD_KEY_UUID_RECEIVED] = {true, sizeof(le64), UINT32_MAX, bd_check_uuid},
};

int bd_item_check(const struct bd_item_ctx *ctx, const struct bd_key *key, const void *data,
		  uint32_t size)
{
	const struct item_rule *rule = &rules[key->type];
	const struct bd_item it = {ctx, key, data, size};

	if (!rule->known)
		return 0;
	if (size < rule->min_size || size > rule->max_size)
		return ITEM_FAIL(&it, ITEM_SIZE, "invalid item size, %u", size);
	return rule->check ? rule->check(&it) : 0;
}
