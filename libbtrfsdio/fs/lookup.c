/* SPDX-License-Identifier: MIT */
/* fs/lookup.c - paths to inodes */
#include "fs/fs.h"

#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/mem.h"

#define MAX_LINKS    40 /* symlinks that one look-up follows, as Linux does */
#define LINK_MAX_LEN 4096u

struct step {
	struct bdio_ino ino;
	bool is_dir;
};

/* From the root of the look-up down to where we are: ".." pops. */
struct walk {
	struct bdio_fs *fs;
	struct step *stack;
	size_t depth, cap;
	unsigned int links;
};

static int push(struct walk *w, struct bdio_ino ino, bool is_dir)
{
	if (bd_array_grow((void **)&w->stack, &w->cap, w->depth + 1, sizeof(*w->stack)))
		return BD_FAIL(-ENOMEM, LOOKUP_STACK, "no memory for a path");
	w->stack[w->depth++] = (struct step){ino, is_dir};
	return 0;
}

static int walk_path(struct walk *w, const char *path, size_t len, bool follow);

/* The walk stands in the link's directory: go on from there, or from the root. */
static int follow_link(struct walk *w, struct bdio_ino link)
{
	char *target;
	ssize_t n;
	int err;

	if (++w->links > MAX_LINKS)
		return BD_FAIL(-ELOOP, LOOKUP_LINKS, "more than %d symlinks", MAX_LINKS);
	target = malloc(LINK_MAX_LEN);
	if (!target)
		return BD_FAIL(-ENOMEM, LOOKUP_LINK, "no memory for a symlink");
	n = bd_readlink(w->fs, link, target, LINK_MAX_LEN);
	if (n < 0)
		err = (int)n;
	else if (n == 0)
		err = BD_FAIL(-ENOENT, LOOKUP_EMPTY_LINK, "a symlink is empty");
	else if (n > LINK_MAX_LEN)
		err = BD_FAIL(-ENAMETOOLONG, LOOKUP_LONG_LINK, "a symlink has %zd bytes", n);
	else
		err = walk_path(w, target, (size_t)n, true);
	free(target);
	return err;
}

static int step_into(struct walk *w, const char *name, size_t len, bool follow)
{
	struct bd_dir_target target;
	int err;

	if (len == 1 && name[0] == '.')
		return 0;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		if (w->depth > 1)
			w->depth--;
		return 0;
	}
	if (len > BD_NAME_MAX)
		return BD_FAIL(-ENAMETOOLONG, LOOKUP_NAME, "a name has %zu bytes", len);
	err = bd_dir_find(w->fs, w->stack[w->depth - 1].ino, name, len, &target);
	if (err)
		return err;
	if (follow && target.type == BD_FT_SYMLINK)
		return follow_link(w, target.ino);
	return push(w, target.ino, target.type == BD_FT_DIR);
}

/* Where we stand must be a directory for a name to follow. */
static int check_dir(const struct walk *w)
{
	if (w->stack[w->depth - 1].is_dir)
		return 0;
	return BD_FAIL(-ENOTDIR, LOOKUP_NOTDIR, "not a directory");
}

static int push_start(struct walk *w, struct bdio_ino start)
{
	struct bdio_stat st;
	int err = bd_stat(w->fs, start, &st);

	return err ? err : push(w, start, S_ISDIR(st.mode));
}

static int walk_path(struct walk *w, const char *path, size_t len, bool follow)
{
	const char *end = path + len;

	if (len && path[0] == '/')
		w->depth = 1;
	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t n = (size_t)((slash ? slash : end) - path);
		int err = 0;

		if (n) {
			bool last = !slash;

			err = check_dir(w);
			if (!err)
				err = step_into(w, path, n, follow || !last);
			/* "name/" must be a directory */
			if (!err && slash)
				err = check_dir(w);
		}
		if (err)
			return err;
		path += n + (slash ? 1 : 0);
	}
	return 0;
}

int bd_lookup(struct bdio_fs *fs, struct bdio_ino start, const char *path, size_t len,
	      unsigned int flags, struct bdio_ino *out)
{
	struct bdio_ino root = {start.subvol, BDIO_INODE_ROOT};
	struct walk w = {.fs = fs};
	int err = push_start(&w, len && path[0] == '/' ? root : start);

	if (!err)
		err = walk_path(&w, path, len, flags & BDIO_LOOKUP_FOLLOW);
	if (!err)
		*out = w.stack[w.depth - 1].ino;
	free(w.stack);
	return err;
}
