/* SPDX-License-Identifier: MIT */
/* inode/csum_range.c - stored checksums, in cached windows of the logical space */
#include "inode/inode.h"

#include <string.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"

/* Names the space of checksums among the cached ranges: no subvolume has this id. */
#define CSUM_SPACE BD_OBJ_EXTENT_CSUM

static uint32_t win_sectors(const struct bd_super *super)
{
	return BD_CSUM_WIN_BYTES / super->csum_size;
}

static struct bd_csum_win *win_new(const struct bd_super *super, uint64_t start, uint64_t bytes)
{
	uint32_t n = win_sectors(super);
	size_t size = sizeof(struct bd_csum_win) + n / 8 + BD_CSUM_WIN_BYTES;
	struct bd_csum_win *win = malloc(size);

	if (!win)
		return NULL;
	win->range = (struct bd_range){
		.a = CSUM_SPACE,
		.start = start,
		.end = start + bd_min_u64(bytes, UINT64_MAX - start),
		.bytes = size,
		.refs = 1,
	};
	win->present = (uint64_t *)(win + 1);
	win->csums = (uint8_t *)win->present + n / 8;
	memset(win->present, 0, n / 8);
	return win;
}

/* Copy what an item has of the window. Items are aligned and hold whole checksums: checked. */
static void take_item(struct bd_csum_win *win, const struct bd_super *super, uint64_t logical,
		      const uint8_t *data, uint32_t size)
{
	uint64_t n = size / super->csum_size;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = logical + i * super->sectorsize;
		uint64_t sector;

		if (at < win->range.start)
			continue;
		if (at >= win->range.end)
			break;
		sector = (at - win->range.start) / super->sectorsize;
		memcpy(win->csums + sector * super->csum_size, data + i * super->csum_size,
		       super->csum_size);
		win->present[sector / 64] |= 1ULL << (sector % 64);
	}
}

static int win_load(struct bd_volume *vol, struct bd_csum_win *win)
{
	const struct bd_tree *tree = &vol->csum_tree;
	struct bd_key key = bd_key(BD_OBJ_EXTENT_CSUM, BD_KEY_EXTENT_CSUM, win->range.start);
	struct bd_path path;
	int ret;

	if (!tree->bytenr)
		return 0;
	bd_path_init(&path);
	/* the item that begins before the window may reach into it */
	ret = bd_tree_last(tree, &key, &path, &key);
	if (ret == 1)
		ret = bd_tree_first(tree, &key, &path, &key);
	for (; ret == 0; ret = bd_path_next(tree, &path)) {
		const void *data;
		uint32_t size;

		key = bd_path_key(&path);
		if (key.objectid > BD_OBJ_EXTENT_CSUM ||
		    (key.objectid == BD_OBJ_EXTENT_CSUM && key.offset >= win->range.end))
			break;
		if (key.objectid != BD_OBJ_EXTENT_CSUM || key.type != BD_KEY_EXTENT_CSUM)
			continue;
		data = bd_path_data(&path, &size);
		take_item(win, &vol->super, key.offset, data, size);
	}
	bd_path_release(&path);
	return ret < 0 ? ret : 0;
}

int bd_csum_win_get(struct bd_inodes *inodes, uint64_t logical, struct bd_csum_win **out)
{
	const struct bd_super *super = &inodes->vol->super;
	uint64_t bytes = bd_csum_win_span(super);
	struct bd_range *range = bd_rcache_find(&inodes->ranges, CSUM_SPACE, 0, logical);
	struct bd_csum_win *win;
	int err;

	if (range) {
		*out = (struct bd_csum_win *)range;
		return 0;
	}
	win = win_new(super, bd_align_down(logical, bytes), bytes);
	if (!win)
		return BD_FAIL(-ENOMEM, CSUM_WIN, "no memory for checksums");
	err = win_load(inodes->vol, win);
	if (err) {
		free(win);
		return err;
	}
	bd_rcache_add(&inodes->ranges, &win->range);
	*out = win;
	return 0;
}

const uint8_t *bd_csum_of(const struct bd_csum_win *win, const struct bd_super *super,
			  uint64_t logical)
{
	uint64_t sector = (logical - win->range.start) / super->sectorsize;

	if (!(win->present[sector / 64] >> (sector % 64) & 1))
		return NULL;
	return win->csums + sector * super->csum_size;
}
