/* SPDX-License-Identifier: MIT */
/* dev/inuse.c - is a device or an image part of a filesystem that the kernel has mounted? */
#include "dev/inuse.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/err.h"
#include "base/mem.h"

#define MOUNTED	    "/sys/fs/btrfs"
#define STACK_DEPTH 8 /* of devices on devices: loop, partition, crypt, RAID, volume, ... */

/* Something that holds bytes: a block device (ino 0) or a file. */
struct store {
	dev_t dev;
	ino_t ino;
};

struct stores {
	struct store *v;
	size_t n, cap;
};

/* A device's own bytes, and, with what stands below it, everything that it keeps busy. */
struct extent_of_use {
	struct stores self;
	struct stores all;
};

static int add(struct stores *set, dev_t dev, ino_t ino)
{
	int err = bd_array_grow((void **)&set->v, &set->cap, set->n + 1, sizeof(*set->v));
	if (!err)
		set->v[set->n++] = (struct store){.dev = dev, .ino = ino};
	return err;
}

static bool overlap(const struct stores *a, const struct stores *b)
{
	for (size_t i = 0; i < a->n; i++) {
		for (size_t j = 0; j < b->n; j++) {
			if (a->v[i].dev == b->v[j].dev && a->v[i].ino == b->v[j].ino)
				return true;
		}
	}
	return false;
}

static void use_fini(struct extent_of_use *use)
{
	free(use->self.v);
	free(use->all.v);
}

static bool join(char path[PATH_MAX], const char *dir, const char *name)
{
	int n = snprintf(path, PATH_MAX, "%s/%s", dir, name);
	return n > 0 && n < PATH_MAX;
}

/* First line of an attribute in sysfs; false when there is none. */
static bool read_attr(const char *dir, const char *name, char line[PATH_MAX])
{
	char path[PATH_MAX];
	if (!join(path, dir, name))
		return false;
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	bool ok = fgets(line, PATH_MAX, f) != NULL;
	fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

/* @dir: a block device in sysfs. Its number, and the file behind it if it is a loop device. */
static int add_self(struct stores *set, const char *dir)
{
	char line[PATH_MAX];
	unsigned int maj, min;
	struct stat st;

	if (!read_attr(dir, "dev", line) || sscanf(line, "%u:%u", &maj, &min) != 2)
		return 0; /* gone in the meantime */
	int err = add(set, makedev(maj, min), 0);
	if (!err && read_attr(dir, "loop/backing_file", line) && !stat(line, &st))
		err = S_ISBLK(st.st_mode) ? add(set, st.st_rdev, 0)
					  : add(set, st.st_dev, st.st_ino);
	return err;
}

static int add_all(struct stores *set, const char *dir, unsigned int depth);

/* The devices that @dir is made of. */
static int add_slaves(struct stores *set, const char *dir, unsigned int depth)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	int err = 0;

	if (!join(path, dir, "slaves"))
		return 0;
	DIR *d = opendir(path);
	while (d && !err && (entry = readdir(d))) {
		char slave[PATH_MAX];
		if (entry->d_name[0] != '.' && join(slave, path, entry->d_name))
			err = add_all(set, slave, depth);
	}
	if (d)
		closedir(d);
	return err;
}

static int add_all(struct stores *set, const char *dir, unsigned int depth)
{
	char disk[PATH_MAX], line[PATH_MAX];

	int err = add_self(set, dir);
	if (err || depth == STACK_DEPTH)
		return err;
	if (read_attr(dir, "partition", line) && join(disk, dir, ".."))
		err = add_all(set, disk, depth + 1);
	return err ? err : add_slaves(set, dir, depth + 1);
}

static int use_of_dir(struct extent_of_use *use, const char *dir)
{
	int err = add_self(&use->self, dir);
	return err ? err : add_all(&use->all, dir, 0);
}

static int use_of_fd(struct extent_of_use *use, int fd)
{
	struct stat st;
	char dir[64];

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISBLK(st.st_mode)) {
		int err = add(&use->self, st.st_dev, st.st_ino);
		return err ? err : add(&use->all, st.st_dev, st.st_ino);
	}
	snprintf(dir, sizeof(dir), "/sys/dev/block/%u:%u", major(st.st_rdev), minor(st.st_rdev));
	return use_of_dir(use, dir);
}

/*
 * Two partitions of one disk share the disk and do not collide; a disk collides with each of its
 * partitions. So one side's own bytes are compared with everything that the other keeps busy.
 */
static int check_member(const struct extent_of_use *ours, const char *member, bool *busy)
{
	struct extent_of_use theirs = {0};
	int err = use_of_dir(&theirs, member);
	if (!err)
		*busy = overlap(&ours->self, &theirs.all) || overlap(&ours->all, &theirs.self);
	use_fini(&theirs);
	return err;
}

static int check_filesystem(const struct extent_of_use *ours, const char *fsid, const char *path)
{
	char dir[PATH_MAX], member[PATH_MAX];
	const struct dirent *entry;
	bool busy = false;
	int err = 0;

	snprintf(dir, sizeof(dir), MOUNTED "/%s/devices", fsid);
	DIR *d = opendir(dir);
	while (d && !err && !busy && (entry = readdir(d))) {
		if (entry->d_name[0] == '.' || !join(member, dir, entry->d_name))
			continue;
		err = check_member(ours, member, &busy);
		if (busy)
			err = BD_FAIL(-EBUSY, INUSE_MOUNTED,
				      "%s is in use: filesystem %s is mounted from %s", path, fsid,
				      entry->d_name);
		else if (err)
			BD_FAIL(err, INUSE_MEMBER, "cannot tell whether %s is in use", path);
	}
	if (d)
		closedir(d);
	return err;
}

static int check_mounted(const struct extent_of_use *ours, const char *path)
{
	const struct dirent *entry;
	int err = 0;

	DIR *d = opendir(MOUNTED);
	if (!d && errno != ENOENT)
		return BD_FAIL(-errno, INUSE_SYSFS, "cannot list %s", MOUNTED);
	while (d && !err && (entry = readdir(d))) {
		if (entry->d_name[0] != '.')
			err = check_filesystem(ours, entry->d_name, path);
	}
	if (d)
		closedir(d);
	return err;
}

int bd_inuse_check(int fd, const char *path)
{
	struct extent_of_use ours = {0};
	int err = use_of_fd(&ours, fd);
	if (err)
		err = BD_FAIL(err, INUSE_SELF, "cannot find out what %s is", path);
	else
		err = check_mounted(&ours, path);
	use_fini(&ours);
	return err;
}
