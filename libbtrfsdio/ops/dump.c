/* SPDX-License-Identifier: MIT */
/* ops/dump.c - trees as text */
#include "ops/dump.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"

struct dump {
	struct bdio_fs *fs;
	const struct bd_printer *out;
	bool damaged;
};

static int say(const struct dump *d, const char *text)
{
	return d->out->write(d->out->priv, text, strlen(text));
}

/* What could not be read is named in its place, and the rest goes on. */
static int say_damaged(struct dump *d)
{
	char error[512], line[600];

	d->damaged = true;
	bdio_error_format(bd_err_self(), error, sizeof(error));
	snprintf(line, sizeof(line), "damaged: %s\n", error);
	return say(d, line);
}

/* At most BD_MAX_LEVEL deep: each child is one level lower than its parent. */
static int dump_node(struct dump *d, const struct bd_tree *tree, struct bd_node *node,
		     struct bd_key limit)
{
	int ret = bd_print_node(d->out, &d->fs->vol.super, node->block);

	for (uint32_t i = 0; node->level > 0 && i < node->nritems && ret >= 0; i++) {
		struct bd_key below = bd_tree_limit(node, i, limit);
		struct bd_node *child;

		if (bd_tree_child(tree, node, i, below, &child)) {
			ret = say_damaged(d);
			continue;
		}
		ret = dump_node(d, tree, child, below);
		bd_node_put(child);
	}
	return ret < 0 ? ret : 0;
}

static int dump_tree(struct dump *d, const struct bd_tree *tree)
{
	struct bd_node *root;
	char title[64];
	int ret;

	snprintf(title, sizeof(title), "tree %llu\n", (unsigned long long)tree->id);
	ret = say(d, title);
	if (ret < 0)
		return ret;
	if (bd_tree_root(tree, &root))
		return say_damaged(d);
	ret = dump_node(d, tree, root, BD_KEY_MAX);
	bd_node_put(root);
	return ret;
}

static int find_tree(struct bdio_fs *fs, uint64_t id, struct bd_tree *out)
{
	struct bd_disk_root_item item;
	int err;

	if (id == BD_OBJ_ROOT_TREE || id == BD_OBJ_CHUNK_TREE) {
		*out = id == BD_OBJ_ROOT_TREE ? fs->vol.root_tree : fs->vol.chunk_tree;
		return 0;
	}
	err = bd_root_item(&fs->vol, id, &item, NULL);
	if (!err)
		*out = bd_root_tree_of(&fs->vol, id, &item);
	return err;
}

int bd_dump_tree(struct bdio_fs *fs, uint64_t id, const struct bd_printer *out)
{
	struct dump d = {.fs = fs, .out = out};
	struct bd_tree tree;
	int err = find_tree(fs, id, &tree);

	if (!err)
		err = dump_tree(&d, &tree);
	return err < 0 ? err : d.damaged;
}

int bd_dump_block(struct bdio_fs *fs, uint64_t logical, const struct bd_printer *out)
{
	struct bd_node_expect want = {.logical = logical, .level = UINT8_MAX};
	struct bd_node *node;
	int err = bd_node_get(&fs->vol.nodes, &want, &node);

	if (err)
		return err;
	err = bd_print_node(out, &fs->vol.super, node->block);
	bd_node_put(node);
	return err < 0 ? err : 0;
}

int bd_dump_all(struct bdio_fs *fs, const struct bd_printer *out)
{
	struct dump d = {.fs = fs, .out = out};
	struct bd_key key = BD_KEY_MIN;
	struct bd_path path;
	int ret = dump_tree(&d, &fs->vol.root_tree);

	if (ret >= 0)
		ret = dump_tree(&d, &fs->vol.chunk_tree);
	if (ret < 0)
		return ret;
	bd_path_init(&path);
	for (ret = bd_tree_first(&fs->vol.root_tree, &key, &path, &key); ret == 0;
	     ret = bd_path_next(&fs->vol.root_tree, &path)) {
		struct bd_disk_root_item item;
		struct bd_tree tree;
		const void *data;
		uint32_t size;

		key = bd_path_key(&path);
		if (key.type != BD_KEY_ROOT_ITEM)
			continue;
		data = bd_path_data(&path, &size);
		bd_root_item_decode(data, size, &item);
		tree = bd_root_tree_of(&fs->vol, key.objectid, &item);
		ret = dump_tree(&d, &tree);
		if (ret < 0)
			break;
	}
	bd_path_release(&path);
	return ret < 0 ? ret : d.damaged;
}
