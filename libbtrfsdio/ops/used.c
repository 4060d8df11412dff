/* SPDX-License-Identifier: MIT */
/* ops/used.c - which bytes of which device are in use */
#include "ops/used.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"

/* One stripe of one chunk, on the device that is walked. */
struct dev_stripe {
	const struct bd_chunk *chunk;
	unsigned int index;
};

/*
 * Device by device; on a device stripe by stripe in order of their place; on a stripe extent by
 * extent: within one stripe logical order is physical order.
 */
struct bdio_used_iter {
	struct bdio_fs *fs;
	uint64_t only; /* devid, 0: all */
	size_t member; /* index of the device that is walked */
	unsigned int next_super;
	struct dev_stripe *stripes;
	size_t num_stripes, cap, at;
	/* the extent that is being mapped to the stripe */
	struct bd_path path;
	bool on_path;
	uint64_t pos, end; /* logical; pos == end: take the next extent */
	uint32_t kind;
	/* a range that may grow by its neighbour */
	struct bdio_used held;
	bool holding;
	bool finished; /* the device has no more */
};

static const struct bd_member *current_member(const struct bdio_used_iter *it)
{
	return it->fs->vol.ls.members[it->member];
}

static int stripe_cmp(const void *a, const void *b)
{
	const struct dev_stripe *x = a, *y = b;
	uint64_t p = x->chunk->stripes[x->index].physical;
	uint64_t q = y->chunk->stripes[y->index].physical;

	return p < q ? -1 : p > q;
}

/* List the stripes that lie on the current device. */
static int load_device(struct bdio_used_iter *it)
{
	const struct bd_chunk_map *map = &it->fs->vol.ls.map;

	it->num_stripes = 0;
	it->at = 0;
	it->pos = it->end = 0;
	it->on_path = false;
	it->next_super = 0;
	it->finished = false;
	for (size_t i = 0; i < map->n; i++) {
		for (unsigned int s = 0; s < map->chunks[i]->num_stripes; s++) {
			if (map->chunks[i]->stripes[s].member != current_member(it))
				continue;
			if (bd_array_grow((void **)&it->stripes, &it->cap, it->num_stripes + 1,
					  sizeof(*it->stripes)))
				return BD_FAIL(-ENOMEM, USED_STRIPES, "no memory for stripes");
			it->stripes[it->num_stripes++] = (struct dev_stripe){map->chunks[i], s};
		}
	}
	if (it->num_stripes)
		qsort(it->stripes, it->num_stripes, sizeof(*it->stripes), stripe_cmp);
	return 0;
}

/* The first device at or behind it->member that is there and asked for. 0; 1: none. */
static int find_device(struct bdio_used_iter *it)
{
	const struct bd_lspace *ls = &it->fs->vol.ls;

	for (; it->member < ls->num_members; it->member++) {
		const struct bd_member *m = current_member(it);

		if (m->dev && (!it->only || m->devid == it->only))
			return 0;
	}
	return 1;
}

int bd_used_open(struct bdio_fs *fs, uint64_t devid, struct bdio_used_iter **out)
{
	struct bdio_used_iter *it;
	int err;

	if (!fs->vol.extent_tree.bytenr)
		return BD_FAIL(-EUCLEAN, USED_NO_TREE, "there is no extent tree");
	it = bd_zalloc(sizeof(*it));
	if (!it)
		return BD_FAIL(-ENOMEM, USED_NEW, "no memory for a cursor");
	it->fs = fs;
	it->only = devid;
	if (find_device(it)) {
		free(it);
		return BD_FAIL(-ENOENT, USED_NO_DEVICE, "device %llu is not there",
			       (unsigned long long)devid);
	}
	err = load_device(it);
	if (err) {
		bd_used_close(it);
		return err;
	}
	*out = it;
	return 0;
}

void bd_used_close(struct bdio_used_iter *it)
{
	if (!it)
		return;
	bd_path_release(&it->path);
	free(it->stripes);
	free(it);
}

/* Is the item an extent inside the chunk? Then it becomes [pos, end). */
static bool take_extent(struct bdio_used_iter *it, const struct bd_chunk *chunk)
{
	struct bd_key key = bd_path_key(&it->path);
	const struct bd_disk_extent_item *item;
	uint64_t length = key.offset;
	uint32_t size;

	if (key.type != BD_KEY_EXTENT_ITEM && key.type != BD_KEY_METADATA_ITEM)
		return false;
	item = bd_path_data(&it->path, &size);
	it->kind = BDIO_USED_DATA;
	if (key.type == BD_KEY_METADATA_ITEM ||
	    (bd_le64(item->flags) & BD_EXTENT_FLAG_TREE_BLOCK)) {
		it->kind = BDIO_USED_METADATA;
		length = it->fs->vol.super.nodesize;
	}
	it->pos = key.objectid;
	it->end = key.objectid + bd_min_u64(length, bd_chunk_end(chunk) - key.objectid);
	return it->pos < it->end;
}

/* The chunk's next extent. 0; 1: the chunk has no more; -errno. */
static int next_extent(struct bdio_used_iter *it, const struct bd_chunk *chunk)
{
	const struct bd_tree *tree = &it->fs->vol.extent_tree;
	struct bd_key key = bd_key(chunk->logical, 0, 0);
	int ret;

	if (it->on_path)
		ret = bd_path_next(tree, &it->path);
	else
		ret = bd_tree_first(tree, &key, &it->path, &key);
	it->on_path |= ret == 0;
	for (; ret == 0; ret = bd_path_next(tree, &it->path)) {
		key = bd_path_key(&it->path);
		if (key.objectid >= bd_chunk_end(chunk))
			return 1;
		if (take_extent(it, chunk))
			return 0;
	}
	return ret;
}

