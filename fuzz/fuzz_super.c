/* SPDX-License-Identifier: MIT */
/* fuzz/fuzz_super.c - any bytes as a superblock, sealed: decode, features, chunk array, print */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "disk/chunk_item.h"
#include "disk/csum.h"
#include "disk/features.h"
#include "disk/print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int ignore(void *priv, const char *text, size_t len)
{
	(void)priv, (void)text, (void)len;
	return 0;
}

static le64 rounded(le64 v, uint64_t least)
{
	return bd_to_le64((bd_le64(v) & ~(uint64_t)(BD_STRIPE_LEN - 1)) | least);
}

/* Chunks of the input's bytes, with what every chunk has. */
static void make_chunks(struct bd_disk_super *d)
{
	uint8_t *p = d->sys_chunk_array, *end = p + bd_le32(d->sys_chunk_array_size);

	while (end - p >= (ptrdiff_t)(sizeof(struct bd_disk_key) + sizeof(struct bd_disk_chunk))) {
		struct bd_disk_key *key = (void *)p;
		struct bd_disk_chunk *chunk = (void *)(key + 1);
		struct bd_disk_stripe *stripe = (void *)(chunk + 1);
		uint16_t n = bd_le16(chunk->num_stripes) % 6 + 1;

		key->type = BD_KEY_CHUNK_ITEM;
		key->offset = rounded(key->offset, 0);
		chunk->length = rounded(chunk->length, BD_STRIPE_LEN);
		chunk->stripe_len = bd_to_le64(BD_STRIPE_LEN);
		chunk->sector_size = d->sectorsize;
		chunk->type =
			bd_to_le64((bd_le64(chunk->type) & BD_BG_PROFILE_MASK) | BD_BG_SYSTEM);
		chunk->num_stripes = bd_to_le16(n);
		for (; n && end - (uint8_t *)stripe >= (ptrdiff_t)sizeof(*stripe); n--, stripe++)
			stripe->offset = rounded(stripe->offset, 0);
		p = (uint8_t *)stripe;
	}
}

/* What nothing could be reached without; each bit of @not leaves some of it to the input. */
static void make_plausible(struct bd_disk_super *d, uint8_t not )
{
	d->magic = bd_to_le64(BD_SUPER_MAGIC);
	d->bytenr = bd_to_le64(65536);
	if (!(not &1))
		d->csum_type = bd_to_le16(bd_le16(d->csum_type) % BD_CSUM_TYPES);
	if (!(not &2)) {
		d->sectorsize = bd_to_le32(4096u << bd_le32(d->sectorsize) % 5);
		d->stripesize = d->nodesize = d->leafsize = d->sectorsize;
	}
	if (!(not &4)) {
		memcpy(d->metadata_uuid, d->fsid, BD_FSID_SIZE);
		memcpy(d->dev_item.fsid, d->fsid, BD_FSID_SIZE);
	}
	if (!(not &8)) {
		d->root = rounded(d->root, BD_STRIPE_LEN);
		d->chunk_root = rounded(d->chunk_root, BD_STRIPE_LEN);
		d->log_root = rounded(d->log_root, 0);
		d->root_level = d->chunk_root_level = d->log_root_level = not % BD_MAX_LEVEL;
	}
	if (!(not &16)) {
		d->bytes_used = d->total_bytes = bd_to_le64(1 << 30);
		d->num_devices = bd_to_le64(bd_le64(d->num_devices) % 1000 + 1);
	}
	if (!(not &32)) {
		d->sys_chunk_array_size = bd_to_le32(bd_le32(d->sys_chunk_array_size) % 1900 + 97);
		make_chunks(d);
	}
	if (bd_le16(d->csum_type) < BD_CSUM_TYPES)
		bd_csum(bd_le16(d->csum_type), d->fsid, BD_SUPER_SIZE - BD_CSUM_SIZE, d->csum);
}

static void walk_array(const struct bd_super *super)
{
	struct bd_chunk_item item;
	const void *chunk;
	uint32_t pos = 0, before = 0;
	size_t size;
	int ret;

	while ((ret = bd_sys_chunk_next(super, &pos, &item, &chunk, &size)) == 1) {
		struct bd_chunk_item_stripe stripe;

		if (pos <= before || pos > super->sys_chunk_array_size || !item.num_stripes)
			abort();
		before = pos;
		for (unsigned int i = 0; i < item.num_stripes; i++)
			bd_chunk_item_stripe(chunk, i, &stripe);
	}
	if (ret && (ret != -EUCLEAN || bd_err_self()->code != ret))
		abort();
}

/* Byte 0: what is not made plausible; then the superblock from its start, padded with zeros. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bd_printer out = {.write = ignore};
	static struct bd_disk_super disk;
	static struct bd_super super;
	char text[100];

	if (!size)
		return 0;
	memset(&disk, 0, sizeof(disk));
	memcpy(&disk, data + 1, size - 1 < sizeof(disk) ? size - 1 : sizeof(disk));
	make_plausible(&disk, data[0]);
	for (unsigned int copy = 0; copy < BD_SUPER_COPIES; copy++) {
		int err = bd_super_decode(&disk, copy, &super);

		if (err && (err != -EUCLEAN || bd_err_self()->code != err))
			abort();
		if (err)
			continue;
		walk_array(&super);
		bd_features_check(&super, false);
		bd_features_check(&super, true);
		bd_features_names(BD_FEATURE_INCOMPAT, super.incompat_flags, text, sizeof(text));
		if (bd_print_super(&out, &super))
			abort();
	}
	return 0;
}
