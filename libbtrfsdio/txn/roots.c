/* SPDX-License-Identifier: MIT */
/* txn/roots.c - root items, and the roots of the global trees */
#include "txn/volume.h"

#include <string.h>

#include "base/err.h"

void bd_root_item_decode(const void *data, uint32_t size, struct bd_disk_root_item *item)
{
	memset(item, 0, sizeof(*item));
	memcpy(item, data, size < sizeof(*item) ? size : sizeof(*item));
	/* A kernel that does not know the later fields leaves them stale when it writes. */
	if (bd_le64(item->generation_v2) != bd_le64(item->generation))
		memset((uint8_t *)item + BD_ROOT_ITEM_V0_SIZE, 0,
		       sizeof(*item) - BD_ROOT_ITEM_V0_SIZE);
}

int bd_root_item(struct bd_volume *vol, uint64_t id, struct bd_disk_root_item *item,
		 uint64_t *offset)
{
	struct bd_key key = bd_key(id, BD_KEY_ROOT_ITEM, UINT64_MAX), found;
	struct bd_path path;
	const void *data;
	uint32_t size;
	int ret;

	bd_path_init(&path);
	ret = bd_tree_last(&vol->root_tree, &key, &path, &found);
	if (ret < 0) {
		bd_path_release(&path);
		return ret;
	}
	if (ret || found.objectid != id || found.type != BD_KEY_ROOT_ITEM) {
		bd_path_release(&path);
		return BD_FAIL(-ENOENT, ROOT_ITEM_NONE, "there is no tree %llu",
			       (unsigned long long)id);
	}
	data = bd_path_data(&path, &size);
	bd_root_item_decode(data, size, item);
	if (offset)
		*offset = found.offset;
	bd_path_release(&path);
	return 0;
}

struct bd_tree bd_root_tree_of(struct bd_volume *vol, uint64_t id,
			       const struct bd_disk_root_item *item)
{
	return (struct bd_tree){
		.cache = &vol->nodes,
		.id = id,
		.bytenr = bd_le64(item->bytenr),
		.generation = bd_le64(item->generation),
		.level = item->level,
	};
}

static int load_root(struct bd_volume *vol, uint64_t id, struct bd_tree *tree)
{
	struct bd_disk_root_item item;
	int err = bd_root_item(vol, id, &item, NULL);

	/* Not there: whoever needs the tree says so then. What can be read without it, is. */
	if (err == -ENOENT)
		return 0;
	if (!err)
		*tree = bd_root_tree_of(vol, id, &item);
	return err;
}

int bd_roots_load(struct bd_volume *vol)
{
	bool bgt = vol->super.compat_ro_flags & BD_COMPAT_RO_BLOCK_GROUP_TREE;
	struct bd_node *node;
	int err = bd_tree_root(&vol->root_tree, &node);

	if (err)
		return err;
	bd_node_put(node);
	err = load_root(vol, BD_OBJ_EXTENT_TREE, &vol->extent_tree);
	if (!err)
		err = load_root(vol, BD_OBJ_DEV_TREE, &vol->dev_tree);
	if (!err)
		err = load_root(vol, BD_OBJ_CSUM_TREE, &vol->csum_tree);
	if (!err && bgt)
		err = load_root(vol, BD_OBJ_BLOCK_GROUP_TREE, &vol->block_group_tree);
	return err;
}
