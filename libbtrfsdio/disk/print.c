/* SPDX-License-Identifier: MIT */
/* disk/print.c - names of keys, trees and flags */
#include "disk/print.h"

#include <stdio.h>
#include "disk/print_priv.h"

static const char *const type_names[UINT8_MAX + 1] = {
	[BD_KEY_INODE_ITEM] = "INODE_ITEM",
	[BD_KEY_INODE_REF] = "INODE_REF",
	[BD_KEY_INODE_EXTREF] = "INODE_EXTREF",
	[BD_KEY_XATTR_ITEM] = "XATTR_ITEM",
	[BD_KEY_VERITY_DESC] = "VERITY_DESC",
	[BD_KEY_VERITY_MERKLE] = "VERITY_MERKLE",
	[BD_KEY_ORPHAN_ITEM] = "ORPHAN_ITEM",
	[BD_KEY_DIR_LOG_ITEM] = "DIR_LOG_ITEM",
	[BD_KEY_DIR_LOG_INDEX] = "DIR_LOG_INDEX",
	[BD_KEY_DIR_ITEM] = "DIR_ITEM",
	[BD_KEY_DIR_INDEX] = "DIR_INDEX",
	[BD_KEY_EXTENT_DATA] = "EXTENT_DATA",
	[BD_KEY_EXTENT_CSUM] = "EXTENT_CSUM",
	[BD_KEY_ROOT_ITEM] = "ROOT_ITEM",
	[BD_KEY_ROOT_BACKREF] = "ROOT_BACKREF",
	[BD_KEY_ROOT_REF] = "ROOT_REF",
	[BD_KEY_EXTENT_ITEM] = "EXTENT_ITEM",
	[BD_KEY_METADATA_ITEM] = "METADATA_ITEM",
	[BD_KEY_EXTENT_OWNER_REF] = "EXTENT_OWNER_REF",
	[BD_KEY_TREE_BLOCK_REF] = "TREE_BLOCK_REF",
	[BD_KEY_EXTENT_DATA_REF] = "EXTENT_DATA_REF",
	[BD_KEY_EXTENT_REF_V0] = "EXTENT_REF_V0",
	[BD_KEY_SHARED_BLOCK_REF] = "SHARED_BLOCK_REF",
	[BD_KEY_SHARED_DATA_REF] = "SHARED_DATA_REF",
	[BD_KEY_BLOCK_GROUP_ITEM] = "BLOCK_GROUP_ITEM",
	[BD_KEY_FREE_SPACE_INFO] = "FREE_SPACE_INFO",
	[BD_KEY_FREE_SPACE_EXTENT] = "FREE_SPACE_EXTENT",
	[BD_KEY_FREE_SPACE_BITMAP] = "FREE_SPACE_BITMAP",
	[BD_KEY_DEV_EXTENT] = "DEV_EXTENT",
	[BD_KEY_DEV_ITEM] = "DEV_ITEM",
	[BD_KEY_CHUNK_ITEM] = "CHUNK_ITEM",
	[BD_KEY_RAID_STRIPE] = "RAID_STRIPE",
	[BD_KEY_QGROUP_STATUS] = "QGROUP_STATUS",
	[BD_KEY_QGROUP_INFO] = "QGROUP_INFO",
	[BD_KEY_QGROUP_LIMIT] = "QGROUP_LIMIT",
	[BD_KEY_QGROUP_RELATION] = "QGROUP_RELATION",
	[BD_KEY_TEMPORARY_ITEM] = "TEMPORARY_ITEM",
	[BD_KEY_PERSISTENT_ITEM] = "PERSISTENT_ITEM",
	[BD_KEY_DEV_REPLACE] = "DEV_REPLACE",
	[BD_KEY_UUID_SUBVOL] = "UUID_SUBVOL",
	[BD_KEY_UUID_RECEIVED] = "UUID_RECEIVED",
	[BD_KEY_STRING_ITEM] = "STRING_ITEM",
};

static const struct objectid_name {
	uint64_t objectid;
	const char *name;
} objectid_names[] = {
	{BD_OBJ_ROOT_TREE, "ROOT_TREE"},
	{BD_OBJ_EXTENT_TREE, "EXTENT_TREE"},
	{BD_OBJ_CHUNK_TREE, "CHUNK_TREE"},
	{BD_OBJ_DEV_TREE, "DEV_TREE"},
	{BD_OBJ_FS_TREE, "FS_TREE"},
	{BD_OBJ_ROOT_TREE_DIR, "ROOT_TREE_DIR"},
	{BD_OBJ_CSUM_TREE, "CSUM_TREE"},
	{BD_OBJ_QUOTA_TREE, "QUOTA_TREE"},
	{BD_OBJ_UUID_TREE, "UUID_TREE"},
	{BD_OBJ_FREE_SPACE_TREE, "FREE_SPACE_TREE"},
	{BD_OBJ_BLOCK_GROUP_TREE, "BLOCK_GROUP_TREE"},
	{BD_OBJ_RAID_STRIPE_TREE, "RAID_STRIPE_TREE"},
	{BD_OBJ_REMAP_TREE, "REMAP_TREE"},
	{BD_OBJ_BALANCE, "BALANCE"},
	{BD_OBJ_ORPHAN, "ORPHAN"},
	{BD_OBJ_TREE_LOG, "TREE_LOG"},
	{BD_OBJ_TREE_LOG_FIXUP, "TREE_LOG_FIXUP"},
	{BD_OBJ_TREE_RELOC, "TREE_RELOC"},
	{BD_OBJ_DATA_RELOC_TREE, "DATA_RELOC_TREE"},
	{BD_OBJ_EXTENT_CSUM, "EXTENT_CSUM"},
	{BD_OBJ_FREE_SPACE, "FREE_SPACE"},
	{BD_OBJ_FREE_INO, "FREE_INO"},
	{BD_OBJ_CSUM_CHANGE, "CSUM_CHANGE"},
	{BD_OBJ_MULTIPLE, "MULTIPLE"},
};

