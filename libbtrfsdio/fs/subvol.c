/* SPDX-License-Identifier: MIT */
/* fs/subvol.c - list and find subvolumes */
#include "fs/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "disk/csum.h"

/* The entry that leads to a subvolume. 0; 1 there is none; -errno. */
static int read_backref(struct bdio_fs *fs, uint64_t id, uint64_t *parent, uint64_t *dir,
			char name[BD_NAME_MAX + 1])
{
	struct bd_key key = bd_key(id, BD_KEY_ROOT_BACKREF, 0), found;
	const struct bd_disk_root_ref *ref;
	struct bd_path path;
	uint32_t size;
	int ret;

	bd_path_init(&path);
	ret = bd_tree_first(&fs->vol.root_tree, &key, &path, &found);
	if (ret == 0 && (found.objectid != id || found.type != BD_KEY_ROOT_BACKREF))
		ret = 1;
	if (ret == 0) {
		ref = bd_path_data(&path, &size);
		*parent = found.offset;
		*dir = bd_le64(ref->dirid);
		memcpy(name, ref + 1, bd_le16(ref->name_len));
		name[bd_le16(ref->name_len)] = 0;
	}
	bd_path_release(&path);
	return ret;
}

int bd_subvol_get(struct bdio_fs *fs, uint64_t id, struct bdio_subvol *out)
{
	struct bd_disk_root_item item;
	struct bdio_subvol sv = {.id = id};
	int ret = bd_subvol_item(fs, id, &item);

	if (ret)
		return ret;
	ret = read_backref(fs, id, &sv.parent_id, &sv.dir_inode, sv.name);
	if (ret < 0)
		return ret;
	sv.generation = bd_le64(item.generation);
	sv.last_snapshot = bd_le64(item.last_snapshot);
	sv.flags = bd_le64(item.flags) & BD_ROOT_SUBVOL_RDONLY ? BDIO_SUBVOL_RDONLY : 0;
	memcpy(sv.uuid, item.uuid, BD_UUID_SIZE);
	memcpy(sv.parent_uuid, item.parent_uuid, BD_UUID_SIZE);
	memcpy(sv.received_uuid, item.received_uuid, BD_UUID_SIZE);
	sv.ctransid = bd_le64(item.ctransid);
	sv.otransid = bd_le64(item.otransid);
	sv.stransid = bd_le64(item.stransid);
	sv.rtransid = bd_le64(item.rtransid);
	sv.ctime = bd_time_decode(&item.ctime);
	sv.otime = bd_time_decode(&item.otime);
	sv.stime = bd_time_decode(&item.stime);
	sv.rtime = bd_time_decode(&item.rtime);
	*out = sv;
	return 0;
}

/* Smallest subvolume id > @after that has a root item. 0; 1 none; -errno. */
static int next_id(struct bdio_fs *fs, uint64_t after, uint64_t *id)
{
	const struct bd_tree *tree = &fs->vol.root_tree;
	struct bd_key key = bd_key(after + 1, 0, 0);
	struct bd_path path;
	int ret;

	bd_path_init(&path);
	for (ret = bd_tree_first(tree, &key, &path, &key); ret == 0;
	     ret = bd_path_next(tree, &path)) {
		key = bd_path_key(&path);
		if (key.objectid > BD_OBJ_LAST_FREE) {
			ret = 1;
			break;
		}
		if (key.type == BD_KEY_ROOT_ITEM && bd_is_subvol(key.objectid)) {
			*id = key.objectid;
			break;
		}
	}
	bd_path_release(&path);
	return ret;
}

int bd_subvol_next(struct bdio_fs *fs, uint64_t after, struct bdio_subvol *out)
{
	uint64_t id = after;

	for (;;) {
		int ret = id == UINT64_MAX ? 1 : next_id(fs, id, &id);

		if (ret)
			return ret < 0 ? ret : 0;
		ret = bd_subvol_get(fs, id, out);
		if (ret != -ENOENT) /* in deletion: not shown */
			return ret ? ret : 1;
	}
}

