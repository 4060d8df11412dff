/* SPDX-License-Identifier: MIT */
/* fs/names.c - every name of an inode, out of its INODE_REFs and INODE_EXTREFs */
#include "fs/names.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* No path that Linux can be given is as long; those of hostile images have no end. */
#define PATH_LIMIT (1u << 20)

int bd_back_path_prepend(struct bd_back_path *bp, const char *name, size_t len)
{
	size_t slash = bp->start < bp->size ? 1 : 0;

	if (bd_back_path_len(bp) + len > PATH_LIMIT)
		return BD_FAIL(-ENAMETOOLONG, BACK_PATH_LONG, "a path is longer than %u bytes",
			       PATH_LIMIT);

	if (bp->start < len + slash) {
		size_t used = bp->size - bp->start;
		size_t size = 2 * (used + len + slash) + 256;
		char *buf = malloc(size);

		if (!buf)
			return BD_FAIL(-ENOMEM, BACK_PATH, "no memory for a path");
		if (used)
			memcpy(buf + size - used, bp->buf + bp->start, used);
		free(bp->buf);
		*bp = (struct bd_back_path){buf, size, size - used};
	}
	if (slash)
		bp->buf[--bp->start] = '/';
	bp->start -= len;
	memcpy(bp->buf + bp->start, name, len);
	return 0;
}

typedef int (*ref_fn)(void *priv, uint64_t parent, const char *name, size_t len);

static int each_ref_in_item(const struct bd_key *key, const void *data, uint32_t size, ref_fn fn,
			    void *priv)
{
	const uint8_t *pos = data, *end = pos + size;

	while (pos < end) {
		uint64_t parent = key->offset;
		const uint8_t *name;
		size_t len;
		int ret;

		if (key->type == BD_KEY_INODE_REF) {
			const struct bd_disk_inode_ref *ref = (const void *)pos;

			len = bd_le16(ref->name_len);
			name = pos + sizeof(*ref);
		} else {
			const struct bd_disk_inode_extref *ref = (const void *)pos;

			parent = bd_le64(ref->parent);
			len = bd_le16(ref->name_len);
			name = pos + sizeof(*ref);
		}
		ret = fn(priv, parent, (const char *)name, len);
		if (ret)
			return ret;
		pos = name + len;
	}
	return 0;
}

/* Each (parent, name) of an inode; a non-zero return of @fn stops and is returned. */
static int each_ref(const struct bd_tree *tree, uint64_t ino, ref_fn fn, void *priv)
{
	struct bd_key key = bd_key(ino, BD_KEY_INODE_REF, 0);
	struct bd_path path;
	int ret;

	bd_path_init(&path);
	for (ret = bd_tree_first(tree, &key, &path, &key); ret == 0;
	     ret = bd_path_next(tree, &path)) {
		const void *data;
		uint32_t size;
		int stop;

		key = bd_path_key(&path);
		if (key.objectid != ino || key.type > BD_KEY_INODE_EXTREF)
			break;
		data = bd_path_data(&path, &size);
		stop = each_ref_in_item(&key, data, size, fn, priv);
		if (stop) {
			bd_path_release(&path);
			return stop;
		}
	}
	bd_path_release(&path);
	return ret < 0 ? ret : 0;
}

struct climb {
	struct bd_back_path *bp;
	uint64_t parent;
	int err;
};

static int climb_one(void *priv, uint64_t parent, const char *name, size_t len)
{
	struct climb *climb = priv;

	climb->parent = parent;
	climb->err = bd_back_path_prepend(climb->bp, name, len);
	return 1;
}

int bd_back_path_climb(struct bdio_fs *fs, struct bdio_ino ino, struct bd_back_path *bp)
{
	struct bd_tree tree;
	int err = bd_subvol_tree(fs, ino.subvol, &tree);

	for (unsigned int depth = 0; !err && ino.inode != BDIO_INODE_ROOT; depth++) {
		struct climb climb = {.bp = bp};
		int ret;

		if (depth == BD_MAX_DEPTH)
			return BD_FAIL(-EUCLEAN, CLIMB_LOOP,
				       "corrupt directory: inode %llu, its parents form a loop",
				       (unsigned long long)ino.inode);
		ret = each_ref(&tree, ino.inode, climb_one, &climb);
		if (ret == 0)
			return BD_FAIL(-ENOENT, CLIMB_ORPHAN, "inode %llu has no name",
				       (unsigned long long)ino.inode);
		err = ret < 0 ? ret : climb.err;
		ino.inode = climb.parent;
	}
	return err;
}

struct paths {
	struct bdio_fs *fs;
	uint64_t subvol;
	int (*fn)(void *priv, const char *path, size_t len);
	void *priv;
	int result; /* an error, or what fn returned */
};

static int path_of_ref(void *priv, uint64_t parent, const char *name, size_t len)
{
	struct paths *p = priv;
	struct bd_back_path bp = {0};

	p->result = bd_back_path_prepend(&bp, name, len);
	if (!p->result)
		p->result = bd_back_path_climb(p->fs, (struct bdio_ino){p->subvol, parent}, &bp);
	if (!p->result)
		p->result = p->fn(p->priv, bp.buf + bp.start, bd_back_path_len(&bp));
	free(bp.buf);
	return p->result ? 1 : 0;
}

int bd_paths(struct bdio_fs *fs, struct bdio_ino ino,
	     int (*fn)(void *priv, const char *path, size_t len), void *priv)
{
	struct paths p = {.fs = fs, .subvol = ino.subvol, .fn = fn, .priv = priv};
	struct bd_tree tree;
	int ret = bd_subvol_tree(fs, ino.subvol, &tree);

	if (ret)
		return ret;
	if (ino.inode == BDIO_INODE_ROOT)
		return fn(priv, "", 0);
	ret = each_ref(&tree, ino.inode, path_of_ref, &p);
	return ret < 0 ? ret : p.result;
}
