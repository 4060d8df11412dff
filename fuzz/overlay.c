/* SPDX-License-Identifier: MIT */
/* fuzz/overlay.c - changed pages over the mapped devices of a base */
#include "bases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE  4096u
#define PAGES 2048u /* that one input may change */

struct page {
	unsigned int device;
	uint64_t nr;
	uint8_t bytes[PAGE];
};

static const struct base *current;
static struct page pages[PAGES];
static unsigned int num_pages, closes;

void overlay_begin(const struct base *base)
{
	current = base;
	num_pages = 0;
	closes = 0;
}

unsigned int overlay_closes(void)
{
	return closes;
}

static struct page *find(unsigned int device, uint64_t nr)
{
	for (unsigned int i = 0; i < num_pages; i++) {
		if (pages[i].nr == nr && pages[i].device == device)
			return &pages[i];
	}
	return NULL;
}

void overlay_read(unsigned int device, uint64_t offset, void *buf, size_t len)
{
	const struct base_device *dev = &current->device[device];
	uint8_t *out = buf;

	if (offset > dev->size || len > dev->size - offset)
		abort();
	while (len) {
		uint64_t nr = offset / PAGE, in = offset % PAGE;
		size_t n = len < PAGE - in ? len : PAGE - in;
		const struct page *page = find(device, nr);

		memcpy(out, page ? page->bytes + in : dev->bytes + offset, n);
		out += n;
		offset += n;
		len -= n;
	}
}

/* Changes beyond the number of pages are dropped: inputs are never that long. */
static void write_page(unsigned int device, uint64_t nr, uint64_t in, const uint8_t *src, size_t n)
{
	struct page *page = find(device, nr);

	if (!page && num_pages == PAGES)
		return;
	if (!page) {
		page = &pages[num_pages];
		memcpy(page->bytes, current->device[device].bytes + nr * PAGE, PAGE);
		page->device = device;
		page->nr = nr;
		num_pages++;
	}
	memcpy(page->bytes + in, src, n);
}

void overlay_write(unsigned int device, uint64_t offset, const void *buf, size_t len)
{
	const struct base_device *dev = &current->device[device];
	const uint8_t *src = buf;

	if (offset > dev->size || len > dev->size - offset)
		abort();
	while (len) {
		uint64_t in = offset % PAGE;
		size_t n = len < PAGE - in ? len : PAGE - in;

		write_page(device, offset / PAGE, in, src, n);
		src += n;
		offset += n;
		len -= n;
	}
}

static int device_read(void *priv, void *buf, size_t len, uint64_t offset)
{
	overlay_read((unsigned int)(uintptr_t)priv, offset, buf, len);
	return 0;
}

static int device_size(void *priv, uint64_t *out)
{
	*out = current->device[(uintptr_t)priv].size;
	return 0;
}

static void device_close(void *priv)
{
	(void)priv;
	closes++;
}

int overlay_open(uint64_t flags, unsigned int missing, struct bdio_fs **out)
{
	struct bdio_device devices[BASE_MAX_DEVICES];
	struct bdio_open_opts opts = {.size = sizeof(opts),
				      .flags = flags | BDIO_OPEN_BLOCKING,
				      .cache_bytes = 1u << 20,
				      .devices = devices};

	for (unsigned int i = 0; i < current->num_devices; i++) {
		if (missing >> i & 1)
			continue;
		devices[opts.num_devices++] = (struct bdio_device){.size = sizeof(devices[0]),
								   .priv = (void *)(uintptr_t)i,
								   .read = device_read,
								   .size_bytes = device_size,
								   .close = device_close};
	}
	return bdio_open(NULL, 0, &opts, out);
}
