/* SPDX-License-Identifier: MIT */
/* ops/extract_dir.c - directories of the destination: make, keep open, reopen, finish */
#include "ops/extract_priv.h"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/mem.h"

#define OPEN_FLAGS (O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* --- handles ------------------------------------------------------------------------------- */

/* What the walk has to know about a directory that it opened. */
static int inspect(struct bd_xdir *dir)
{
	struct stat host;

	if (fstat(dir->fd, &host))
		return BD_HOST_FAIL(errno, XDIR_STAT, "look at a directory");
	dir->host_dev = host.st_dev;
	dir->host_ino = host.st_ino;
	/* One that was there, left by an earlier extraction perhaps: make it usable. */
	if (host.st_uid == geteuid() && (host.st_mode & 0700) != 0700)
		fchmod(dir->fd, (host.st_mode & 07777) | 0700);
	return 0;
}

static bool has_default_acl(int fd)
{
	return fgetxattr(fd, "system.posix_acl_default", NULL, 0) > 0;
}

struct bd_xdir *bd_xdir_new(struct bd_xdir *parent, const char *name, const struct bdio_stat *st,
			    int fd)
{
	struct bd_xdir *dir = bd_zalloc(sizeof(*dir) + strlen(name) + 1);

	if (!dir)
		BD_FAIL(-ENOMEM, XDIR_NEW, "no memory for a directory");
	if (dir) {
		memcpy(dir->name, name, strlen(name) + 1);
		dir->fd = fd;
		dir->st = *st;
		dir->users = 1;
		dir->refs = 1;
	}
	if (!dir || inspect(dir)) {
		free(dir);
		close(fd);
		return NULL;
	}
	dir->default_acl = parent ? parent->default_acl : has_default_acl(fd);
	if (parent) {
		bd_xdir_get(parent);
		dir->parent = parent;
		dir->depth = parent->depth + 1;
	}
	return dir;
}

void bd_xdir_get(struct bd_xdir *dir)
{
	atomic_fetch_add_explicit(&dir->refs, 1, memory_order_relaxed);
}

void bd_xdir_put(struct bd_xdir *dir)
{
	while (dir && atomic_fetch_sub_explicit(&dir->refs, 1, memory_order_acq_rel) == 1) {
		struct bd_xdir *parent = dir->parent;

		free(dir);
		dir = parent;
	}
}

struct bd_xdir *bd_xdir_make(struct bd_extract *x, struct bd_xdir *parent, const char *name,
			     const struct bdio_stat *st)
{
	struct bd_xdir *dir = NULL;
	bool merge = false;
	int fd = -1;

	errno = 0;
	if (mkdirat(parent->fd, name, 0700) == 0 || errno == EEXIST) {
		merge = errno == EEXIST;
		fd = openat(parent->fd, name, O_RDONLY | OPEN_FLAGS);
	}
	if (fd >= 0)
		dir = bd_xdir_new(parent, name, st, fd);
	else
		BD_HOST_FAIL(errno, XDIR_MKDIR, "create a directory");
	if (!dir)
		bd_extract_refused(x, parent, name);
	else if (merge)
		dir->default_acl |= has_default_acl(fd);
	return dir;
}

/* --- descriptors --------------------------------------------------------------------------- */

void bd_xdir_use(struct bd_extract *x, struct bd_xdir *dir)
{
	bd_lock(&x->pool.lock);
	dir->users++;
	bd_unlock(&x->pool.lock);
}

void bd_xdir_leave(struct bd_extract *x, struct bd_xdir *dir)
{
	struct bd_xnode node = {.dir = dir, .fd = -1, .st = &dir->st};
	bool finish = false;

	bd_lock(&x->pool.lock);
	if (--dir->users == 0) {
		finish = dir->left && !dir->finished;
		dir->finished = dir->left;
		node.fd = dir->fd;
		dir->fd = -1;
	}
	bd_unlock(&x->pool.lock);
	if (node.fd < 0)
		return;
	if (finish && !bd_extract_stopped(x))
		bd_extract_attrs(x, &node);
	close(node.fd);
}

void bd_xdir_done(struct bd_extract *x, struct bd_xdir *dir)
{
	bd_lock(&x->pool.lock);
	dir->left = true;
	bd_unlock(&x->pool.lock);
	bd_xdir_leave(x, dir);
	bd_xdir_put(dir);
}

static bool is_same(const struct bd_xdir *dir, int fd)
{
	struct stat host;

	return !fstat(fd, &host) && host.st_dev == dir->host_dev && host.st_ino == dir->host_ino;
}

/* Name by name from the destination. Return: descriptor; -errno (reported). */
static int walk_down(struct bd_extract *x, struct bd_xdir *dir)
{
	const struct bd_xdir **way = bd_calloc(dir->depth, sizeof(const struct bd_xdir *)),
			     *d = dir;
	int fd = x->top->fd, err = 0;

	if (!way)
		return BD_FAIL(-ENOMEM, XDIR_WAY, "no memory for a path");
	for (unsigned int i = dir->depth; i > 0; i--, d = d->parent)
		way[i - 1] = d;
	for (unsigned int i = 0; i < dir->depth && fd >= 0; i++) {
		/* For links in a directory that is finished it need not be readable. */
		int flags = way[i] == dir && !dir->left ? O_RDONLY : O_PATH;
		int below = openat(fd, way[i]->name, flags | OPEN_FLAGS);

		err = errno;
		if (fd != x->top->fd)
			close(fd);
		fd = below;
	}
	free(way);
	return fd < 0 ? BD_HOST_FAIL(err, XDIR_WALK, "open a directory again") : fd;
}

int bd_xdir_reopen(struct bd_extract *x, struct bd_xdir *dir, const struct bd_xdir *below)
{
	int fd = -1;

	bd_lock(&x->pool.lock);
	if (dir->users) {
		dir->users++;
		bd_unlock(&x->pool.lock);
		return 0;
	}
	bd_unlock(&x->pool.lock);
	if (below)
		fd = openat(below->fd, "..", O_RDONLY | OPEN_FLAGS);
	if (fd >= 0 && !is_same(dir, fd)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		fd = walk_down(x, dir);
	if (fd < 0)
		return fd;
	if (!is_same(dir, fd)) {
		close(fd);
		return BD_FAIL(-ESTALE, XDIR_MOVED, "a directory was moved away meanwhile");
	}
	bd_lock(&x->pool.lock);
	dir->fd = fd;
	dir->users = 1;
	bd_unlock(&x->pool.lock);
	return 0;
}
