/* SPDX-License-Identifier: MIT */
/* ops/extract_walk.c - the walk over the image's tree; all but the contents of files */
#include "ops/extract_priv.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"

#define TARGET_MAX 4096u /* with its terminator: no longer symlink can be made */

/* --- directories that were entered --------------------------------------------------------- */

static int seen_cmp(const struct bd_xseen *a, const struct bd_xseen *b)
{
	return bd_ino_cmp(a->ino, b->ino);
}

BD_RB_GENERATE(bd_xseen_set, bd_xseen, node, seen_cmp)

bool bd_extract_first_visit(struct bd_extract *x, struct bdio_ino ino, const struct bd_xdir *dir,
			    const char *name)
{
	struct bd_xseen *seen = malloc(sizeof(*seen));

	if (!seen) {
		BD_FAIL(-ENOMEM, EXTRACT_SEEN, "no memory to remember a directory");
		bd_extract_stop(x);
		return false;
	}
	seen->ino = ino;
	if (!RB_INSERT(bd_xseen_set, &x->seen, seen))
		return true;
	free(seen);
	/* Entered again it would be copied again, and with loops for ever. */
	BD_FAIL(-EUCLEAN, EXTRACT_TWICE, "corrupt directory: inode %llu, it has a second place",
		(unsigned long long)ino.inode);
	bd_err_at_inode(ino.subvol, ino.inode);
	bd_extract_lost(x, dir, name);
	return false;
}

void bd_extract_forget_visits(struct bd_extract *x)
{
	struct bd_xseen *seen, *next;

	RB_FOREACH_SAFE(seen, bd_xseen_set, &x->seen, next) {
		RB_REMOVE(bd_xseen_set, &x->seen, seen);
		free(seen);
	}
}

/* --- symlinks and special files ------------------------------------------------------------ */

/* The target of a symlink, terminated. */
static int read_target(struct bd_extract *x, const struct bdio_stat *st, char target[TARGET_MAX])
{
	ssize_t len = bd_readlink(x->fs, st->ino, target, TARGET_MAX - 1);

	if (len < 0)
		return (int)len;
	if (len >= (ssize_t)TARGET_MAX)
		return BD_FAIL(-ENAMETOOLONG, EXTRACT_TARGET_LONG, "a link's target of %zd bytes",
			       len);
	target[len] = 0;
	if (strlen(target) == (size_t)len)
		return 0;
	BD_FAIL(-EUCLEAN, EXTRACT_TARGET, "corrupt symlink: inode %llu, NUL in its target",
		(unsigned long long)st->ino.inode);
	bd_err_at_inode(st->ino.subvol, st->ino.inode);
	return -EUCLEAN;
}

static bool make_symlink(struct bd_extract *x, struct bd_xdir *dir, const char *name,
			 const struct bdio_stat *st)
{
	char target[TARGET_MAX];
	unsigned int tries = 0;
	int err = read_target(x, st, target);

	if (err) {
		bd_extract_lost(x, dir, name);
		return false;
	}
	while (symlinkat(target, dir->fd, name)) {
		err = bd_extract_make_room(dir, name, &tries);
		if (err) {
			BD_HOST_FAIL(-err, EXTRACT_SYMLINK, "create a symlink");
			bd_extract_refused(x, dir, name);
			return false;
		}
	}
	return true;
}

static bool make_special(struct bd_extract *x, struct bd_xdir *dir, const char *name,
			 const struct bdio_stat *st)
{
	mode_t mode = (st->mode & S_IFMT) | 0600;
	unsigned int tries = 0;
	int err;

	while (mknodat(dir->fd, name, mode, st->rdev)) {
		err = bd_extract_make_room(dir, name, &tries);
		if (err) {
			BD_HOST_FAIL(-err, EXTRACT_MKNOD, "create a special file");
			bd_extract_refused(x, dir, name);
			return false;
		}
	}
	return true;
}

static bool make_other(struct bd_extract *x, struct bd_xdir *dir, const char *name,
		       const struct bdio_stat *st)
{
	struct bd_xnode node = {.dir = dir, .name = name, .fd = -1, .st = st};
	bool made =
		S_ISLNK(st->mode) ? make_symlink(x, dir, name, st) : make_special(x, dir, name, st);

	if (!made)
		return false;
	bd_extract_attrs(x, &node);
	bd_count(&x->others, 1);
	return true;
}

