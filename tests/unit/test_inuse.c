/* SPDX-License-Identifier: MIT */
/* tests/unit/test_inuse.c - what the kernel has mounted is seen through loops, members and
 * partitions */
#include "unit.h"

#include <errno.h>
#include <linux/blkpg.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <uuid/uuid.h>
#include "base/err.h"
#include "dev/inuse.h"
#include "scratch.h"

static char dir[64];

/* Run a shell command; its first line of output in @out. 0: it succeeded. */
__attribute__((format(printf, 2, 3))) static int sh(char out[256], const char *fmt, ...)
{
	char command[1024], line[256] = "";
	va_list args;
	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);

	FILE *f = popen(command, "r");
	if (!f)
		return -1;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	char more[256];
	while (fgets(more, sizeof(more), f))
		continue;
	line[strcspn(line, "\n")] = '\0';
	if (out)
		strcpy(out, line);
	return pclose(f);
}

static bool set_up(void)
{
	strcpy(dir, "/tmp/bdio-inuse-XXXXXX");
	if (geteuid()) {
		unit_skip("needs root");
		return false;
	}
	if (sh(NULL, "command -v mkfs.btrfs >/dev/null && command -v losetup >/dev/null && "
		     "modprobe -q btrfs;"
		     "grep -qw btrfs /proc/filesystems && test -e /dev/loop-control")) {
		unit_skip("needs mkfs.btrfs, losetup, loop devices and the kernel's btrfs");
		return false;
	}
	return mkdtemp(dir) != NULL;
}

/* Detaches whatever loop device stands on a file of the folder. */
static void tear_down(void)
{
	sh(NULL,
	   "umount %s/mnt 2>/dev/null;"
	   "for i in %s/*.img; do losetup -j \"$i\" | cut -d: -f1 | xargs -r losetup -d; done;"
	   "rm -rf %s",
	   dir, dir, dir);
}

static int attach(const char *image, char loop[256])
{
	return sh(loop, "truncate -s 128M %s/%s && losetup -f --show -P %s/%s", dir, image, dir,
		  image);
}

static int check(const char *path)
{
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	int err = bd_inuse_check(fd, path);
	close(fd);
	return err;
}

static int check_image(const char *image)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", dir, image);
	return check(path);
}

static void an_ordinary_file_is_free(void)
{
	const char *path = scratch_file(4096);
	CU_ASSERT_EQUAL(check(path), 0);
	unlink(path);
}

static void open_path_refuses(const char *image)
{
	char path[128];
	struct bd_dev *dev;
	struct bd_dev_open args = {0};

	snprintf(path, sizeof(path), "%s/%s", dir, image);
	CU_ASSERT_EQUAL(bd_dev_open_path(path, &args, &dev), -EBUSY);
	CU_ASSERT_STRING_EQUAL(bdio_error_get()->site, "INUSE_MOUNTED");
	CU_ASSERT_PTR_NOT_NULL(strstr(bdio_error_get()->message, path));
	args.allow_in_use = true;
	int err = bd_dev_open_path(path, &args, &dev);
	CU_ASSERT_EQUAL(err, 0);
	if (!err)
		bd_dev_close(dev);
}

static void every_member_of_a_mounted_filesystem_is_busy(void)
{
	char a[256], b[256], again[256], other[256];

	if (!set_up())
		return;
	CU_ASSERT_EQUAL(attach("a.img", a), 0);
	CU_ASSERT_EQUAL(attach("b.img", b), 0);
	CU_ASSERT_EQUAL(attach("other.img", other), 0);
	CU_ASSERT_EQUAL(sh(NULL, "mkfs.btrfs -q -d raid1 -m raid1 %s %s", a, b), 0);
	CU_ASSERT_EQUAL(check_image("a.img"), 0);
	CU_ASSERT_EQUAL(check(a), 0);

	CU_ASSERT_EQUAL(sh(NULL,
			   "mkdir %s/mnt && mount -o device=%s %s %s/mnt && ln %s/b.img "
			   "%s/link.img",
			   dir, b, a, dir, dir, dir),
			0);
	CU_ASSERT_EQUAL(check_image("a.img"), -EBUSY);
	CU_ASSERT_EQUAL(check_image("b.img"), -EBUSY);
	CU_ASSERT_EQUAL(check_image("link.img"), -EBUSY);
	CU_ASSERT_EQUAL(check(a), -EBUSY);
	CU_ASSERT_EQUAL(check(b), -EBUSY);
	CU_ASSERT_EQUAL(sh(again, "losetup -f --show %s/a.img", dir), 0);
	CU_ASSERT_EQUAL(check(again), -EBUSY);
	CU_ASSERT_EQUAL(check_image("other.img"), 0);
	CU_ASSERT_EQUAL(check(other), 0);
	open_path_refuses("b.img");

	CU_ASSERT_EQUAL(sh(NULL, "umount %s/mnt", dir), 0);
	CU_ASSERT_EQUAL(check_image("a.img"), 0);
	tear_down();
}

