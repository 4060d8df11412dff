/* SPDX-License-Identifier: MIT */
/* disk/chunk_item.c - check a chunk item, then decode it */
#include "disk/chunk_item.h"

#include <inttypes.h>
#include <string.h>
#include "base/err.h"
#include "base/math.h"

/* A chunk's stripe numbers must fit 32 bits. */
#define MAX_CHUNK_LENGTH ((uint64_t)UINT32_MAX * BD_STRIPE_LEN)

static const struct profile_rule {
	uint64_t profile;
	uint16_t min_stripes;
	uint16_t max_stripes;
} profile_rules[] = {
	{0, 1, 1},
	{BD_BG_DUP, 2, 2},
	{BD_BG_RAID0, 1, UINT16_MAX},
	{BD_BG_RAID1, 2, 2},
	{BD_BG_RAID1C3, 3, 3},
	{BD_BG_RAID1C4, 4, 4},
	{BD_BG_RAID10, 2, UINT16_MAX},
	{BD_BG_RAID5, 2, UINT16_MAX},
	{BD_BG_RAID6, 3, UINT16_MAX},
};

static const struct profile_rule *find_profile(uint64_t type)
{
	for (size_t i = 0; i < sizeof(profile_rules) / sizeof(profile_rules[0]); i++) {
		if (profile_rules[i].profile == (type & BD_BG_PROFILE_MASK))
			return &profile_rules[i];
	}
	return NULL;
}

static int check_size(const struct bd_disk_chunk *d, size_t size, uint64_t logical)
{
	size_t want;

	if (size < sizeof(*d))
		return BD_FAIL(-EUCLEAN, CHUNK_SHORT,
			       "corrupt chunk: logical %" PRIu64 ", item too small, %zu", logical,
			       size);
	want = sizeof(*d) + bd_le16(d->num_stripes) * sizeof(struct bd_disk_stripe);
	if (size != want)
		return BD_FAIL(-EUCLEAN, CHUNK_SIZE,
			       "corrupt chunk: logical %" PRIu64
			       ", item size does not fit %u stripes, %zu",
			       logical, bd_le16(d->num_stripes), size);
	return 0;
}

static int check_range(const struct bd_chunk_item *c, uint64_t stripe_len, uint32_t sectorsize)
{
	uint64_t end;

	if (c->sector_size != sectorsize)
		return BD_FAIL(-EUCLEAN, CHUNK_SECTOR_SIZE,
			       "corrupt chunk: logical %" PRIu64
			       ", sector size differs from the filesystem's, %u",
			       c->logical, c->sector_size);
	if (!bd_is_aligned(c->logical, sectorsize))
		return BD_FAIL(-EUCLEAN, CHUNK_LOGICAL,
			       "corrupt chunk: logical %" PRIu64 ", unaligned", c->logical);
	if (!c->length || !bd_is_aligned(c->length, sectorsize) || c->length >= MAX_CHUNK_LENGTH ||
	    !bd_add_u64(c->logical, c->length, &end))
		return BD_FAIL(-EUCLEAN, CHUNK_LENGTH,
			       "corrupt chunk: logical %" PRIu64 ", invalid length, %" PRIu64,
			       c->logical, c->length);
	if (stripe_len != BD_STRIPE_LEN)
		return BD_FAIL(-EUCLEAN, CHUNK_STRIPE_LEN,
			       "corrupt chunk: logical %" PRIu64
			       ", invalid stripe length, %" PRIu64,
			       c->logical, stripe_len);
	return 0;
}

static bool valid_type(uint64_t type, bool mixed)
{
	if (type & ~(BD_BG_TYPE_MASK | BD_BG_PROFILE_MASK))
		return false;
	switch (type & BD_BG_TYPE_MASK) {
	case BD_BG_DATA:
	case BD_BG_METADATA:
	case BD_BG_SYSTEM:
		return true;
	case BD_BG_DATA | BD_BG_METADATA:
		return mixed;
	default:
		return false;
	}
}

static int check_profile(const struct bd_chunk_item *c, const struct bd_super *super)
{
	const struct profile_rule *rule = find_profile(c->type);
	bool mixed = super->incompat_flags & BD_INCOMPAT_MIXED_GROUPS;

	if (!rule || !valid_type(c->type, mixed))
		return BD_FAIL(-EUCLEAN, CHUNK_TYPE,
			       "corrupt chunk: logical %" PRIu64 ", invalid type, 0x%" PRIx64,
			       c->logical, c->type);
	if (c->num_stripes < rule->min_stripes || c->num_stripes > rule->max_stripes)
		return BD_FAIL(-EUCLEAN, CHUNK_NUM_STRIPES,
			       "corrupt chunk: logical %" PRIu64
			       ", invalid number of stripes for type 0x%" PRIx64 ", %u",
			       c->logical, c->type, c->num_stripes);
	/* Other profiles carry 0 or 1 here, depending on who wrote them, and nobody cares. */
	if ((c->type & BD_BG_RAID10) && (c->sub_stripes != 2 || c->num_stripes % 2))
		return BD_FAIL(-EUCLEAN, CHUNK_SUB_STRIPES,
			       "corrupt chunk: logical %" PRIu64
			       ", invalid stripes of raid10, %u in groups of %u",
			       c->logical, c->num_stripes, c->sub_stripes);
	return 0;
}

