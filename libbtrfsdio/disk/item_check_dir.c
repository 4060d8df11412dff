/* SPDX-License-Identifier: MIT */
/* disk/item_check_dir.c - directory entries and extended attributes */
#include "disk/item_check_priv.h"

#include "disk/csum.h"

static bool valid_location(const struct bd_key *location)
{
	if (location->type == BD_KEY_ROOT_ITEM)
		return bd_is_subvol(location->objectid);
	return location->type == BD_KEY_INODE_ITEM && bd_is_inode(location->objectid) &&
	       !location->offset;
}

/* What does the entry name? An xattr names nothing. */
static int check_target(const struct bd_item *it, const struct bd_disk_dir_item *entry)
{
	struct bd_key location = bd_key_decode(&entry->location);
	bool xattr = it->key->type == BD_KEY_XATTR_ITEM;
	bool good = xattr ? !bd_key_cmp(&location, &BD_KEY_MIN) : valid_location(&location);
	uint8_t type = entry->type & (uint8_t)~BD_FT_ENCRYPTED;

	if (!good)
		return ITEM_FAIL(it, DIR_LOCATION,
				 "invalid location, type %u offset %" PRIu64 " of %" PRIu64,
				 location.type, location.offset, location.objectid);
	if (type >= BD_FT_MAX || (type == BD_FT_XATTR) != xattr)
		return ITEM_FAIL(it, DIR_TYPE, "invalid entry type, %u", entry->type);
	return 0;
}

/* @left: bytes from the entry to the end of the item; *len: bytes of the whole entry */
static int check_name(const struct bd_item *it, const struct bd_disk_dir_item *entry, uint32_t left,
		      uint32_t *len)
{
	uint32_t name_len = bd_le16(entry->name_len);
	uint32_t data_len = bd_le16(entry->data_len);
	uint64_t hash;

	if (!name_len || name_len > BD_NAME_MAX)
		return ITEM_FAIL(it, DIR_NAME_LEN, "invalid length of a name, %u", name_len);
	if (data_len && it->key->type != BD_KEY_XATTR_ITEM)
		return ITEM_FAIL(it, DIR_DATA, "directory entry with data, %u", data_len);
	*len = (uint32_t)sizeof(*entry) + name_len + data_len;
	if (*len > left)
		return ITEM_FAIL(it, DIR_END, "entry reaches beyond the item, %u bytes of %u", *len,
				 left);
	if (it->key->type == BD_KEY_DIR_INDEX)
		return 0;
	hash = bd_name_hash(entry + 1, name_len);
	if (hash != it->key->offset)
		return ITEM_FAIL(it, DIR_HASH, "name has another hash, %" PRIu64, hash);
	return 0;
}

int bd_check_dir_entries(const struct bd_item *it)
{
	const uint8_t *p = it->data;
	uint32_t left = it->size;
	int err = bd_check_same_inode(it);

	while (!err && left) {
		const struct bd_disk_dir_item *entry = (const void *)p;
		uint32_t len = 0;

		if (left <= sizeof(*entry))
			return ITEM_FAIL(it, DIR_CUT, "entry cut short, %u bytes left", left);
		err = check_target(it, entry);
		if (!err)
			err = check_name(it, entry, left, &len);
		if (!err && it->key->type == BD_KEY_DIR_INDEX && len != it->size)
			err = ITEM_FAIL(it, DIR_INDEX_SIZE, "more than one entry, %u bytes",
					it->size);
		p += len;
		left -= len;
	}
	return err;
}