void bd_extract_leaf(struct bd_extract *x, struct bd_xdir *dir, const char *name,
		     const struct bdio_stat *st)
{
	struct bd_xjob job = {.dir = dir, .st = *st};
	struct stat host;
	bool made;

	if (st->nlink > 1 && bd_xlink_made(x, dir, name, st, &job.link))
		return;
	if (S_ISREG(st->mode)) {
		snprintf(job.name, sizeof(job.name), "%s", name);
		bd_xpool_push(x, &job);
		return;
	}
	made = make_other(x, dir, name, st);
	if (job.link) {
		made = made && !fstatat(dir->fd, name, &host, AT_SYMLINK_NOFOLLOW);
		bd_xlink_settle(x, job.link, made ? &host : NULL);
	}
}

/* --- directories --------------------------------------------------------------------------- */

/* Into a directory. Returns where the walk goes on: in it, or still in @dir. */
static struct bd_xdir *enter(struct bd_extract *x, struct bd_xdir *dir, const char *name,
			     const struct bdio_stat *st)
{
	struct bd_xdir *sub;

	if (!bd_is_stub(st->ino) && !bd_extract_first_visit(x, st->ino, dir, name))
		return dir;
	sub = bd_xdir_make(x, dir, name, st);
	if (!sub)
		return dir;
	bd_count(&x->dirs, 1);
	if (bd_is_stub(st->ino)) {
		bd_xdir_done(x, sub);
		return dir;
	}
	if (bd_dir_open(x->fs, st->ino, &sub->cursor)) {
		bd_extract_lost(x, sub, NULL);
		bd_xdir_done(x, sub);
		return dir;
	}
	/* A tree may be thousands of levels deep: only the lowest holds nodes and a descriptor. */
	bd_dir_seek(dir->cursor, dir->cursor->index);
	bd_xdir_leave(x, dir);
	return sub;
}

/* The next entry. Return: 1; 0 no more. */
static int next_entry(struct bd_extract *x, struct bd_xdir *dir, struct bdio_dirent *entry)
{
	while (!bd_extract_stopped(x)) {
		uint64_t before = dir->cursor->index;
		int ret = bd_dir_next(dir->cursor, entry);

		if (ret >= 0)
			return ret;
		bd_extract_lost(x, dir, NULL);
		/* One entry is damaged, or the tree is: then this is as far as one gets. */
		if (dir->cursor->index == before)
			return 0;
	}
	return 0;
}

static struct bd_xdir *take_entry(struct bd_extract *x, struct bd_xdir *dir,
				  const struct bdio_dirent *entry)
{
	struct bdio_stat st;

	if (bd_stat(x->fs, entry->ino, &st)) {
		bd_extract_lost(x, dir, entry->name);
		return dir;
	}
	if (S_ISDIR(st.mode))
		return enter(x, dir, entry->name, &st);
	bd_extract_leaf(x, dir, entry->name, &st);
	return dir;
}

/* The walk cannot go on: let go of a directory and all above it. */
static void abandon(struct bd_xdir *dir)
{
	while (dir) {
		struct bd_xdir *up = dir->parent;

		bd_dir_close(dir->cursor);
		dir->cursor = NULL;
		if (up)
			bd_xdir_put(dir);
		dir = up;
	}
}

/* All of @dir is queued: back to the directory that it is in; NULL: the walk ends. */
static struct bd_xdir *go_up(struct bd_extract *x, struct bd_xdir *dir)
{
	struct bd_xdir *up = dir->parent;
	bool back = false;

	bd_dir_close(dir->cursor);
	dir->cursor = NULL;
	if (!up) {
		bd_xdir_leave(x, dir);
		return NULL;
	}
	if (!bd_extract_stopped(x)) {
		back = bd_xdir_reopen(x, up, dir) == 0;
		if (!back)
			bd_extract_stop(x);
	}
	if (!back) {
		abandon(up);
		up = NULL;
	}
	bd_xdir_done(x, dir);
	return up;
}

void bd_extract_walk(struct bd_extract *x)
{
	struct bd_xdir *dir = x->top;
	struct bdio_dirent entry;

	bd_xdir_use(x, dir);
	while (dir) {
		bd_extract_tick(x);
		dir = next_entry(x, dir, &entry) ? take_entry(x, dir, &entry) : go_up(x, dir);
	}
}
