/* SPDX-License-Identifier: MIT */
/* dev/inuse.h - does the kernel have this filesystem or device in use? and: find its members */
#ifndef BD_DEV_INUSE_H
#define BD_DEV_INUSE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Is @fd (a block device or an image file named @path) a member of a filesystem that the
 * kernel has mounted? Looks at /sys/fs/btrfs/<fsid>/devices, at the backing files of loop devices,
 * at partitions and holders: the mount table names one member only.
 * Return: 0 no; -EBUSY yes (reported, names what uses it); other -errno.
 */
int bd_inuse_check(int fd, const char *path);

/*
 * Find block devices that carry a btrfs superblock of @fsid, with libblkid.
 * *paths: array of *n strings; free each and the array. Reported errors.
 */
int bd_scan_members(const uint8_t fsid[16], char ***paths, size_t *n);

#endif