/* Two partitions of 140 MiB; told to the kernel, which may not read partition tables. */
static int partition(const char *disk)
{
	int fd = open(disk, O_RDONLY), err = 0;
	for (int i = 0; fd >= 0 && !err && i < 2; i++) {
		struct blkpg_partition part = {
			.start = (1 + i * 140LL) << 20, .length = 140LL << 20, .pno = i + 1};
		struct blkpg_ioctl_arg arg = {
			.op = BLKPG_ADD_PARTITION, .datalen = sizeof(part), .data = &part};
		err = ioctl(fd, BLKPG, &arg);
	}
	close(fd);
	return fd < 0 ? fd : err;
}

static void partitions_and_their_disk_collide(void)
{
	char disk[256], part[300], image[64] = "disk.img";

	if (!set_up())
		return;
	CU_ASSERT_EQUAL(sh(disk, "truncate -s 300M %s/%s && losetup -f --show -P %s/%s", dir, image,
			   dir, image),
			0);
	if (partition(disk)) {
		unit_skip("this kernel gives loop devices no partitions");
		tear_down();
		return;
	}
	CU_ASSERT_EQUAL(sh(NULL, "mkfs.btrfs -q %sp1 && mkdir %s/mnt && mount %sp1 %s/mnt", disk,
			   dir, disk, dir),
			0);
	snprintf(part, sizeof(part), "%sp1", disk);
	CU_ASSERT_EQUAL(check(part), -EBUSY);
	snprintf(part, sizeof(part), "%sp2", disk);
	CU_ASSERT_EQUAL(check(part), 0);
	CU_ASSERT_EQUAL(check(disk), -EBUSY);
	CU_ASSERT_EQUAL(check_image(image), -EBUSY);
	tear_down();
}

static bool holds(char **paths, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(paths[i], path))
			return true;
	}
	return false;
}

static void members_are_found_by_fsid(void)
{
	const char *text = "6d0a3a4e-9b0c-4c43-8d8f-0a7a4d3a5b11";
	char a[256], b[256], other[256], **paths = NULL;
	uint8_t fsid[16];
	size_t n = 0;

	if (!set_up())
		return;
	uuid_parse(text, fsid);
	CU_ASSERT_EQUAL(attach("a.img", a), 0);
	CU_ASSERT_EQUAL(attach("b.img", b), 0);
	CU_ASSERT_EQUAL(attach("other.img", other), 0);
	CU_ASSERT_EQUAL(
		sh(NULL, "mkfs.btrfs -q -U %s %s %s && mkfs.btrfs -q %s", text, a, b, other), 0);
	CU_ASSERT_EQUAL(bd_scan_members(fsid, &paths, &n), 0);
	CU_ASSERT_EQUAL(n, 2);
	CU_ASSERT_TRUE(holds(paths, n, a));
	CU_ASSERT_TRUE(holds(paths, n, b));
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
	tear_down();
}

static void an_unknown_fsid_has_no_members(void)
{
	const uint8_t fsid[16] = {1, 2, 3};
	char **paths = NULL;
	size_t n = 77;

	if (geteuid()) {
		unit_skip("needs root to read block devices");
		return;
	}
	CU_ASSERT_EQUAL(bd_scan_members(fsid, &paths, &n), 0);
	CU_ASSERT_EQUAL(n, 0);
	free(paths);
}

static void a_block_device_is_a_device(void)
{
	char loop[256];
	struct bd_dev *dev = NULL, *second = NULL;
	struct bd_dev_open args = {.writable = true};
	uint8_t *buf = scratch_buf(65536);

	if (!set_up())
		goto out;
	CU_ASSERT_EQUAL(attach("a.img", loop), 0);
	CU_ASSERT_EQUAL(bd_dev_open_path(loop, &args, &dev), 0);
	if (dev) {
		CU_ASSERT_TRUE(dev->is_block);
		CU_ASSERT_EQUAL(dev->size, 128u << 20);
		CU_ASSERT_FALSE(dev->buffered);
		CU_ASSERT_EQUAL(dev->io_align, 512);
		CU_ASSERT_EQUAL(bd_dev_read(dev, buf, 65536, 1 << 20), 0);
		CU_ASSERT_EQUAL(buf[0] | buf[65535], 0);
		CU_ASSERT_EQUAL(bd_dev_open_path(loop, &args, &second), -EBUSY);
		bd_dev_close(dev);
	}
	tear_down();
out:
	free(buf);
}

static const struct unit_test tests[] = {
	UNIT_TEST(an_ordinary_file_is_free),
	UNIT_TEST(every_member_of_a_mounted_filesystem_is_busy),
	UNIT_TEST(partitions_and_their_disk_collide),
	UNIT_TEST(members_are_found_by_fsid),
	UNIT_TEST(an_unknown_fsid_has_no_members),
	UNIT_TEST(a_block_device_is_a_device),
};

UNIT_MAIN("inuse", tests)
