/* SPDX-License-Identifier: MIT */
/* fs/info.c - facts about the filesystem, its devices and chunks; counters */
#include "fs/info.h"

#include <string.h>

#include "base/err.h"
#include "disk/csum.h"

static void copy_text(char *to, size_t size, const char *from)
{
	size_t n = strnlen(from, size - 1);

	memcpy(to, from, n);
	to[n] = 0;
}

void bd_fs_info(const struct bdio_fs *fs, struct bdio_fs_info *out)
{
	const struct bd_volume *vol = &fs->vol;
	const struct bd_super *super = &vol->super;

	memset(out, 0, sizeof(*out));
	memcpy(out->fsid, super->fsid, BD_FSID_SIZE);
	memcpy(out->metadata_uuid, super->metadata_uuid, BD_FSID_SIZE);
	copy_text(out->label, sizeof(out->label), super->label);
	copy_text(out->csum_name, sizeof(out->csum_name), bd_csum_name(super->csum_type));
	out->generation = vol->generation;
	out->total_bytes = super->total_bytes;
	out->bytes_used = super->bytes_used;
	out->compat_flags = super->compat_flags;
	out->compat_ro_flags = super->compat_ro_flags;
	out->incompat_flags = super->incompat_flags;
	out->super_flags = super->flags;
	out->num_devices = super->num_devices;
	out->default_subvol = fs->default_subvol;
	out->missing_devices = vol->missing;
	out->sectorsize = super->sectorsize;
	out->nodesize = super->nodesize;
	out->csum_type = super->csum_type;
	out->csum_size = super->csum_size;
	out->super_copy = vol->super_copy + 1;
	out->super_remarks = vol->super_remarks;
	out->log_present = super->log_root.bytenr != 0;
	out->uring = vol->ls.ring_kind == BD_RING_URING;
	for (size_t i = 0; i < vol->ls.num_members; i++) {
		const struct bd_dev *dev = vol->ls.members[i]->dev;

		if (dev && dev->buffered)
			out->buffered = 1;
	}
}

void bd_fs_counters(struct bdio_fs *fs, struct bdio_counters *out)
{
	struct bd_lspace *ls = &fs->vol.ls;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < ls->num_members; i++) {
		const struct bd_dev *dev = ls->members[i]->dev;

		if (!dev)
			continue;
		out->device_reads += bd_counted(&dev->reads);
		out->device_read_bytes += bd_counted(&dev->read_bytes);
	}
	out->syscalls = bd_counted(&ls->syscalls) + bd_reader_pool_syscalls(&fs->readers);
	out->user_read_bytes = bd_counted(&fs->readers.counters.user_bytes);
	out->copied_bytes = bd_counted(&fs->readers.counters.copied_bytes);
	out->verified_bytes = bd_counted(&fs->readers.counters.verified_bytes);
	out->csum_errors = bd_counted(&fs->readers.counters.csum_errors);
	out->bounces = bd_counted(&fs->readers.counters.bounces);
	out->read_errors = bd_counted(&ls->read_errors);
	out->mirror_reads = bd_counted(&ls->mirror_reads);
	out->parity_rebuilds = bd_counted(&ls->parity_rebuilds);
	out->metadata_errors = bd_counted(&fs->vol.nodes.bad_copies);
	out->node_hits = bd_counted(&fs->vol.nodes.hits);
	out->node_reads = bd_counted(&fs->vol.nodes.reads);
	out->tree_searches = bd_counted(&fs->vol.nodes.searches);
	out->cache_bytes =
		bd_node_cache_bytes(&fs->vol.nodes) + bd_rcache_bytes(&fs->inodes.ranges);
}

/* The statistics item of a device; kernels write it only after an error. */
static int read_dev_stats(struct bdio_fs *fs, uint64_t devid, struct bdio_device_info *out)
{
	struct bd_key key = bd_key(BD_OBJ_DEV_STATS, BD_KEY_PERSISTENT_ITEM, devid);
	uint64_t *values[BD_DEV_STATS_VALUES] = {&out->write_errors, &out->read_errors,
						 &out->flush_errors, &out->corruption_errors,
						 &out->generation_errors};
	const struct bd_disk_dev_stats *stats;
	struct bd_path path;
	uint32_t size;
	int ret;

	if (!fs->vol.dev_tree.bytenr)
		return 0;
	bd_path_init(&path);
	ret = bd_tree_search(&fs->vol.dev_tree, &key, &path);
	if (ret == 0) {
		stats = bd_path_data(&path, &size);
		for (unsigned int i = 0; i < BD_DEV_STATS_VALUES && i < size / sizeof(le64); i++)
			*values[i] = bd_le64(stats->values[i]);
	}
	bd_path_release(&path);
	return ret < 0 ? ret : 0;
}

int bd_device_info(struct bdio_fs *fs, size_t index, struct bdio_device_info *out)
{
	const struct bd_member *m = fs->vol.ls.members[index];
	struct bdio_device_info info = {
		.devid = m->devid,
		.total_bytes = m->total_bytes,
		.bytes_used = m->bytes_used,
		.missing = !m->dev,
		.seed = m->seed,
		.stale = m->stale,
		.generation = m->generation,
	};
	int err;

	memcpy(info.uuid, m->uuid, BD_UUID_SIZE);
	if (m->dev) {
		info.size = m->dev->size;
		info.buffered = m->dev->buffered;
		copy_text(info.path, sizeof(info.path), m->dev->name);
	}
	err = read_dev_stats(fs, m->devid, &info);
	if (!err)
		*out = info;
	return err;
}

static int read_used(struct bdio_fs *fs, const struct bd_chunk *chunk, uint64_t *used)
{
	bool bgt = fs->vol.super.compat_ro_flags & BD_COMPAT_RO_BLOCK_GROUP_TREE;
	const struct bd_tree *tree = bgt ? &fs->vol.block_group_tree : &fs->vol.extent_tree;
	struct bd_key key = bd_key(chunk->logical, BD_KEY_BLOCK_GROUP_ITEM, chunk->length);
	const struct bd_disk_block_group_item *item;
	struct bd_path path;
	uint32_t size;
	int ret;

	*used = UINT64_MAX;
	if (!tree->bytenr)
		return 0;
	bd_path_init(&path);
	ret = bd_tree_search(tree, &key, &path);
	if (ret == 0) {
		item = bd_path_data(&path, &size);
		*used = bd_le64(item->used);
	}
	bd_path_release(&path);
	return ret < 0 ? ret : 0;
}

int bd_chunk_info(struct bdio_fs *fs, size_t index, struct bdio_chunk_info *out)
{
	const struct bd_chunk *chunk = fs->vol.ls.map.chunks[index];
	struct bdio_chunk_info info = {
		.logical = chunk->logical,
		.length = chunk->length,
		.flags = chunk->flags,
		.num_stripes = chunk->num_stripes,
		.sub_stripes = chunk->sub_stripes,
		.data_stripes = chunk->data_stripes,
		.copies = chunk->raid->copies,
		.parity = chunk->raid->parity,
	};
	int err;

	for (unsigned int i = 0; i < chunk->num_stripes; i++)
		info.missing += !chunk->stripes[i].member->dev;
	err = read_used(fs, chunk, &info.used);
	if (!err)
		*out = info;
	return err;
}
