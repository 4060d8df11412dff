/* SPDX-License-Identifier: MIT */
/* inode/extent_map.c - the extents of a file, in cached segments */
#include "inode/inode.h"

#include <string.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"

/* Extents of one segment: some leaves' worth, so that a miss costs one descent for many reads. */
#define SEG_MAX 256u

struct seg_builder {
	const struct bd_inode *inode;
	uint64_t start, end;
	uint32_t n;
	size_t inline_bytes;
	struct bd_extent extents[SEG_MAX];
	uint8_t inline_data[BD_MAX_BLOCKSIZE]; /* at most one extent of a file is inline */
};

void bd_extent_decode(const struct bd_key *key, const void *data, uint32_t size,
		      struct bd_extent *out)
{
	const struct bd_disk_file_extent *d = data;

	*out = (struct bd_extent){
		.file_offset = key->offset,
		.ram_bytes = bd_le64(d->ram_bytes),
		.generation = bd_le64(d->generation),
		.type = d->type,
		.compression = d->compression,
	};
	if (d->type == BD_FILE_EXTENT_INLINE) {
		out->length = out->ram_bytes;
		out->disk_num_bytes = size - BD_FILE_EXTENT_INLINE_HDR;
		return;
	}
	out->length = bd_le64(d->num_bytes);
	out->disk_bytenr = bd_le64(d->disk_bytenr);
	out->disk_num_bytes = bd_le64(d->disk_num_bytes);
	out->offset = bd_le64(d->offset);
}

uint64_t bd_extent_end(const struct bd_extent *extent, uint32_t sectorsize)
{
	uint64_t end = extent->file_offset + extent->length;

	return extent->type == BD_FILE_EXTENT_INLINE ? bd_align_up(end, sectorsize) : end;
}

uint32_t bd_extent_seg_find(const struct bd_extent_seg *seg, uint64_t pos, uint32_t sectorsize)
{
	uint32_t lo = 0, hi = seg->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (bd_extent_end(&seg->extents[mid], sectorsize) <= pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool is_extent_of(const struct bd_key *key, uint64_t ino)
{
	return key->objectid == ino && key->type == BD_KEY_EXTENT_DATA;
}

/* The tree's leaves were checked one by one: across their borders extents may still overlap. */
static int builder_add(struct seg_builder *b, const struct bd_key *key, const void *data,
		       uint32_t size, uint32_t sectorsize)
{
	struct bd_extent *extent = &b->extents[b->n];

	if (b->n && bd_extent_end(extent - 1, sectorsize) > key->offset)
		return BD_FAIL(-EUCLEAN, EXTENT_OVERLAP,
			       "corrupt file: inode %llu, extent at %llu overlaps the one before",
			       (unsigned long long)key->objectid, (unsigned long long)key->offset);
	bd_extent_decode(key, data, size, extent);
	if (extent->type == BD_FILE_EXTENT_INLINE) {
		if (b->inline_bytes + extent->disk_num_bytes > sizeof(b->inline_data))
			return BD_FAIL(-EUCLEAN, EXTENT_INLINE_MANY,
				       "corrupt file: inode %llu, several inline extents",
				       (unsigned long long)key->objectid);
		memcpy(b->inline_data + b->inline_bytes,
		       (const uint8_t *)data + BD_FILE_EXTENT_INLINE_HDR, extent->disk_num_bytes);
		extent->offset = b->inline_bytes;
		b->inline_bytes += extent->disk_num_bytes;
	}
	b->n++;
	return 0;
}

/* Stand on the first extent that matters for @pos; b->start is where knowledge begins. */
static int seek_start(struct seg_builder *b, uint64_t pos, struct bd_path *path)
{
	const struct bd_tree *tree = &b->inode->tree;
	uint32_t sectorsize = tree->cache->super->sectorsize;
	struct bd_key key = bd_key(b->inode->ino, BD_KEY_EXTENT_DATA, pos), found;
	int ret = bd_tree_last(tree, &key, path, &found);

	b->start = 0;
	if (ret < 0)
		return ret;
	if (ret == 0 && is_extent_of(&found, b->inode->ino)) {
		struct bd_extent extent;
		const void *data;
		uint32_t size;
		uint64_t end;

		data = bd_path_data(path, &size);
		bd_extent_decode(&found, data, size, &extent);
		end = bd_extent_end(&extent, sectorsize);
		if (end > pos) {
			b->start = found.offset;
			return 0;
		}
		b->start = end;
	}
	return ret == 0 ? bd_path_next(tree, path) : bd_tree_first(tree, &key, path, &found);
}

static int build(struct seg_builder *b, uint64_t pos)
{
	const struct bd_tree *tree = &b->inode->tree;
	struct bd_path path;
	int ret;

	bd_path_init(&path);
	for (ret = seek_start(b, pos, &path); ret == 0; ret = bd_path_next(tree, &path)) {
		struct bd_key key = bd_path_key(&path);
		const void *data;
		uint32_t size;

		if (!is_extent_of(&key, b->inode->ino) || key.offset >= b->end)
			break;
		if (b->n == SEG_MAX) {
			b->end = key.offset;
			break;
		}
		data = bd_path_data(&path, &size);
		ret = builder_add(b, &key, data, size, tree->cache->super->sectorsize);
		if (ret)
			break;
	}
	bd_path_release(&path);
	return ret < 0 ? ret : 0;
}

static struct bd_extent_seg *builder_finish(const struct seg_builder *b)
{
	size_t head = sizeof(struct bd_extent_seg) + b->n * sizeof(struct bd_extent);
	struct bd_extent_seg *seg = malloc(head + b->inline_bytes);

	if (!seg)
		return NULL;
	seg->range = (struct bd_range){
		.a = b->inode->tree.id,
		.b = b->inode->ino,
		.start = b->start,
		.end = b->end,
		.bytes = head + b->inline_bytes,
		.refs = 1,
	};
	seg->n = b->n;
	memcpy(seg->extents, b->extents, b->n * sizeof(struct bd_extent));
	memcpy((uint8_t *)seg + head, b->inline_data, b->inline_bytes);
	for (uint32_t i = 0; i < seg->n; i++) {
		if (seg->extents[i].type == BD_FILE_EXTENT_INLINE)
			seg->extents[i].offset += head;
	}
	return seg;
}

int bd_extent_seg_get(const struct bd_inode *inode, uint64_t pos, struct bd_extent_seg **out)
{
	struct bd_rcache *cache = &inode->inodes->ranges;
	struct bd_range *range = bd_rcache_find(cache, inode->tree.id, inode->ino, pos);
	struct seg_builder *b;
	struct bd_extent_seg *seg = NULL;
	int err;

	if (range) {
		*out = (struct bd_extent_seg *)range;
		return 0;
	}
	b = malloc(sizeof(*b));
	if (!b)
		return BD_FAIL(-ENOMEM, EXTENT_BUILD, "no memory for an extent map");
	b->inode = inode;
	b->n = 0;
	b->inline_bytes = 0;
	/* Up to the next segment that is known already: overlapping ones could not both be kept. */
	b->end = bd_rcache_next(cache, inode->tree.id, inode->ino, pos);
	err = build(b, pos);
	if (!err) {
		seg = builder_finish(b);
		if (!seg)
			err = BD_FAIL(-ENOMEM, EXTENT_SEG, "no memory for an extent map");
	}
	free(b);
	if (err) {
		bd_err_at_inode(inode->tree.id, inode->ino);
		return err;
	}
	bd_rcache_add(cache, &seg->range);
	*out = seg;
	return 0;
}
