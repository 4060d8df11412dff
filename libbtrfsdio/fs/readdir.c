/* SPDX-License-Identifier: MIT */
/* fs/readdir.c - directory cursors */
#include "fs/fs.h"

#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/mem.h"

int bd_dir_open(struct bdio_fs *fs, struct bdio_ino ino, struct bdio_dir **out)
{
	struct bdio_stat st;
	struct bdio_dir *dir;
	int err = bd_stat(fs, ino, &st);

	if (err)
		return err;
	if (!S_ISDIR(st.mode))
		return BD_FAIL(-ENOTDIR, DIR_OPEN, "not a directory");
	dir = bd_zalloc(sizeof(*dir));
	if (!dir)
		return BD_FAIL(-ENOMEM, DIR_NEW, "no memory for a directory cursor");
	err = bd_subvol_tree(fs, ino.subvol, &dir->tree);
	if (err) {
		free(dir);
		return err;
	}
	dir->fs = fs;
	dir->ino = ino.inode;
	*out = dir;
	return 0;
}

void bd_dir_close(struct bdio_dir *dir)
{
	if (!dir)
		return;
	bd_path_release(&dir->path);
	free(dir);
}

void bd_dir_seek(struct bdio_dir *dir, uint64_t index)
{
	bd_path_release(&dir->path);
	dir->index = index;
	dir->on_entry = false;
}

/* Stand on the entry behind dir->index. Return as bd_path_valid(). */
static int step(struct bdio_dir *dir)
{
	struct bd_key key = bd_key(dir->ino, BD_KEY_DIR_INDEX, dir->index), found;
	int ret;

	if (dir->on_entry) {
		ret = bd_path_next(&dir->tree, &dir->path);
		if (ret == 0)
			found = bd_path_key(&dir->path);
	} else {
		if (dir->index == UINT64_MAX)
			return 1;
		key.offset++;
		ret = bd_tree_first(&dir->tree, &key, &dir->path, &found);
	}
	dir->on_entry = ret == 0;
	if (ret)
		return ret;
	if (found.objectid != dir->ino || found.type != BD_KEY_DIR_INDEX) {
		dir->on_entry = false;
		dir->index = UINT64_MAX;
		return 1;
	}
	dir->index = found.offset;
	return 0;
}

int bd_dir_next(struct bdio_dir *dir, struct bdio_dirent *out)
{
	const struct bd_disk_dir_item *item;
	struct bd_dir_target target;
	uint32_t size;
	int ret;

	if (dir->ino == BDIO_INODE_STUB)
		return 0;
	ret = step(dir);
	if (ret)
		return ret < 0 ? ret : 0;
	item = bd_path_data(&dir->path, &size);
	ret = bd_dir_target(dir->fs, dir->tree.id, item, &target);
	if (ret)
		return ret;
	memset(out, 0, sizeof(*out));
	out->ino = target.ino;
	out->index = dir->index;
	out->name_len = bd_le16(item->name_len);
	out->type = target.type;
	out->is_subvol = target.is_subvol;
	memcpy(out->name, item + 1, out->name_len);
	if (bd_name_is_sound(out->name, out->name_len))
		return 1;
	ret = BD_FAIL(-EUCLEAN, DIR_NAME, "corrupt directory: entry %llu, its name is not valid",
		      (unsigned long long)dir->index);
	bd_err_at_inode(dir->tree.id, dir->ino);
	return ret;
}
