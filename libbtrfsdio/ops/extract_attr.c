/* SPDX-License-Identifier: MIT */
/* ops/extract_attr.c - owners, modes, extended attributes, times */
#include "ops/extract_priv.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <sys/xattr.h>
#include <unistd.h>

#define NSEC_MAX    999999999u
#define ACL_ACCESS  "system.posix_acl_access"
#define ACL_DEFAULT "system.posix_acl_default"

/* A walk over the attributes of an inode. */
struct attrs {
	struct bd_extract *x;
	const struct bd_xnode *node;
	bool acls;		     /* it is their turn */
	bool has_acls;		     /* there are some */
	char path[64 + BD_NAME_MAX]; /* of what has no descriptor; empty: not needed yet */
};

static void lost(struct bd_extract *x, const struct bd_xnode *node)
{
	bd_extract_lost(x, node->dir, node->name);
}

/* False: it does not belong to its owner. */
static bool set_owner(struct bd_extract *x, const struct bd_xnode *node)
{
	const struct bdio_stat *st = node->st;
	int ret;

	if (!x->set_owner)
		return !x->is_root || (st->uid == 0 && st->gid == 0);
	if (node->fd >= 0)
		ret = fchown(node->fd, st->uid, st->gid);
	else
		ret = fchownat(node->dir->fd, node->name, st->uid, st->gid, AT_SYMLINK_NOFOLLOW);
	if (ret == 0)
		return true;
	BD_HOST_FAIL(errno, XATTR_OWNER, "set the owner");
	lost(x, node);
	return false;
}

static void set_mode(struct bd_extract *x, const struct bd_xnode *node, bool owned)
{
	mode_t mode = node->st->mode & 07777;
	int ret;

	/* What runs as its owner must not run as root because root copied it. */
	if (!owned && !S_ISDIR(node->st->mode))
		mode &= ~(mode_t)(S_ISUID | S_ISGID);
	if (node->fd >= 0)
		ret = fchmod(node->fd, mode);
	else
		ret = fchmodat(node->dir->fd, node->name, mode, AT_SYMLINK_NOFOLLOW);
	if (ret == 0)
		return;
	BD_HOST_FAIL(errno, XATTR_MODE, "set the mode");
	lost(x, node);
}

/* False: nonsense, whose nearest value is taken. Linux has special meanings for such. */
static bool take_time(const struct bdio_timespec *t, struct timespec *out)
{
	out->tv_sec = t->sec;
	out->tv_nsec = t->nsec > NSEC_MAX ? NSEC_MAX : t->nsec;
	return t->nsec <= NSEC_MAX;
}

static void set_times(struct bd_extract *x, const struct bd_xnode *node)
{
	const struct bdio_stat *st = node->st;
	struct timespec times[2];
	bool sound = take_time(&st->atime, &times[0]);
	int ret;

	sound = take_time(&st->mtime, &times[1]) && sound;
	if (!sound) {
		BD_FAIL(-EUCLEAN, XATTR_NSEC, "corrupt inode: %llu, more than a second of ns",
			(unsigned long long)st->ino.inode);
		bd_err_at_inode(st->ino.subvol, st->ino.inode);
		lost(x, node);
	}
	if (node->fd >= 0)
		ret = futimens(node->fd, times);
	else
		ret = utimensat(node->dir->fd, node->name, times, AT_SYMLINK_NOFOLLOW);
	if (ret == 0)
		return;
	BD_HOST_FAIL(errno, XATTR_TIMES, "set the times");
	lost(x, node);
}

/* --- extended attributes ------------------------------------------------------------------- */

static bool is_acl(const char *name)
{
	return !strcmp(name, ACL_ACCESS) || !strcmp(name, ACL_DEFAULT);
}

/* Properties of btrfs mean nothing to other filesystems, and not all to other kernels. */
static bool may_be_skipped(const char *name, int err)
{
	return !strncmp(name, "btrfs.", 6) && (err == EOPNOTSUPP || err == EINVAL);
}

/* No system call sets an attribute of a name in an open directory; this is the same. */
static int set_by_name(struct attrs *a, const char *name, const void *value, size_t len)
{
	if (!a->path[0])
		snprintf(a->path, sizeof(a->path), "/proc/self/fd/%d/%s", a->node->dir->fd,
			 a->node->name);
	return lsetxattr(a->path, name, value, len, 0);
}

static int set_xattr(void *priv, const char *name, size_t name_len, const void *value,
		     size_t value_len)
{
	struct attrs *a = priv;
	char own[BD_XATTR_NAME_MAX + 1];
	int ret;

	if (name_len > BD_XATTR_NAME_MAX || memchr(name, 0, name_len)) {
		BD_FAIL(-EUCLEAN, XATTR_NAME,
			"corrupt attribute: inode %llu, its name is not valid",
			(unsigned long long)a->node->st->ino.inode);
		lost(a->x, a->node);
		return 0;
	}
	memcpy(own, name, name_len);
	own[name_len] = 0;
	if (is_acl(own) != a->acls) {
		a->has_acls = true;
		return 0;
	}
	if (a->node->fd >= 0)
		ret = fsetxattr(a->node->fd, own, value, value_len, 0);
	else
		ret = set_by_name(a, own, value, value_len);
	if (ret && !may_be_skipped(own, errno)) {
		BD_FAIL(-errno, XATTR_SET, "cannot set the attribute %.128s: %s", own,
			strerrordesc_np(errno) ?: "unknown error");
		lost(a->x, a->node);
	}
	return 0;
}

static void set_xattrs(struct attrs *a)
{
	if (bd_xattr_each(a->x->fs, a->node->st->ino, set_xattr, a))
		lost(a->x, a->node);
}

/* The host gave it an ACL that it must not keep. Where there is none, all is well. */
static void drop_inherited_acls(const struct bd_xnode *node)
{
	if (node->fd < 0)
		return;
	fremovexattr(node->fd, ACL_ACCESS);
	if (S_ISDIR(node->st->mode))
		fremovexattr(node->fd, ACL_DEFAULT);
}

/*
 * A change of the owner removes capabilities and set-id bits. Attributes other than ACLs need
 * write permission, which the mode may take away; the mode overwrites part of an ACL.
 */
void bd_extract_attrs(struct bd_extract *x, const struct bd_xnode *node)
{
	struct attrs a = {.x = x, .node = node};
	bool owned = set_owner(x, node);

	if (node->dir->default_acl)
		drop_inherited_acls(node);
	if (!(x->opts->flags & BDIO_EXTRACT_NO_XATTR))
		set_xattrs(&a);
	if (!S_ISLNK(node->st->mode))
		set_mode(x, node, owned);
	if (a.has_acls) {
		a.acls = true;
		set_xattrs(&a);
	}
	set_times(x, node);
}