/*
 * RAID5/6: whole full stripes. Parity is of all data in its row, so a copy must have all of it,
 * used or not, or a lost device could not be rebuilt from the copy.
 */
static void map_parity_row(struct bdio_used_iter *it, const struct dev_stripe *ds,
			   struct bdio_used *out)
{
	const struct bd_chunk *chunk = ds->chunk;
	uint64_t row_size = (uint64_t)chunk->data_stripes * BD_STRIPE_LEN;
	unsigned int n = chunk->num_stripes, column;
	struct bd_full_stripe at;
	uint64_t row_start;

	bd_chunk_full_stripe(chunk, it->pos, &at);
	row_start = chunk->logical + at.row * row_size;
	column = (unsigned int)((ds->index + n - at.row % n) % n);
	out->physical = chunk->stripes[ds->index].physical + at.row * BD_STRIPE_LEN;
	out->length = BD_STRIPE_LEN;
	out->kind = it->kind;
	out->logical = row_start + (uint64_t)column * BD_STRIPE_LEN;
	if (column >= chunk->data_stripes) {
		out->kind = BDIO_USED_PARITY;
		out->logical = UINT64_MAX;
	}
	it->pos = row_start + row_size;
}

/* The next part of [pos, end) that lies on the stripe; moves pos behind it. False: none is left. */
static bool map_extent(struct bdio_used_iter *it, const struct dev_stripe *ds,
		       struct bdio_used *out)
{
	const struct bd_chunk *chunk = ds->chunk;
	unsigned int copies = chunk->raid->copies;

	out->devid = current_member(it)->devid;
	out->copy = chunk->raid->parity ? 0 : ds->index % copies;
	if (chunk->raid->parity && it->pos < it->end) {
		map_parity_row(it, ds, out);
		return true;
	}
	while (it->pos < it->end) {
		struct bd_piece piece;
		uint64_t logical = it->pos;

		bd_chunk_piece(chunk, logical, it->end - logical, out->copy, &piece);
		it->pos += piece.length;
		if (piece.stripe != &chunk->stripes[ds->index])
			continue;
		out->physical = piece.physical;
		out->length = piece.length;
		out->logical = logical;
		out->kind = it->kind;
		return true;
	}
	return false;
}

/* The next range of the current device, superblocks aside. 0; 1: no more; -errno. */
static int next_stripe_range(struct bdio_used_iter *it, struct bdio_used *out)
{
	while (it->at < it->num_stripes) {
		const struct dev_stripe *ds = &it->stripes[it->at];
		uint64_t done;
		int ret;

		if (map_extent(it, ds, out))
			return 0;
		/* on parity profiles the row that was listed last may reach into the next extent */
		done = it->pos;
		ret = next_extent(it, ds->chunk);
		if (ret < 0)
			return ret;
		if (ret == 0) {
			if (ds->chunk->raid->parity)
				it->pos = bd_max_u64(it->pos, done);
			continue;
		}
		it->at++;
		it->on_path = false;
		it->pos = it->end = 0;
	}
	return 1;
}

/* The superblock copy that is next in order, when it lies before @before. */
static bool next_super(struct bdio_used_iter *it, uint64_t before, struct bdio_used *out)
{
	const struct bd_member *m = current_member(it);
	uint64_t offset;

	if (it->next_super == BD_SUPER_COPIES)
		return false;
	offset = bd_super_offset(it->next_super);
	if (offset >= before || offset + BD_SUPER_SIZE > bd_min_u64(m->total_bytes, m->dev->size))
		return false;
	*out = (struct bdio_used){
		.devid = m->devid,
		.physical = offset,
		.length = BD_SUPER_SIZE,
		.logical = UINT64_MAX,
		.kind = BDIO_USED_SUPER,
		.copy = it->next_super++,
	};
	return true;
}

/* Grow the held range; false: @next is not its neighbour. */
static bool merge(struct bdio_used_iter *it, const struct bdio_used *next)
{
	if (!it->holding || it->held.kind != next->kind || it->held.copy != next->copy ||
	    it->held.physical + it->held.length != next->physical)
		return false;
	/* Neighbours on a striped device are not neighbours in the logical space. */
	if (next->logical != UINT64_MAX && it->held.logical + it->held.length != next->logical)
		return false;
	it->held.length += next->length;
	return true;
}

/* Give out the held range, and hold @next (NULL: nothing). True when there was one. */
static bool swap_held(struct bdio_used_iter *it, const struct bdio_used *next,
		      struct bdio_used *out)
{
	bool had = it->holding;

	if (had)
		*out = it->held;
	it->holding = next != NULL;
	if (next)
		it->held = *next;
	return had;
}

/* Ranges of the current device, merged. 1: *out; 0: the device has no more; -errno. */
static int next_on_device(struct bdio_used_iter *it, struct bdio_used *out)
{
	while (!it->finished) {
		struct bdio_used next;
		int ret;

		if (it->holding && next_super(it, it->held.physical, out))
			return 1;
		ret = next_stripe_range(it, &next);
		if (ret < 0)
			return ret;
		it->finished = ret == 1;
		if (!it->finished && merge(it, &next))
			continue;
		if (swap_held(it, it->finished ? NULL : &next, out))
			return 1;
	}
	return next_super(it, UINT64_MAX, out) ? 1 : 0;
}

int bd_used_next(struct bdio_used_iter *it, struct bdio_used *out)
{
	for (;;) {
		int ret = it->member < it->fs->vol.ls.num_members ? next_on_device(it, out) : 0;

		if (ret)
			return ret;
		if (it->member == it->fs->vol.ls.num_members)
			return 0;
		it->member++;
		if (find_device(it))
			return 0;
		ret = load_device(it);
		if (ret)
			return ret;
	}
}
