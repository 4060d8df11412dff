/* SPDX-License-Identifier: MIT */
/* fs/xattr.c - extended attributes */
#include "fs/fs.h"

#include <string.h>

#include "base/err.h"

typedef int (*xattr_fn)(void *priv, const char *name, size_t name_len, const void *value,
			size_t value_len);

/* All attributes of one item: names whose hashes collide share it. */
static int each_in_item(const void *data, uint32_t size, xattr_fn fn, void *priv)
{
	const uint8_t *pos = data, *end = pos + size;

	while (pos < end) {
		const struct bd_disk_dir_item *item = (const void *)pos;
		uint32_t name_len = bd_le16(item->name_len);
		uint32_t value_len = bd_le16(item->data_len);
		const char *name = (const char *)(item + 1);
		int ret = fn(priv, name, name_len, name + name_len, value_len);

		if (ret)
			return ret;
		pos += sizeof(*item) + name_len + value_len;
	}
	return 0;
}

int bd_xattr_each(struct bdio_fs *fs, struct bdio_ino ino, xattr_fn fn, void *priv)
{
	struct bd_key key = bd_key(ino.inode, BD_KEY_XATTR_ITEM, 0);
	struct bd_path path;
	struct bd_tree tree;
	int ret;

	if (bd_is_stub(ino))
		return 0;
	ret = bd_subvol_tree(fs, ino.subvol, &tree);
	if (ret)
		return ret;
	bd_path_init(&path);
	for (ret = bd_tree_first(&tree, &key, &path, &key); ret == 0;
	     ret = bd_path_next(&tree, &path)) {
		const void *data;
		uint32_t size;

		key = bd_path_key(&path);
		if (key.objectid != ino.inode || key.type != BD_KEY_XATTR_ITEM)
			break;
		data = bd_path_data(&path, &size);
		ret = each_in_item(data, size, fn, priv);
		if (ret) {
			bd_path_release(&path);
			return ret;
		}
	}
	bd_path_release(&path);
	return ret < 0 ? ret : 0;
}

struct get {
	const char *name;
	void *buf;
	size_t size;
	ssize_t result;
};

static int get_one(void *priv, const char *name, size_t name_len, const void *value,
		   size_t value_len)
{
	struct get *get = priv;

	if (name_len != strlen(get->name) || memcmp(name, get->name, name_len))
		return 0;
	get->result = (ssize_t)value_len;
	if (get->size && value_len > get->size)
		get->result = BD_FAIL(-ERANGE, XATTR_RANGE, "the value has %zu bytes", value_len);
	else if (get->size)
		memcpy(get->buf, value, value_len);
	return 1;
}

ssize_t bd_xattr_get(struct bdio_fs *fs, struct bdio_ino ino, const char *name, void *buf,
		     size_t size)
{
	struct get get = {.name = name, .buf = buf, .size = size};
	int ret = bd_xattr_each(fs, ino, get_one, &get);

	if (ret < 0)
		return ret;
	if (ret == 0)
		return BD_FAIL(-ENODATA, XATTR_NONE, "there is no attribute %.200s", name);
	return get.result;
}

struct list {
	char *buf;
	size_t size, used;
};

static int list_one(void *priv, const char *name, size_t name_len, const void *value,
		    size_t value_len)
{
	struct list *list = priv;

	(void)value;
	(void)value_len;
	/* a name with NUL inside could not be asked for */
	if (memchr(name, 0, name_len))
		return 0;
	if (list->size) {
		if (list->size - list->used < name_len + 1)
			return BD_FAIL(-ERANGE, XATTR_LIST, "the names have more than %zu bytes",
				       list->size);
		memcpy(list->buf + list->used, name, name_len);
		list->buf[list->used + name_len] = 0;
	}
	list->used += name_len + 1;
	return 0;
}

ssize_t bd_xattr_list(struct bdio_fs *fs, struct bdio_ino ino, char *buf, size_t size)
{
	struct list list = {.buf = buf, .size = size};
	int err = bd_xattr_each(fs, ino, list_one, &list);

	return err ? err : (ssize_t)list.used;
}
