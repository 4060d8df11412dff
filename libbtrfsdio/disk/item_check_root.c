/* SPDX-License-Identifier: MIT */
/* disk/item_check_root.c - tree roots, their names, the uuid index */
#include "disk/item_check_priv.h"

#define KNOWN_FLAGS (BD_ROOT_SUBVOL_RDONLY | BD_ROOT_SUBVOL_DEAD)

static int check_generations(const struct bd_item *it, const struct bd_disk_root_item *root)
{
	uint64_t newest = bd_max_u64(bd_le64(root->generation), bd_le64(root->last_snapshot));

	if (it->size == sizeof(*root))
		newest = bd_max_u64(newest, bd_le64(root->generation_v2));
	if (bd_item_future(it, newest))
		return ITEM_FAIL(it, ROOT_GENERATION, "generation in the future, %" PRIu64, newest);
	return 0;
}

int bd_check_root_item(const struct bd_item *it)
{
	const struct bd_disk_root_item *root = it->data;

	if (it->size != BD_ROOT_ITEM_V0_SIZE && it->size != sizeof(*root))
		return ITEM_FAIL(it, ROOT_SIZE, "invalid size of a root item, %u", it->size);
	if (!it->key->objectid || (it->key->objectid == BD_OBJ_TREE_RELOC && !it->key->offset))
		return ITEM_FAIL(it, ROOT_KEY, "invalid key of a root item");
	if (!bd_is_aligned(bd_le64(root->bytenr), it->ctx->super->sectorsize))
		return ITEM_FAIL(it, ROOT_BYTENR, "unaligned root, %" PRIu64,
				 bd_le64(root->bytenr));
	if (root->level >= BD_MAX_LEVEL || root->drop_level >= BD_MAX_LEVEL)
		return ITEM_FAIL(it, ROOT_LEVEL, "invalid levels, %u and %u", root->level,
				 root->drop_level);
	if (bd_le64(root->flags) & ~KNOWN_FLAGS)
		return ITEM_FAIL(it, ROOT_FLAGS, "unknown root flags, 0x%" PRIx64,
				 bd_le64(root->flags));
	return check_generations(it, root);
}

int bd_check_root_ref(const struct bd_item *it)
{
	const struct bd_disk_root_ref *ref = it->data;
	uint32_t name_len = bd_le16(ref->name_len);

	if (!name_len || name_len > BD_NAME_MAX || it->size != sizeof(*ref) + name_len)
		return ITEM_FAIL(it, ROOT_REF_NAME, "name of %u bytes in an item of %u", name_len,
				 it->size);
	return 0;
}

int bd_check_uuid(const struct bd_item *it)
{
	if (it->size % sizeof(le64))
		return ITEM_FAIL(it, UUID_SIZE, "no whole number of ids, %u bytes", it->size);
	return 0;
}
