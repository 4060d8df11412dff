/* SPDX-License-Identifier: MIT */
/* fs/subvol_root.c - the trees of subvolumes, cached */
#include "fs/fs.h"

#include "base/err.h"
#include "base/mem.h"

/* Names the space of roots among the cached ranges: subvolume ids are its addresses. */
#define ROOT_SPACE BD_OBJ_ROOT_TREE

struct subvol_root {
	struct bd_range range;
	struct bd_disk_root_item item;
};

static int get_root(struct bdio_fs *fs, uint64_t id, struct subvol_root **out)
{
	struct bd_rcache *cache = &fs->inodes.ranges;
	struct subvol_root *root;
	int err;

	if (!bd_is_subvol(id))
		return BD_FAIL(-ENOENT, SUBVOL_ID, "%llu is no subvolume id",
			       (unsigned long long)id);
	root = (struct subvol_root *)bd_rcache_find(cache, ROOT_SPACE, 0, id);
	if (root) {
		*out = root;
		return 0;
	}
	root = bd_zalloc(sizeof(*root));
	if (!root)
		return BD_FAIL(-ENOMEM, SUBVOL_NEW, "no memory for a subvolume");
	err = bd_root_item(&fs->vol, id, &root->item, NULL);
	if (err == -ENOENT)
		err = BD_FAIL(-ENOENT, SUBVOL_NONE, "there is no subvolume %llu",
			      (unsigned long long)id);
	if (!err && !bd_le32(root->item.refs))
		err = BD_FAIL(-ENOENT, SUBVOL_DELETED, "subvolume %llu is being deleted",
			      (unsigned long long)id);
	if (err) {
		free(root);
		return err;
	}
	root->range = (struct bd_range){
		.a = ROOT_SPACE, .start = id, .end = id + 1, .bytes = sizeof(*root), .refs = 1};
	bd_rcache_add(cache, &root->range);
	*out = root;
	return 0;
}

int bd_subvol_item(struct bdio_fs *fs, uint64_t id, struct bd_disk_root_item *out)
{
	struct subvol_root *root;
	int err = get_root(fs, id, &root);

	if (!err) {
		*out = root->item;
		bd_range_put(&root->range);
	}
	return err;
}

int bd_subvol_tree(struct bdio_fs *fs, uint64_t id, struct bd_tree *out)
{
	struct subvol_root *root;
	int err = get_root(fs, id, &root);

	if (!err) {
		*out = bd_root_tree_of(&fs->vol, id, &root->item);
		bd_range_put(&root->range);
	}
	return err;
}
