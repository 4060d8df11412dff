/* SPDX-License-Identifier: MIT */
/* txn/members.c - from opened devices and the chunk tree to members and chunks */
#include "txn/volume.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "disk/print.h"

/* Twice what the largest chunk item can name: each look-up is a scan. */
#define MAX_MEMBERS 1024u

struct loader {
	struct bd_volume *vol;
	struct bd_candidate *candidates;
	size_t num_candidates;
	size_t members_cap;
};

static struct bd_member *find_member(const struct bd_lspace *ls, uint64_t devid,
				     const uint8_t *uuid)
{
	for (size_t i = 0; i < ls->num_members; i++) {
		struct bd_member *m = ls->members[i];

		if (m->devid == devid && !memcmp(m->uuid, uuid, BD_UUID_SIZE))
			return m;
	}
	return NULL;
}

/* The candidate hands its device over. */
static void attach_candidate(struct loader *ld, struct bd_member *member)
{
	for (size_t i = 0; i < ld->num_candidates; i++) {
		struct bd_candidate *c = &ld->candidates[i];

		if (!c->dev || c->super.dev.devid != member->devid ||
		    memcmp(c->super.dev.uuid, member->uuid, BD_UUID_SIZE))
			continue;
		member->dev = c->dev;
		member->generation = c->super.generation;
		memcpy(member->fsid, c->super.fsid, BD_FSID_SIZE);
		c->dev = NULL;
		return;
	}
}

/* The member of this name; made when it is new. Missing until a candidate turns out to be it. */
static int get_member(struct loader *ld, uint64_t devid, const uint8_t *uuid,
		      struct bd_member **out)
{
	struct bd_lspace *ls = &ld->vol->ls;
	struct bd_member *member = find_member(ls, devid, uuid);
	size_t i;

	if (!member) {
		if (ls->num_members == MAX_MEMBERS)
			return BD_FAIL(-EUCLEAN, MEMBERS_MANY,
				       "corrupt chunk tree: more than %u devices", MAX_MEMBERS);
		if (bd_array_grow((void **)&ls->members, &ld->members_cap, ls->num_members + 1,
				  sizeof(member)))
			goto nomem;
		member = bd_zalloc(sizeof(*member));
		if (!member)
			goto nomem;
		member->devid = devid;
		memcpy(member->uuid, uuid, BD_UUID_SIZE);
		attach_candidate(ld, member);
		for (i = ls->num_members; i > 0 && ls->members[i - 1]->devid > devid; i--)
			ls->members[i] = ls->members[i - 1];
		ls->members[i] = member;
		ls->num_members++;
	}
	*out = member;
	return 0;
nomem:
	return BD_FAIL(-ENOMEM, MEMBER_NEW, "no memory for a member device");
}

/* No profile but DUP has two stripes on one device: rebuilding would take all day to fail. */
static int check_distinct(const struct bd_chunk_item *item, struct bd_member *const *members)
{
	for (unsigned int i = 1; i < item->num_stripes && !(item->type & BD_BG_DUP); i++) {
		for (unsigned int k = 0; k < i; k++) {
			if (members[i] == members[k])
				return BD_FAIL(-EUCLEAN, CHUNK_DEVICE_TWICE,
					       "corrupt chunk: logical %llu, device %llu twice",
					       (unsigned long long)item->logical,
					       (unsigned long long)members[i]->devid);
		}
	}
	return 0;
}

static int add_chunk(struct loader *ld, const struct bd_chunk_item *item, const void *data)
{
	struct bd_member **members = bd_calloc(item->num_stripes, sizeof(*members));
	int err = 0;

	if (!members)
		return BD_FAIL(-ENOMEM, CHUNK_MEMBERS, "no memory for a chunk's devices");
	for (unsigned int i = 0; i < item->num_stripes && !err; i++) {
		struct bd_chunk_item_stripe stripe;

		bd_chunk_item_stripe(data, i, &stripe);
		err = get_member(ld, stripe.devid, stripe.dev_uuid, &members[i]);
	}
	if (!err)
		err = check_distinct(item, members);
	if (!err)
		err = bd_chunk_map_add(&ld->vol->ls.map, item, data, members);
	free(members);
	return err;
}

static int bootstrap(struct loader *ld)
{
	struct bd_chunk_item item;
	const void *data;
	uint32_t pos = 0;
	size_t size;
	int ret;

	while ((ret = bd_sys_chunk_next(&ld->vol->super, &pos, &item, &data, &size)) == 1) {
		ret = add_chunk(ld, &item, data);
		if (ret)
			break;
	}
	return ret;
}

