/* SPDX-License-Identifier: MIT */
/* ops/changed.c - what changed in a subvolume since a generation */
#include "ops/changed.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

struct bdio_changed_iter {
	struct bdio_fs *fs;
	struct bd_tree tree;
	uint64_t since;
	struct bd_path path;
	uint32_t in_item; /* bytes of a shared XATTR_ITEM that are done */
	bool started;
};

int bd_changed_open(struct bdio_fs *fs, uint64_t subvol, uint64_t since,
		    struct bdio_changed_iter **out)
{
	struct bdio_changed_iter *it = bd_zalloc(sizeof(*it));
	int err;

	if (!it)
		return BD_FAIL(-ENOMEM, CHANGED_NEW, "no memory for a cursor");
	err = bd_subvol_tree(fs, subvol, &it->tree);
	if (err) {
		free(it);
		return err;
	}
	it->fs = fs;
	it->since = since;
	*out = it;
	return 0;
}

void bd_changed_close(struct bdio_changed_iter *it)
{
	if (!it)
		return;
	bd_path_release(&it->path);
	free(it);
}

static int start(struct bdio_changed_iter *it)
{
	struct bd_node *root;
	int err = bd_tree_root(&it->tree, &root);

	if (err)
		return err;
	it->path.top = root->level;
	it->path.nodes[root->level] = root;
	/* A tree that did not change has nothing to look at. */
	it->path.slots[root->level] = root->generation > it->since ? 0 : root->nritems;
	it->started = true;
	return 0;
}

/* Lowest level that has a node. */
static unsigned int bottom(const struct bdio_changed_iter *it)
{
	unsigned int level = 0;

	while (!it->path.nodes[level])
		level++;
	return level;
}

/*
 * Move on until the path has a leaf with items left. A pointer's generation is that of the
 * newest change below it: older ones are skipped unread.
 * Return: 0; 1 the end; -errno.
 */
static int find_leaf(struct bdio_changed_iter *it)
{
	struct bd_path *path = &it->path;

	for (;;) {
		unsigned int level = bottom(it);
		struct bd_node *node = path->nodes[level], *child;
		uint32_t slot = path->slots[level];
		int err;

		if (slot < node->nritems && level == 0)
			return 0;
		if (slot == node->nritems) {
			if (level == path->top)
				return 1;
			bd_node_put(node);
			path->nodes[level] = NULL;
			path->slots[level + 1]++;
			continue;
		}
		if (bd_le64(bd_node_ptr(node->block, slot)->generation) <= it->since) {
			path->slots[level]++;
			continue;
		}
		err = bd_path_child(&it->tree, path, level, &child);
		if (err) {
			path->slots[level]++; /* a caller may go on behind the damage */
			return err;
		}
		path->nodes[level - 1] = child;
		path->slots[level - 1] = 0;
	}
}

/* Since 0 is everything, also what mkfs.btrfs leaves with generation 0. */
static bool is_old(const struct bdio_changed_iter *it, uint64_t generation)
{
	return it->since && generation <= it->since;
}

static bool take_inode(struct bdio_changed_iter *it, const void *data, struct bdio_changed *out)
{
	struct bd_inode_item item;

	bd_inode_item_decode(data, &item);
	if (is_old(it, item.transid))
		return false;
	out->what = BDIO_CHANGE_INODE;
	out->generation = item.transid;
	out->created = item.generation > it->since;
	return true;
}

static bool take_extent(struct bdio_changed_iter *it, const struct bd_key *key, const void *data,
			uint32_t size, struct bdio_changed *out)
{
	uint32_t sectorsize = it->fs->vol.super.sectorsize;
	struct bd_extent extent;

	bd_extent_decode(key, data, size, &extent);
	if (is_old(it, extent.generation))
		return false;
	out->what = BDIO_CHANGE_DATA;
	out->generation = extent.generation;
	out->offset = extent.file_offset;
	out->length = bd_extent_end(&extent, sectorsize) - extent.file_offset;
	return true;
}

static void copy_name(struct bdio_changed *out, const struct bd_disk_dir_item *item)
{
	out->generation = bd_le64(item->transid);
	out->name_len = bd_le16(item->name_len);
	memcpy(out->name, item + 1, out->name_len);
	out->name[out->name_len] = 0;
}

static int take_name(struct bdio_changed_iter *it, const void *data, struct bdio_changed *out)
{
	const struct bd_disk_dir_item *item = data;
	struct bd_dir_target target;
	int err;

	if (is_old(it, bd_le64(item->transid)))
		return 0;
	err = bd_dir_target(it->fs, it->tree.id, item, &target);
	if (err)
		return err;
	out->what = BDIO_CHANGE_NAME;
	out->child = target.ino;
	out->type = target.type;
	copy_name(out, item);
	return 1;
}

/* Names whose hashes collide share one item: one call takes one of them. */
static bool take_xattr(struct bdio_changed_iter *it, const void *data, uint32_t size,
		       struct bdio_changed *out)
{
	while (it->in_item < size) {
		const struct bd_disk_dir_item *item =
			(const void *)((const uint8_t *)data + it->in_item);

		it->in_item +=
			(uint32_t)sizeof(*item) + bd_le16(item->name_len) + bd_le16(item->data_len);
		if (is_old(it, bd_le64(item->transid)))
			continue;
		out->what = BDIO_CHANGE_XATTR;
		copy_name(out, item);
		return true;
	}
	return false;
}

/* Look at the item that the path stands on. 1: *out is a change; 0: none (left); -errno. */
static int take_item(struct bdio_changed_iter *it, struct bdio_changed *out)
{
	struct bd_key key = bd_path_key(&it->path);
	const void *data;
	uint32_t size;
	int ret = 0;

	data = bd_path_data(&it->path, &size);
	memset(out, 0, sizeof(*out));
	out->ino = (struct bdio_ino){it->tree.id, key.objectid};
	if (key.type == BD_KEY_XATTR_ITEM && take_xattr(it, data, size, out))
		return 1; /* the item may have more */
	if (key.type == BD_KEY_INODE_ITEM)
		ret = take_inode(it, data, out);
	else if (key.type == BD_KEY_DIR_INDEX)
		ret = take_name(it, data, out);
	else if (key.type == BD_KEY_EXTENT_DATA)
		ret = take_extent(it, &key, data, size, out);
	it->in_item = 0;
	it->path.slots[0]++;
	return ret;
}

int bd_changed_next(struct bdio_changed_iter *it, struct bdio_changed *out)
{
	int ret = it->started ? 0 : start(it);

	while (ret == 0) {
		ret = find_leaf(it);
		if (ret)
			return ret < 0 ? ret : 0;
		ret = take_item(it, out);
	}
	return ret;
}
