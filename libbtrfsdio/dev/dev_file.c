/* SPDX-License-Identifier: MIT */
/* dev/dev_file.c - a file or a block device, with O_DIRECT where it is possible */
#include "dev/dev_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/err.h"
#include "base/math.h"
#include "dev/inuse.h"

#define ALIGN_MAX  4096u /* what every issuer's buffers have; also what no device refuses */
#define SECTOR_MIN 512u
#define PAGE_BYTES 4096u /* of one segment, when the buffer's pages are scattered */

static void file_submit(struct bd_dev *dev, struct bd_ring *ring, struct bd_io *io)
{
	(void)dev;
	bd_ring_submit_fd(ring, io);
}

static void file_close(struct bd_dev *dev)
{
	if (dev->fd >= 0)
		close(dev->fd);
}

static const struct bd_dev_ops file_ops = {.submit = file_submit, .close = file_close};

/* A queue limit of the disk under @devno (a partition has none of its own), or 0. */
static unsigned long queue_limit(dev_t devno, const char *name)
{
	static const char *const places[] = {"/sys/dev/block/%u:%u/queue/%s",
					     "/sys/dev/block/%u:%u/../queue/%s"};
	unsigned long value = 0;

	for (size_t i = 0; i < 2 && !value; i++) {
		char path[128];
		snprintf(path, sizeof(path), places[i], major(devno), minor(devno), name);
		FILE *f = fopen(path, "re");
		if (!f)
			continue;
		if (fscanf(f, "%lu", &value) != 1)
			value = 0;
		fclose(f);
	}
	return value;
}

static uint32_t max_io(dev_t devno)
{
	uint64_t max = BD_DEV_MAX_IO;
	unsigned long kib = queue_limit(devno, "max_sectors_kb");
	unsigned long segments = queue_limit(devno, "max_segments");

	if (kib)
		max = bd_min_u64(max, (uint64_t)kib << 10);
	/* One segment less: a buffer that begins inside of a page touches one page more. */
	if (segments)
		max = bd_min_u64(max, (uint64_t)(segments - 1) * PAGE_BYTES);
	return (uint32_t)bd_max_u64(bd_align_down(max, PAGE_BYTES), PAGE_BYTES);
}

/* What direct I/O on @fd has to be aligned to; 0: there is no direct I/O. */
static uint32_t direct_align(int fd, bool is_block)
{
	uint32_t align = is_block ? SECTOR_MIN : 0;
	int sector;
	if (is_block && !ioctl(fd, BLKSSZGET, &sector) && sector > 0)
		align = (uint32_t)sector;

	struct statx stx;
	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) && stx.stx_mask & STATX_DIOALIGN) {
		if (!stx.stx_dio_offset_align)
			return 0;
		align = (uint32_t)bd_max_u64(align, stx.stx_dio_offset_align);
		return (uint32_t)bd_max_u64(align, stx.stx_dio_mem_align);
	}
	return align ? align : ALIGN_MAX;
}

static int use_page_cache(struct bd_dev *dev)
{
	int flags = fcntl(dev->fd, F_GETFL);
	if (flags < 0 || fcntl(dev->fd, F_SETFL, flags & ~O_DIRECT) < 0)
		return BD_FAIL(-errno, DEV_SETFL, "cannot turn off direct I/O on %s", dev->name);
	dev->buffered = true;
	dev->io_align = 1;
	return 0;
}

static int open_fd(struct bd_dev *dev)
{
	int flags = O_CLOEXEC | (dev->writable ? O_RDWR : O_RDONLY);
	if (dev->is_block && dev->writable)
		flags |= O_EXCL;

	dev->fd = open(dev->name, flags | O_DIRECT);
	if (dev->fd < 0 && errno == EINVAL) {
		dev->fd = open(dev->name, flags);
		dev->buffered = true;
	}
	if (dev->fd < 0) {
		int err = -errno;
		return BD_FAIL(err, DEV_OPEN, "cannot open %s: %s", dev->name,
			       strerrordesc_np(-err));
	}
	if (!dev->is_block && dev->writable && flock(dev->fd, LOCK_EX | LOCK_NB)) {
		int err = errno == EWOULDBLOCK ? -EBUSY : -errno;
		return BD_FAIL(err, DEV_LOCK, "cannot lock %s: %s", dev->name,
			       strerrordesc_np(-err));
	}
	return 0;
}

static int learn_size(struct bd_dev *dev, const struct stat *st)
{
	uint64_t bytes = (uint64_t)st->st_size;
	if (dev->is_block && ioctl(dev->fd, BLKGETSIZE64, &bytes))
		return BD_FAIL(-errno, DEV_SIZE, "cannot get the size of %s", dev->name);
	if (dev->base > bytes)
		return BD_FAIL(-EINVAL, DEV_OFFSET,
			       "offset %llu is beyond the end of %s, which has %llu bytes",
			       (unsigned long long)dev->base, dev->name, (unsigned long long)bytes);
	dev->size = bytes - dev->base;
	return 0;
}

static int learn_geometry(struct bd_dev *dev)
{
	struct stat st;
	if (fstat(dev->fd, &st))
		return BD_FAIL(-errno, DEV_FSTAT, "cannot stat the open %s", dev->name);
	if (S_ISBLK(st.st_mode) != dev->is_block)
		return BD_FAIL(-EINVAL, DEV_REPLACED, "%s was replaced while it was opened",
			       dev->name);
	int err = learn_size(dev, &st);
	if (err)
		return err;
	dev->max_io = max_io(dev->is_block ? st.st_rdev : st.st_dev);
	if (dev->buffered)
		return 0;
	uint32_t align = direct_align(dev->fd, dev->is_block);
	if (!align || align > ALIGN_MAX || !bd_is_pow2(align) || !bd_is_aligned(dev->base, align))
		return use_page_cache(dev);
	dev->io_align = align;
	return 0;
}

static int open_file(struct bd_dev *dev, bool allow_in_use)
{
	int err = open_fd(dev);
	if (err)
		return err;
	err = learn_geometry(dev);
	if (err || allow_in_use)
		return err;
	return bd_inuse_check(dev->fd, dev->name);
}

int bd_dev_open_path(const char *path, const struct bd_dev_open *args, struct bd_dev **out)
{
	/* Before it is opened: a fifo would block, a tape would rewind. */
	struct stat st;
	if (stat(path, &st)) {
		int err = -errno;
		return BD_FAIL(err, DEV_STAT, "cannot open %s: %s", path, strerrordesc_np(-err));
	}
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return BD_FAIL(-EINVAL, DEV_TYPE, "%s is neither a file nor a block device", path);

	struct bd_dev *dev = bd_dev_alloc(sizeof(*dev), &file_ops, path);
	if (!dev)
		return BD_FAIL(-ENOMEM, DEV_ALLOC, "no memory for the device %s", path);
	dev->writable = args->writable;
	dev->is_block = S_ISBLK(st.st_mode);
	dev->base = args->offset;
	int err = open_file(dev, args->allow_in_use);
	if (err) {
		bd_dev_close(dev);
		return err;
	}
	*out = dev;
	return 0;
}
