/* SPDX-License-Identifier: MIT */
/* txn/volume.c - open and close the devices of one filesystem */
#include "txn/volume.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "dev/inuse.h"
#include "disk/features.h"

/* Share of the cache limit that tree nodes get; checksums and extent maps get the other half. */
#define NODE_CACHE_SHARE(bytes) ((bytes) / 2)

struct opener {
	struct bd_volume *vol;
	const struct bdio_open_opts *opts;
	struct bd_candidate *candidates;
	size_t n, cap;
};

static const struct bd_candidate *find_twin(const struct opener *op, const struct bd_super *super)
{
	for (size_t i = 0; i < op->n; i++) {
		if (!memcmp(op->candidates[i].super.dev.uuid, super->dev.uuid, BD_UUID_SIZE))
			return &op->candidates[i];
	}
	return NULL;
}

/* Takes over @dev. A device that was found by a scan may turn out to be one that was named. */
static int add_candidate(struct opener *op, struct bd_dev *dev, bool scanned)
{
	struct bd_candidate c = {.dev = dev};
	const struct bd_candidate *twin;
	int err = bd_super_load(&c, op->opts->super_copy);

	twin = err ? NULL : find_twin(op, &c.super);
	if (twin && scanned) {
		bd_dev_close(dev);
		return 0;
	}
	if (twin)
		err = BD_FAIL(-EINVAL, DEVICE_TWICE, "%s and %s are the same device, devid %llu",
			      twin->dev->name, dev->name, (unsigned long long)c.super.dev.devid);
	if (!err && bd_array_grow((void **)&op->candidates, &op->cap, op->n + 1, sizeof(c)))
		err = BD_FAIL(-ENOMEM, CANDIDATES, "no memory for the list of devices");
	if (err) {
		bd_dev_close(dev);
		return err;
	}
	op->candidates[op->n++] = c;
	return 0;
}

static int open_path(struct opener *op, const char *path, bool scanned)
{
	struct bd_dev_open args = {
		.allow_in_use = op->opts->flags & BDIO_OPEN_FORCE_LIVE,
		.offset = op->opts->offset,
	};
	struct bd_dev *dev;
	int err = bd_dev_open_path(path, &args, &dev);

	return err ? err : add_candidate(op, dev, scanned);
}

static int open_caller(struct opener *op, const struct bdio_device *device)
{
	struct bd_dev *dev;
	int err = bd_dev_open_caller(device, &dev);

	if (err && device->close)
		device->close(device->priv);
	return err ? err : add_candidate(op, dev, false);
}

/* Open what libblkid finds of this filesystem and was not named. */
static int scan_members(struct opener *op)
{
	char **paths;
	size_t n;
	int err = bd_scan_members(op->candidates[0].super.fsid, &paths, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (!err)
			err = open_path(op, paths[i], true);
		free(paths[i]);
	}
	free(paths);
	return err;
}

/*
 * Whose superblock leads: the newest one; those of seed filesystems only when there are no
 * others.
 */
static const struct bd_candidate *choose_leader(const struct opener *op)
{
	const struct bd_candidate *best = NULL;

	for (size_t i = 0; i < op->n; i++) {
		const struct bd_candidate *c = &op->candidates[i];
		bool seed = c->super.flags & BD_SUPER_FLAG_SEEDING;
		bool best_seed = best && (best->super.flags & BD_SUPER_FLAG_SEEDING);

		if (!best || (best_seed && !seed) ||
		    (best_seed == seed && c->super.generation > best->super.generation))
			best = c;
	}
	return best;
}

/* Other members agree with the leader; seeds are sorted out by the chunk tree. */
static int check_candidates(struct opener *op, const struct bd_candidate *leader)
{
	struct bd_super *super = &op->vol->super;

	for (size_t i = 0; i < op->n; i++) {
		const struct bd_candidate *c = &op->candidates[i];
		int err = 0;

		op->vol->super_remarks |= c->remarks;
		if (!memcmp(c->super.fsid, super->fsid, BD_FSID_SIZE))
			continue;
		if (!(c->super.flags & BD_SUPER_FLAG_SEEDING))
			return BD_FAIL(-EINVAL, OTHER_FSID,
				       "%s and %s belong to different filesystems",
				       leader->dev->name, c->dev->name);
		err = bd_super_add_seed(super, c->super.metadata_uuid);
		if (err)
			return err;
	}
	return 0;
}

