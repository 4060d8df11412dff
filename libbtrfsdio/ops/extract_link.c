/* SPDX-License-Identifier: MIT */
/* ops/extract_link.c - files with several names: the first is copied, the others are links */
#include "ops/extract_priv.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"

static int link_cmp(const struct bd_xlink *a, const struct bd_xlink *b)
{
	return bd_ino_cmp(a->ino, b->ino);
}

BD_RB_GENERATE(bd_xlinks, bd_xlink, node, link_cmp)

static void drop(struct bd_extract *x, struct bd_xlink *link)
{
	RB_REMOVE(bd_xlinks, &x->links, link);
	bd_xdir_put(link->dir);
	free(link);
}

static void close_first(struct bd_extract *x)
{
	if (!x->link_dir)
		return;
	bd_xdir_leave(x, x->link_dir);
	bd_xdir_put(x->link_dir);
	x->link_dir = NULL;
}

/* Files that are linked into one directory mostly come from one: it stays open. */
static int open_first(struct bd_extract *x, struct bd_xdir *dir)
{
	int err;

	if (dir == x->link_dir)
		return 0;
	close_first(x);
	err = bd_xdir_reopen(x, dir, NULL);
	if (err)
		return err;
	bd_xdir_get(dir);
	x->link_dir = dir;
	return 0;
}

void bd_xlinks_fini(struct bd_extract *x)
{
	struct bd_xlink *link, *next;

	close_first(x);
	RB_FOREACH_SAFE(link, bd_xlinks, &x->links, next)
		drop(x, link);
}

/* From now on @name in @dir is what the others are linked to, once it is settled. */
static void become_first(struct bd_xlink *link, struct bd_xdir *dir, const char *name)
{
	bd_xdir_get(dir);
	bd_xdir_put(link->dir);
	link->dir = dir;
	snprintf(link->name, sizeof(link->name), "%s", name);
	link->state = BD_XLINK_PENDING;
}

/* NULL: no memory, reported; the extraction is stopped. */
static struct bd_xlink *add(struct bd_extract *x, struct bd_xdir *dir, const char *name,
			    const struct bdio_stat *st)
{
	struct bd_xlink *link = bd_zalloc(sizeof(*link));

	if (!link) {
		BD_FAIL(-ENOMEM, XLINK_NEW, "no memory to remember a link");
		bd_extract_stop(x);
		return NULL;
	}
	link->ino = st->ino;
	link->left = st->nlink - 1;
	become_first(link, dir, name);
	RB_INSERT(bd_xlinks, &x->links, link);
	return link;
}

void bd_xlink_settle(struct bd_extract *x, struct bd_xlink *link, const struct stat *host)
{
	if (!link)
		return;
	bd_lock(&x->pool.lock);
	link->state = host ? BD_XLINK_DONE : BD_XLINK_FAILED;
	if (host) {
		link->host_dev = host->st_dev;
		link->host_ino = host->st_ino;
	}
	pthread_cond_signal(&x->pool.news);
	bd_unlock(&x->pool.lock);
}

/* Another entry of the image may have taken the first name since: is this still that file? */
static int check_made(const struct bd_xlink *link, const struct bd_xdir *dir, const char *name)
{
	struct stat host;

	if (!fstatat(dir->fd, name, &host, AT_SYMLINK_NOFOLLOW) && host.st_dev == link->host_dev &&
	    host.st_ino == link->host_ino)
		return 0;
	unlinkat(dir->fd, name, 0);
	return BD_FAIL(-ESTALE, XLINK_OTHER, "the file to link to was replaced meanwhile");
}

static int make_link(struct bd_extract *x, const struct bd_xlink *link, struct bd_xdir *dir,
		     const char *name)
{
	unsigned int tries = 0;
	int err = open_first(x, link->dir);

	if (err)
		return err;
	while (linkat(link->dir->fd, link->name, dir->fd, name, 0)) {
		err = bd_extract_make_room(dir, name, &tries);
		if (err) {
			BD_HOST_FAIL(-err, XLINK_MAKE, "make a link, copied instead");
			break;
		}
	}
	return err ? err : check_made(link, dir, name);
}

static void count_link(struct bd_extract *x, const struct bdio_stat *st)
{
	bd_count(S_ISREG(st->mode) ? &x->files : &x->others, 1);
}

bool bd_xlink_made(struct bd_extract *x, struct bd_xdir *dir, const char *name,
		   const struct bdio_stat *st, struct bd_xlink **out)
{
	struct bd_xlink want = {.ino = st->ino}, *link;
	bool made = false;

	link = RB_FIND(bd_xlinks, &x->links, &want);
	if (!link) {
		*out = add(x, dir, name, st);
		return false;
	}
	bd_xpool_await_link(x, link);
	if (link->state == BD_XLINK_DONE) {
		made = make_link(x, link, dir, name) == 0;
		if (made)
			count_link(x, st);
		else
			bd_extract_lost(x, dir, name);
	}
	/* All names were there: a further one, which only damage makes, is a copy. */
	if (--link->left == 0) {
		drop(x, link);
	} else if (!made) {
		become_first(link, dir, name);
		*out = link;
	}
	return made;
}