static int add_dev_item(struct loader *ld, const struct bd_disk_dev_item *item)
{
	struct bd_member *member;
	int err = get_member(ld, bd_le64(item->devid), item->uuid, &member);

	if (err)
		return err;
	member->total_bytes = bd_le64(item->total_bytes);
	member->bytes_used = bd_le64(item->bytes_used);
	memcpy(member->fsid, item->fsid, BD_FSID_SIZE);
	member->seed = memcmp(member->fsid, ld->vol->super.metadata_uuid, BD_FSID_SIZE) &&
		       memcmp(member->fsid, ld->vol->super.fsid, BD_FSID_SIZE);
	return 0;
}

static int load_item(struct loader *ld, const struct bd_key *key, const struct bd_path *path)
{
	struct bd_chunk_item item;
	const void *data;
	uint32_t size;
	int err;

	data = bd_path_data(path, &size);
	if (key->objectid == BD_OBJ_DEV_ITEMS && key->type == BD_KEY_DEV_ITEM)
		return add_dev_item(ld, data);
	if (key->type != BD_KEY_CHUNK_ITEM)
		return 0;
	err = bd_chunk_item_decode(data, size, key->offset, &ld->vol->super, &item);
	return err ? err : add_chunk(ld, &item, data);
}

static int load_chunk_tree(struct loader *ld)
{
	struct bd_tree *tree = &ld->vol->chunk_tree;
	struct bd_key key = BD_KEY_MIN;
	struct bd_path path;
	int ret;

	bd_path_init(&path);
	for (ret = bd_tree_first(tree, &key, &path, &key); ret == 0;
	     ret = bd_path_next(tree, &path)) {
		key = bd_path_key(&path);
		ret = load_item(ld, &key, &path);
		if (ret)
			break;
	}
	bd_path_release(&path);
	return ret < 0 ? ret : 0;
}

static int check_missing(struct bd_volume *vol)
{
	const struct bd_member *first = NULL;
	char uuid[37];

	for (size_t i = 0; i < vol->ls.num_members; i++) {
		if (vol->ls.members[i]->dev)
			continue;
		if (!first)
			first = vol->ls.members[i];
		vol->missing++;
	}
	if (!first || (vol->open_flags & BDIO_OPEN_DEGRADED))
		return 0;
	bd_uuid_text(first->uuid, uuid);
	return BD_FAIL(-ENXIO, MEMBERS_MISSING,
		       "%u of %zu devices are missing, the first is devid %llu, uuid %s",
		       vol->missing, vol->ls.num_members, (unsigned long long)first->devid, uuid);
}

/* Ages, and sizes that the filesystem does not agree with. */
static int check_members(struct bd_volume *vol)
{
	for (size_t i = 0; i < vol->ls.num_members; i++) {
		struct bd_member *m = vol->ls.members[i];

		if (!m->dev)
			continue;
		m->stale = !m->seed && m->generation < vol->super.generation;
		if (m->stale)
			vol->super_remarks |= BDIO_SUPER_DEVICE_STALE;
		if (m->total_bytes > m->dev->size && !(vol->open_flags & BDIO_OPEN_SALVAGE))
			return BD_FAIL(-EUCLEAN, MEMBER_SHORT,
				       "device %llu (%s) has %llu bytes, the filesystem needs %llu",
				       (unsigned long long)m->devid, m->dev->name,
				       (unsigned long long)m->dev->size,
				       (unsigned long long)m->total_bytes);
	}
	return 0;
}

static int check_stripes(const struct bd_volume *vol)
{
	int err = 0;

	for (size_t i = 0; i < vol->ls.map.n && !err; i++)
		err = bd_chunk_check_bounds(vol->ls.map.chunks[i]);
	return err;
}

static int check_foreign(const struct loader *ld)
{
	for (size_t i = 0; i < ld->num_candidates; i++) {
		const struct bd_candidate *c = &ld->candidates[i];

		if (c->dev)
			return BD_FAIL(-EINVAL, MEMBER_FOREIGN,
				       "%s (devid %llu) is no member of this filesystem",
				       c->dev->name, (unsigned long long)c->super.dev.devid);
	}
	return 0;
}

int bd_members_load(struct bd_volume *vol, struct bd_candidate *candidates, size_t n)
{
	struct loader ld = {.vol = vol, .candidates = candidates, .num_candidates = n};
	int err = bootstrap(&ld);

	if (!err)
		err = load_chunk_tree(&ld);
	if (!err)
		err = check_foreign(&ld);
	if (!err)
		err = check_missing(vol);
	if (!err)
		err = check_members(vol);
	if (!err)
		err = check_stripes(vol);
	return err;
}
