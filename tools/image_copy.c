/* SPDX-License-Identifier: MIT */
/* tools/image_copy.c - copy used ranges of devices into sparse files */
#include "image_copy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "print.h"
#include "report.h"

/* A multiple of every node size. */
#define COPY_BUFFER (1u << 20)
/* A device has that many superblocks at most. */
#define SUPERS_PER_DEVICE 3

struct supers {
	struct bdio_used *list;
	size_t count, room;
};

static enum image_kind kind_of(const struct bdio_used *range)
{
	if (range->kind & BDIO_USED_SUPER)
		return IMAGE_SUPER;
	if (range->kind & BDIO_USED_PARITY)
		return IMAGE_PARITY;
	return range->kind & BDIO_USED_DATA ? IMAGE_DATA : IMAGE_METADATA;
}

static struct image_device *device_of(const struct image *image, uint64_t devid)
{
	for (size_t i = 0; i < image->num_devices; i++) {
		if (image->devices[i].devid == devid)
			return &image->devices[i];
	}
	return NULL;
}

/* Return: 0 or a positive errno. */
static int read_all(int fd, uint8_t *buf, size_t len, uint64_t offset)
{
	while (len > 0) {
		ssize_t got = pread(fd, buf, len, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? errno : EIO; /* EIO: behind the end */
		buf += got;
		len -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

static int write_all(const struct image_device *device, const uint8_t *buf, size_t len,
		     uint64_t offset)
{
	while (len > 0) {
		ssize_t put = pwrite(device->dest, buf, len, (off_t)offset);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			int err = -errno;
			report_errno(device->dest_path, -err);
			return err;
		}
		buf += put;
		len -= (size_t)put;
		offset += (uint64_t)put;
	}
	return 0;
}

static int copy_piece(struct image *image, struct image_device *device,
		      const struct bdio_used *range, uint64_t skip, uint8_t *buf, size_t len)
{
	if (image->verify) {
		int err = image_check(&image->check, range, skip, buf, len);
		if (err) {
			report_error(device->source_path, err);
			return err;
		}
	}
	device->copied += len;
	image->copied[kind_of(range)] += len;
	return write_all(device, buf, len, range->physical + skip);
}

/* A read failed: what can be read of it is copied sector by sector, the rest stays a hole. */
static int copy_sectors(struct image *image, struct image_device *device,
			const struct bdio_used *range, uint64_t skip, uint8_t *buf, size_t len)
{
	size_t step = image->session->info.sectorsize;

	for (size_t at = 0; at < len; at += step) {
		uint64_t physical = range->physical + skip + at;
		size_t part = len - at < step ? len - at : step;
		int errnum = read_all(device->source, buf, part, image->offset + physical);
		if (errnum) {
			image->unreadable += part;
			image->bad(image->priv, device, physical, part, strerror(errnum));
			continue;
		}
		/* A lone sector of a tree block cannot be verified. */
		image->check.unverified += part;
		device->copied += part;
		image->copied[kind_of(range)] += part;
		int err = write_all(device, buf, part, physical);
		if (err)
			return err;
	}
	return 0;
}

static void show_progress(const struct image *image)
{
	char size[SIZE_TEXT_MAX];
	uint64_t copied = 0;

	if (!progress_due())
		return;
	for (int i = 0; i < IMAGE_KINDS; i++)
		copied += image->copied[i];
	progress_show("device %" PRIu64 ", %s copied", image->current->devid,
		      size_text(copied, size));
}

static int copy_range(struct image *image, const struct bdio_used *range, uint8_t *buf)
{
	struct image_device *device = device_of(image, range->devid);
	uint64_t start = image->offset + range->physical;
	int err = 0;

	if (!device) {
		report(NULL, "a used range of device %" PRIu64 ", which is not there",
		       range->devid);
		return -ENXIO;
	}
	image->current = device;
	for (uint64_t skip = 0; !err && skip < range->length; skip += COPY_BUFFER) {
		uint64_t left = range->length - skip;
		size_t len = left < COPY_BUFFER ? (size_t)left : COPY_BUFFER;
		if (read_all(device->source, buf, len, start + skip))
			err = copy_sectors(image, device, range, skip, buf, len);
		else
			err = copy_piece(image, device, range, skip, buf, len);
		show_progress(image);
	}
	return err;
}

static int next_range(struct image *image, const struct bdio_used *range, struct supers *supers,
		      uint8_t *buf)
{
	if (!(range->kind & BDIO_USED_SUPER))
		return copy_range(image, range, buf);
	if (supers->count == supers->room) {
		report(NULL, "more superblocks than there can be");
		return -EUCLEAN;
	}
	supers->list[supers->count++] = *range;
	return 0;
}

static int copy_ranges(struct image *image, struct supers *supers, uint8_t *buf)
{
	const char *path = image->devices[0].source_path;
	struct bdio_used_iter *iter;
	struct bdio_used range;
	int got;

	int err = bdio_used_open(image->session->fs, 0, &iter);
	if (err) {
		report_error(path, err);
		return err;
	}
	while (!err && (got = bdio_used_next(iter, &range)) != 0) {
		if (got < 0) {
			report_error(path, got);
			err = got;
		} else {
			err = next_range(image, &range, supers, buf);
		}
	}
	bdio_used_close(iter);
	return err;
}

static int finish(struct image *image, const struct supers *supers, uint8_t *buf)
{
	for (size_t i = 0; i < supers->count; i++) {
		int err = copy_range(image, &supers->list[i], buf);
		if (err)
			return err;
	}
	for (size_t i = 0; i < image->num_devices; i++) {
		if (fsync(image->devices[i].dest)) {
			int err = -errno;
			report_errno(image->devices[i].dest_path, -err);
			return err;
		}
	}
	return 0;
}

static void check_found_bad(void *priv, uint64_t physical, uint64_t length, const char *problem)
{
	const struct image *image = priv;

	image->bad(image->priv, image->current, physical, length, problem);
}

int image_copy(struct image *image)
{
	struct supers supers = {.room = SUPERS_PER_DEVICE * image->num_devices};
	uint8_t *buf = malloc(COPY_BUFFER);
	int err = -ENOMEM;

	image->check = (struct image_check){.fs = image->session->fs,
					    .info = &image->session->info,
					    .bad = check_found_bad,
					    .priv = image};
	supers.list = calloc(supers.room, sizeof(*supers.list));
	if (buf && supers.list) {
		err = copy_ranges(image, &supers, buf);
		if (!err)
			err = finish(image, &supers, buf);
	} else {
		report_errno(NULL, ENOMEM);
	}
	progress_clear();
	free(supers.list);
	free(buf);
	return err;
}