static const struct bd_bit_name bg_names[] = {
	{BD_BG_DATA, "DATA"},
	{BD_BG_SYSTEM, "SYSTEM"},
	{BD_BG_METADATA, "METADATA"},
	{BD_BG_RAID0, "RAID0"},
	{BD_BG_RAID1, "RAID1"},
	{BD_BG_DUP, "DUP"},
	{BD_BG_RAID10, "RAID10"},
	{BD_BG_RAID5, "RAID5"},
	{BD_BG_RAID6, "RAID6"},
	{BD_BG_RAID1C3, "RAID1C3"},
	{BD_BG_RAID1C4, "RAID1C4"},
	{BD_BG_REMAPPED, "REMAPPED"},
	{0, NULL},
};

const char *bd_key_type_name(uint8_t type)
{
	return type_names[type];
}

const char *bd_objectid_name(uint64_t objectid)
{
	for (size_t i = 0; i < sizeof(objectid_names) / sizeof(objectid_names[0]); i++) {
		if (objectid_names[i].objectid == objectid)
			return objectid_names[i].name;
	}
	return NULL;
}

/* An address, a device id or a uuid half equals a well-known objectid by accident only. */
static bool plain_objectid(uint8_t type)
{
	return (type >= BD_KEY_EXTENT_ITEM && type <= BD_KEY_DEV_EXTENT) ||
	       type == BD_KEY_RAID_STRIPE || type == BD_KEY_UUID_SUBVOL ||
	       type == BD_KEY_UUID_RECEIVED;
}

static const char *key_objectid_name(const struct bd_key *key)
{
	if (key->type == BD_KEY_DEV_ITEM)
		return key->objectid == BD_OBJ_DEV_ITEMS ? "DEV_ITEMS" : NULL;
	if (key->type == BD_KEY_CHUNK_ITEM)
		return key->objectid == BD_OBJ_FIRST_CHUNK_TREE ? "FIRST_CHUNK_TREE" : NULL;
	if (key->type == BD_KEY_PERSISTENT_ITEM && key->objectid == BD_OBJ_DEV_STATS)
		return "DEV_STATS";
	return plain_objectid(key->type) ? NULL : bd_objectid_name(key->objectid);
}

/* One half of a key as text of at most 22 characters. */
static void number_text(char *buf, size_t size, uint8_t type, uint64_t v)
{
	if (v == UINT64_MAX)
		snprintf(buf, size, "-1");
	else if (type >= BD_KEY_QGROUP_STATUS && type <= BD_KEY_QGROUP_RELATION && v >> 48)
		snprintf(buf, size, "%u/%" PRIu64, (unsigned int)(v >> 48),
			 v & ((UINT64_C(1) << 48) - 1));
	else if (type == BD_KEY_UUID_SUBVOL || type == BD_KEY_UUID_RECEIVED)
		snprintf(buf, size, "0x%016" PRIx64, v);
	else
		snprintf(buf, size, "%" PRIu64, v);
}

char *bd_key_text(const struct bd_key *key, char buf[BD_KEY_TEXT_MAX])
{
	char objectid[24], offset[24], number[8];
	const char *name = key_objectid_name(key);
	const char *type = bd_key_type_name(key->type);

	number_text(objectid, sizeof(objectid), key->type, key->objectid);
	number_text(offset, sizeof(offset), key->type, key->offset);
	snprintf(number, sizeof(number), "%u", key->type);
	snprintf(buf, BD_KEY_TEXT_MAX, "(%s %s %s)", name ? name : objectid, type ? type : number,
		 offset);
	return buf;
}

void bd_bg_flags_text(uint64_t flags, char *buf, size_t size)
{
	size_t len = bd_bits_text(flags, bg_names, buf, size);

	if (!(flags & BD_BG_PROFILE_MASK))
		snprintf(buf + len, size - len, "|single");
}

void bd_uuid_text(const uint8_t uuid[BD_UUID_SIZE], char buf[37])
{
	char *p = buf;

	for (int i = 0; i < (int)BD_UUID_SIZE; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		p += snprintf(p, 3, "%02x", uuid[i]);
	}
}