/* Prepend the path of @id from the top level. */
static int climb_subvols(struct bdio_fs *fs, uint64_t id, struct bd_back_path *bp)
{
	for (unsigned int depth = 0; id != BDIO_SUBVOL_TOP; depth++) {
		char name[BD_NAME_MAX + 1];
		uint64_t parent, dir;
		int ret = read_backref(fs, id, &parent, &dir, name);

		if (ret == 1)
			ret = BD_FAIL(-ENOENT, SUBVOL_NO_PATH, "subvolume %llu has no path",
				      (unsigned long long)id);
		if (!ret && depth == BD_MAX_DEPTH)
			ret = BD_FAIL(-EUCLEAN, SUBVOL_LOOP,
				      "corrupt subvolume: %llu, its parents form a loop",
				      (unsigned long long)id);
		if (!ret)
			ret = bd_back_path_prepend(bp, name, strlen(name));
		if (!ret)
			ret = bd_back_path_climb(fs, (struct bdio_ino){parent, dir}, bp);
		if (ret)
			return ret;
		id = parent;
	}
	return 0;
}

ssize_t bd_subvol_path(struct bdio_fs *fs, uint64_t id, char *buf, size_t size)
{
	struct bd_back_path bp = {0};
	struct bd_tree tree;
	size_t len;
	int err = bd_subvol_tree(fs, id, &tree);

	if (!err)
		err = climb_subvols(fs, id, &bp);
	len = bd_back_path_len(&bp);
	if (!err && len >= size)
		err = BD_FAIL(-ERANGE, SUBVOL_PATH_RANGE, "the path has %zu bytes", len);
	if (!err) {
		if (len)
			memcpy(buf, bp.buf + bp.start, len);
		buf[len] = 0;
	}
	free(bp.buf);
	return err ? err : (ssize_t)len;
}

static bool is_number(const char *spec)
{
	size_t n = strspn(spec, "0123456789");

	return n && !spec[n];
}

int bd_subvol_find(struct bdio_fs *fs, const char *spec, uint64_t *id)
{
	struct bdio_ino top = {BDIO_SUBVOL_TOP, BDIO_INODE_ROOT}, ino;
	struct bd_tree tree;
	int err;

	if (is_number(spec)) {
		uint64_t number = strtoull(spec, NULL, 10);

		err = bd_subvol_tree(fs, number, &tree);
		if (!err)
			*id = number;
		return err;
	}
	err = bd_lookup(fs, top, spec, strlen(spec), BDIO_LOOKUP_FOLLOW, &ino);
	if (err)
		return err;
	if (ino.inode != BDIO_INODE_ROOT)
		return BD_FAIL(-EINVAL, SUBVOL_FIND, "%.200s is not the root of a subvolume", spec);
	*id = ino.subvol;
	return 0;
}

/* (root tree directory, DIR_ITEM, hash of "default") names it; filesystems without have the top. */
int bd_subvol_default(struct bdio_fs *fs, uint64_t *id)
{
	static const char name[] = "default";
	struct bd_key key = bd_key(fs->vol.super.root_dir_objectid, BD_KEY_DIR_ITEM,
				   bd_name_hash(name, sizeof(name) - 1));
	const struct bd_disk_dir_item *item;
	struct bd_path path;
	uint32_t size;
	int ret;

	*id = BDIO_SUBVOL_TOP;
	bd_path_init(&path);
	ret = bd_tree_search(&fs->vol.root_tree, &key, &path);
	if (ret == 0) {
		item = bd_path_data(&path, &size);
		if (bd_is_subvol(bd_le64(item->location.objectid)))
			*id = bd_le64(item->location.objectid);
	}
	bd_path_release(&path);
	return ret < 0 ? ret : 0;
}
