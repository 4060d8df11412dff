/* SPDX-License-Identifier: MIT */
/* disk/item_check_device.c - chunks, devices and their extents, quota status */
#include "disk/item_check_priv.h"

#include "disk/chunk_item.h"

int bd_check_chunk(const struct bd_item *it)
{
	struct bd_chunk_item chunk;

	if (it->key->objectid != BD_OBJ_FIRST_CHUNK_TREE)
		return ITEM_FAIL(it, CHUNK_KEY, "invalid key of a chunk");
	return bd_chunk_item_decode(it->data, it->size, it->key->offset, it->ctx->super, &chunk);
}

int bd_check_dev_item(const struct bd_item *it)
{
	const struct bd_disk_dev_item *dev = it->data;

	if (it->key->objectid != BD_OBJ_DEV_ITEMS || bd_le64(dev->devid) != it->key->offset)
		return ITEM_FAIL(it, DEV_ITEM_KEY, "devid differs from the key, %" PRIu64,
				 bd_le64(dev->devid));
	if (bd_le64(dev->bytes_used) > bd_le64(dev->total_bytes))
		return ITEM_FAIL(it, DEV_ITEM_USED, "more used than there is, %" PRIu64,
				 bd_le64(dev->bytes_used));
	return 0;
}

static int check_overlap(const struct bd_item *it)
{
	const struct bd_disk_dev_extent *before = it->ctx->prev_data;
	const struct bd_key *prev = it->ctx->prev_key;

	if (!prev || prev->type != BD_KEY_DEV_EXTENT || prev->objectid != it->key->objectid ||
	    prev->offset + bd_le64(before->length) <= it->key->offset)
		return 0;
	return ITEM_FAIL(it, DEV_EXTENT_OVERLAP,
			 "overlaps the extent before, which ends at %" PRIu64,
			 prev->offset + bd_le64(before->length));
}

int bd_check_dev_extent(const struct bd_item *it)
{
	const struct bd_disk_dev_extent *de = it->data;
	uint64_t length = bd_le64(de->length);
	uint64_t logical = bd_le64(de->chunk_offset);
	uint64_t end;

	if (bd_le64(de->chunk_tree) != BD_OBJ_CHUNK_TREE ||
	    bd_le64(de->chunk_objectid) != BD_OBJ_FIRST_CHUNK_TREE)
		return ITEM_FAIL(it, DEV_EXTENT_CHUNK,
				 "belongs to no chunk, tree %" PRIu64 " object %" PRIu64,
				 bd_le64(de->chunk_tree), bd_le64(de->chunk_objectid));
	if (!length ||
	    !bd_is_aligned(it->key->offset | length | logical, it->ctx->super->sectorsize) ||
	    !bd_add_u64(it->key->offset, length, &end))
		return ITEM_FAIL(it, DEV_EXTENT_RANGE,
				 "invalid range, %" PRIu64 " bytes for logical %" PRIu64, length,
				 logical);
	return check_overlap(it);
}

int bd_check_qgroup_status(const struct bd_item *it)
{
	if (it->size != BD_QGROUP_STATUS_OLD_SIZE &&
	    it->size != sizeof(struct bd_disk_qgroup_status))
		return ITEM_FAIL(it, QGROUP_STATUS_SIZE, "invalid size of quota status, %u",
				 it->size);
	return 0;
}
