/* SPDX-License-Identifier: MIT */
/* disk/item_check_space.c - block groups and free space, in tree and cache */
#include "disk/item_check_priv.h"

/* The keys of this file are (start, type, length) of a range of logical space. */
static int check_range(const struct bd_item *it)
{
	uint64_t start = it->key->objectid, length = it->key->offset, end;

	if (!length || !bd_is_aligned(start | length, it->ctx->super->sectorsize) ||
	    !bd_add_u64(start, length, &end))
		return ITEM_FAIL(it, SPACE_RANGE, "invalid range of logical space");
	return 0;
}

static bool valid_flags(uint64_t flags)
{
	uint64_t profile = flags & BD_BG_PROFILE_MASK;
	uint64_t type = flags & BD_BG_TYPE_MASK;

	return !(profile & (profile - 1)) && type &&
	       (!(type & BD_BG_SYSTEM) || type == BD_BG_SYSTEM);
}

int bd_check_block_group(const struct bd_item *it)
{
	const struct bd_disk_block_group_item *bg = it->data;
	int err = check_range(it);

	if (err)
		return err;
	if (bd_le64(bg->chunk_objectid) != BD_OBJ_FIRST_CHUNK_TREE)
		return ITEM_FAIL(it, GROUP_CHUNK_OBJECTID, "invalid chunk objectid, %" PRIu64,
				 bd_le64(bg->chunk_objectid));
	if (bd_le64(bg->used) > it->key->offset)
		return ITEM_FAIL(it, GROUP_USED, "more used than there is, %" PRIu64,
				 bd_le64(bg->used));
	if (!valid_flags(bd_le64(bg->flags)))
		return ITEM_FAIL(it, GROUP_FLAGS, "invalid type, 0x%" PRIx64, bd_le64(bg->flags));
	return 0;
}

int bd_check_free_space(const struct bd_item *it)
{
	return check_range(it);
}

int bd_check_free_space_info(const struct bd_item *it)
{
	const struct bd_disk_free_space_info *info = it->data;
	int err = check_range(it);

	if (err)
		return err;
	if (bd_le32(info->flags) & ~BD_FREE_SPACE_USING_BITMAPS)
		return ITEM_FAIL(it, FREE_SPACE_FLAGS, "unknown flags, 0x%x", bd_le32(info->flags));
	if (bd_le32(info->extent_count) > it->key->offset / it->ctx->super->sectorsize)
		return ITEM_FAIL(it, FREE_SPACE_COUNT, "more extents than sectors, %u",
				 bd_le32(info->extent_count));
	return 0;
}

int bd_check_free_space_bitmap(const struct bd_item *it)
{
	int err = check_range(it);

	if (!err && it->size != (it->key->offset / it->ctx->super->sectorsize + 7) / 8)
		err = ITEM_FAIL(it, FREE_SPACE_BITMAP, "bitmap of another size, %u bytes",
				it->size);
	return err;
}

/* The only item with type 0 is the header of a v1 cache; keys of type 0 mean nothing else. */
int bd_check_space_cache(const struct bd_item *it)
{
	if (it->key->objectid == BD_OBJ_FREE_SPACE &&
	    it->size != sizeof(struct bd_disk_free_space_header))
		return ITEM_FAIL(it, SPACE_CACHE_SIZE, "invalid size of a cache header, %u",
				 it->size);
	return 0;
}