static int check_stripes(const struct bd_chunk_item *c, const void *data, uint32_t sectorsize)
{
	struct bd_chunk_item_stripe stripe;
	uint64_t end;

	for (unsigned int i = 0; i < c->num_stripes; i++) {
		bd_chunk_item_stripe(data, i, &stripe);
		if (!bd_is_aligned(stripe.physical, sectorsize) ||
		    !bd_add_u64(stripe.physical, c->length, &end))
			return BD_FAIL(-EUCLEAN, CHUNK_STRIPE,
				       "corrupt chunk: logical %" PRIu64
				       ", invalid offset of stripe %u, %" PRIu64,
				       c->logical, i, stripe.physical);
	}
	return 0;
}

int bd_chunk_item_decode(const void *data, size_t size, uint64_t logical,
			 const struct bd_super *super, struct bd_chunk_item *out)
{
	const struct bd_disk_chunk *d = data;
	int err = check_size(d, size, logical);

	if (err)
		return err;
	struct bd_chunk_item c = {
		.logical = logical,
		.length = bd_le64(d->length),
		.type = bd_le64(d->type),
		.owner = bd_le64(d->owner),
		.sector_size = bd_le32(d->sector_size),
		.io_align = bd_le32(d->io_align),
		.io_width = bd_le32(d->io_width),
		.num_stripes = bd_le16(d->num_stripes),
		.sub_stripes = bd_le16(d->sub_stripes),
	};
	err = check_range(&c, bd_le64(d->stripe_len), super->sectorsize);
	if (!err)
		err = check_profile(&c, super);
	if (!err)
		err = check_stripes(&c, data, super->sectorsize);
	if (!err)
		*out = c;
	return err;
}

void bd_chunk_item_stripe(const void *data, unsigned int i, struct bd_chunk_item_stripe *out)
{
	const struct bd_disk_stripe *stripes =
		(const void *)((const uint8_t *)data + sizeof(struct bd_disk_chunk));

	out->devid = bd_le64(stripes[i].devid);
	out->physical = bd_le64(stripes[i].offset);
	memcpy(out->dev_uuid, stripes[i].dev_uuid, BD_UUID_SIZE);
}

int bd_sys_chunk_next(const struct bd_super *super, uint32_t *pos, struct bd_chunk_item *out,
		      const void **data, size_t *size)
{
	const uint8_t *p = super->sys_chunk_array + *pos;
	uint32_t left = super->sys_chunk_array_size - *pos;
	const struct bd_disk_key *key = (const void *)p;
	const struct bd_disk_chunk *d = (const void *)(p + sizeof(*key));
	struct bd_chunk_item c;
	size_t item;

	if (!left)
		return 0;
	if (left < sizeof(*key) + sizeof(*d))
		return BD_FAIL(-EUCLEAN, SYS_ARRAY_CUT,
			       "corrupt sys_chunk_array: entry at %u, cut short", *pos);
	if (key->type != BD_KEY_CHUNK_ITEM)
		return BD_FAIL(-EUCLEAN, SYS_ARRAY_KEY,
			       "corrupt sys_chunk_array: entry at %u, not a chunk, %u", *pos,
			       key->type);
	item = sizeof(*d) + bd_le16(d->num_stripes) * sizeof(struct bd_disk_stripe);
	if (item > left - sizeof(*key))
		return BD_FAIL(-EUCLEAN, SYS_ARRAY_STRIPES,
			       "corrupt sys_chunk_array: entry at %u, too many stripes, %u", *pos,
			       bd_le16(d->num_stripes));
	int err = bd_chunk_item_decode(d, item, bd_le64(key->offset), super, &c);
	if (err)
		return err;
	if (!(c.type & BD_BG_SYSTEM))
		return BD_FAIL(-EUCLEAN, SYS_ARRAY_TYPE,
			       "corrupt sys_chunk_array: entry at %u"
			       ", not a system chunk, 0x%" PRIx64,
			       *pos, c.type);
	*out = c;
	*data = d;
	*size = item;
	*pos += (uint32_t)(sizeof(*key) + item);
	return 1;
}
