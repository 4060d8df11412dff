/* SPDX-License-Identifier: MIT */
/* fs/dir_entry.c - find a name in a directory, and what it points to */
#include "fs/fs.h"

#include <string.h>

#include "base/err.h"
#include "disk/csum.h"

bool bd_name_is_sound(const char *name, size_t len)
{
	if (len == 0 || len > BD_NAME_MAX || memchr(name, '/', len) || memchr(name, 0, len))
		return false;
	return !(len == 1 && name[0] == '.') && !(len == 2 && name[0] == '.' && name[1] == '.');
}

/*
 * A subvolume is entered only from the directory that its ROOT_REF names. Snapshots copy the
 * entries of nested subvolumes but not these: there the entry is a stub, an empty directory.
 */
static int has_root_ref(struct bdio_fs *fs, uint64_t parent, uint64_t child)
{
	struct bd_key key = bd_key(parent, BD_KEY_ROOT_REF, child);
	struct bd_path path;
	int ret;

	bd_path_init(&path);
	ret = bd_tree_search(&fs->vol.root_tree, &key, &path);
	bd_path_release(&path);
	return ret;
}

int bd_dir_target(struct bdio_fs *fs, uint64_t subvol, const struct bd_disk_dir_item *item,
		  struct bd_dir_target *out)
{
	struct bd_key at = bd_key_decode(&item->location);
	struct bd_tree tree;
	int ret;

	out->type = item->type & (uint8_t)~BD_FT_ENCRYPTED;
	out->is_subvol = at.type == BD_KEY_ROOT_ITEM;
	out->ino = (struct bdio_ino){subvol, at.objectid};
	if (!out->is_subvol)
		return 0;
	ret = has_root_ref(fs, subvol, at.objectid);
	if (ret == 0)
		ret = bd_subvol_tree(fs, at.objectid, &tree);
	if (ret < 0 && ret != -ENOENT)
		return ret;
	if (ret == 0)
		out->ino = (struct bdio_ino){at.objectid, BDIO_INODE_ROOT};
	else
		out->ino = (struct bdio_ino){subvol, BDIO_INODE_STUB};
	return 0;
}

static int find_in_chain(const void *data, uint32_t size, const char *name, size_t len,
			 const struct bd_disk_dir_item **out)
{
	const uint8_t *pos = data, *end = pos + size;

	while (pos < end) {
		const struct bd_disk_dir_item *item = (const void *)pos;
		uint32_t name_len = bd_le16(item->name_len);

		if (name_len == len && !memcmp(item + 1, name, len)) {
			*out = item;
			return 0;
		}
		pos += sizeof(*item) + name_len + bd_le16(item->data_len);
	}
	return 1;
}

int bd_dir_find(struct bdio_fs *fs, struct bdio_ino dir, const char *name, size_t len,
		struct bd_dir_target *out)
{
	struct bd_key key = bd_key(dir.inode, BD_KEY_DIR_ITEM, bd_name_hash(name, len));
	const struct bd_disk_dir_item *item;
	struct bd_path path;
	struct bd_tree tree;
	const void *data;
	uint32_t size;
	int ret;

	if (bd_is_stub(dir))
		return BD_FAIL(-ENOENT, DIR_FIND_STUB, "no such name in an empty directory");
	ret = bd_subvol_tree(fs, dir.subvol, &tree);
	if (ret)
		return ret;
	bd_path_init(&path);
	ret = bd_tree_search(&tree, &key, &path);
	if (ret == 0) {
		data = bd_path_data(&path, &size);
		ret = find_in_chain(data, size, name, len, &item);
	}
	if (ret == 0)
		ret = bd_dir_target(fs, dir.subvol, item, out);
	bd_path_release(&path);
	if (ret > 0) {
		ret = BD_FAIL(-ENOENT, DIR_FIND, "there is no such file or directory");
		bd_err_at_inode(dir.subvol, dir.inode);
	}
	return ret;
}