/* Take the roots of backup number @nr, counted from the newest. */
static int use_backup(struct bd_volume *vol, unsigned int nr)
{
	const struct bd_super_backup *order[BD_NUM_BACKUP_ROOTS];
	const struct bd_super_backup *b;

	for (unsigned int i = 0; i < BD_NUM_BACKUP_ROOTS; i++) {
		unsigned int at = i;

		b = &vol->super.backup[i];
		for (; at > 0 && order[at - 1]->tree.generation < b->tree.generation; at--)
			order[at] = order[at - 1];
		order[at] = b;
	}
	b = order[nr - 1];
	if (!b->tree.bytenr || !b->chunk.bytenr)
		return BD_FAIL(-EINVAL, BACKUP_EMPTY, "backup root %u is empty", nr);
	vol->super.root = b->tree;
	vol->super.chunk_root = b->chunk;
	return 0;
}

static void set_roots(struct bd_volume *vol)
{
	const struct bd_super *super = &vol->super;

	vol->generation = super->root.generation;
	vol->root_tree = (struct bd_tree){
		.cache = &vol->nodes,
		.id = BD_OBJ_ROOT_TREE,
		.bytenr = super->root.bytenr,
		.generation = super->root.generation,
		.level = super->root.level,
	};
	vol->chunk_tree = (struct bd_tree){
		.cache = &vol->nodes,
		.id = BD_OBJ_CHUNK_TREE,
		.bytenr = super->chunk_root.bytenr,
		.generation = super->chunk_root.generation,
		.level = super->chunk_root.level,
	};
}

static int open_devices(struct opener *op, const char *const *paths, size_t npaths)
{
	const struct bdio_device *device = op->opts->devices;
	int err = 0;

	for (size_t i = 0; i < npaths && !err; i++)
		err = open_path(op, paths[i], false);
	/* Those that it does not come to are let go, too: that is what was promised. */
	for (size_t i = 0; i < op->opts->num_devices; i++, device++) {
		if (!err)
			err = open_caller(op, device);
		else if (device->close)
			device->close(device->priv);
	}
	if (!err && (op->opts->flags & BDIO_OPEN_SCAN) && op->n)
		err = scan_members(op);
	return err;
}

static int lead(struct opener *op)
{
	struct bd_volume *vol = op->vol;
	const struct bd_candidate *leader = choose_leader(op);
	int err;

	vol->super = leader->super;
	vol->super_copy = leader->copy;
	err = check_candidates(op, leader);
	if (!err)
		err = bd_features_check(&vol->super, false);
	if (!err && op->opts->backup_root)
		err = use_backup(vol, op->opts->backup_root);
	return err;
}

static int load(struct opener *op)
{
	struct bd_volume *vol = op->vol;
	int err = bd_node_cache_init(&vol->nodes, &vol->ls, &vol->super,
				     NODE_CACHE_SHARE(op->opts->cache_bytes));

	if (err)
		return err;
	set_roots(vol);
	err = bd_members_load(vol, op->candidates, op->n);
	return err ? err : bd_roots_load(vol);
}

int bd_volume_open(struct bd_volume *vol, const char *const *paths, size_t npaths,
		   const struct bdio_open_opts *opts)
{
	struct opener op = {.vol = vol, .opts = opts};
	int err;

	memset(vol, 0, sizeof(*vol));
	vol->open_flags = opts->flags;
	err = bd_lspace_init(&vol->ls,
			     opts->flags & BDIO_OPEN_BLOCKING ? BD_RING_BLOCKING : BD_RING_URING,
			     opts->queue_depth);
	if (err)
		return err;
	err = open_devices(&op, paths, npaths);
	if (!err)
		err = lead(&op);
	if (!err)
		err = load(&op);
	for (size_t i = 0; i < op.n; i++)
		bd_dev_close(op.candidates[i].dev);
	free(op.candidates);
	if (err)
		bd_volume_close(vol);
	return err;
}

void bd_volume_close(struct bd_volume *vol)
{
	bd_node_cache_fini(&vol->nodes);
	/* rings first: they may have the devices' descriptors registered */
	bd_lspace_fini(&vol->ls);
	for (size_t i = 0; i < vol->ls.num_members; i++) {
		bd_dev_close(vol->ls.members[i]->dev);
		free(vol->ls.members[i]);
	}
	free(vol->ls.members);
}
