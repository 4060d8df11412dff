/* SPDX-License-Identifier: MIT */
/* tests/unit/disk_build.c - sound superblocks and tree blocks for tests to damage */
#include "disk_build.h"

#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "disk/csum.h"
#include "disk/node_check.h"

#define LOGICAL (1024u * 1024u)

static const uint8_t fsid[BD_FSID_SIZE] = "an fsid of tests";

void build_chunk(void *data)
{
	struct bd_disk_chunk *chunk = data;
	struct bd_disk_stripe *stripe = (struct bd_disk_stripe *)(chunk + 1);

	memset(data, 0, sizeof(*chunk) + sizeof(*stripe));
	chunk->length = bd_to_le64(4 * 1024 * 1024);
	chunk->owner = bd_to_le64(BD_OBJ_EXTENT_TREE);
	chunk->stripe_len = bd_to_le64(BD_STRIPE_LEN);
	chunk->type = bd_to_le64(BD_BG_SYSTEM);
	chunk->sector_size = bd_to_le32(4096);
	chunk->num_stripes = bd_to_le16(1);
	chunk->sub_stripes = bd_to_le16(1);
	stripe->devid = bd_to_le64(1);
	stripe->offset = bd_to_le64(LOGICAL);
}

void build_seal_super(struct bd_disk_super *disk)
{
	memset(disk->csum, 0, sizeof(disk->csum));
	bd_csum(bd_le16(disk->csum_type), disk->fsid, BD_SUPER_SIZE - BD_CSUM_SIZE, disk->csum);
}

void build_disk_super(struct bd_disk_super *disk)
{
	struct bd_disk_key key = {bd_to_le64(BD_OBJ_FIRST_CHUNK_TREE), BD_KEY_CHUNK_ITEM,
				  bd_to_le64(LOGICAL)};

	memset(disk, 0, sizeof(*disk));
	memcpy(disk->fsid, fsid, BD_FSID_SIZE);
	disk->bytenr = bd_to_le64(65536);
	disk->flags = bd_to_le64(BD_HEADER_FLAG_WRITTEN);
	disk->magic = bd_to_le64(BD_SUPER_MAGIC);
	disk->generation = bd_to_le64(100);
	disk->root = bd_to_le64(LOGICAL + 4096);
	disk->chunk_root = bd_to_le64(LOGICAL);
	disk->chunk_root_generation = bd_to_le64(90);
	disk->total_bytes = bd_to_le64(64 * 1024 * 1024);
	disk->bytes_used = bd_to_le64(1024 * 1024);
	disk->root_dir_objectid = bd_to_le64(BD_OBJ_ROOT_TREE_DIR);
	disk->num_devices = bd_to_le64(1);
	disk->sectorsize = bd_to_le32(4096);
	disk->nodesize = bd_to_le32(BUILD_NODESIZE);
	disk->leafsize = bd_to_le32(BUILD_NODESIZE);
	disk->stripesize = bd_to_le32(4096);
	disk->incompat_flags = bd_to_le64(BD_INCOMPAT_MIXED_BACKREF | BD_INCOMPAT_SKINNY_METADATA);
	disk->csum_type = bd_to_le16(BD_CSUM_CRC32C);
	disk->dev_item.devid = bd_to_le64(1);
	disk->dev_item.total_bytes = disk->total_bytes;
	memcpy(disk->dev_item.fsid, fsid, BD_FSID_SIZE);
	strcpy(disk->label, "tests");
	memcpy(disk->sys_chunk_array, &key, sizeof(key));
	build_chunk(disk->sys_chunk_array + sizeof(key));
	disk->sys_chunk_array_size = bd_to_le32(sizeof(key) + sizeof(struct bd_disk_chunk) +
						sizeof(struct bd_disk_stripe));
	build_seal_super(disk);
}

void build_super(struct bd_super *super)
{
	struct bd_disk_super disk;

	build_disk_super(&disk);
	if (bd_super_decode(&disk, 0, super))
		abort();
}

void build_block(void *block, const struct bd_super *super, uint8_t level, uint64_t owner)
{
	struct bd_disk_header *h = block;

	memset(block, 0, BUILD_NODESIZE);
	memcpy(h->fsid, super->metadata_uuid, BD_FSID_SIZE);
	h->bytenr = bd_to_le64(LOGICAL);
	h->flags = bd_to_le64(BD_HEADER_FLAG_WRITTEN | 1ULL << 56);
	h->generation = bd_to_le64(90);
	h->owner = bd_to_le64(owner);
	h->level = level;
}

void *build_item(void *block, struct bd_key key, uint32_t size)
{
	struct bd_disk_header *h = block;
	struct bd_disk_item *items = (struct bd_disk_item *)(h + 1);
	uint32_t n = bd_le32(h->nritems);
	uint32_t end = n ? bd_le32(items[n - 1].offset) : BUILD_NODESIZE - (uint32_t)sizeof(*h);

	if (end < size + (n + 1) * sizeof(*items))
		abort();
	items[n].key = bd_key_encode(&key);
	items[n].size = bd_to_le32(size);
	items[n].offset = bd_to_le32(end - size);
	h->nritems = bd_to_le32(n + 1);
	return (uint8_t *)items + end - size;
}

void build_pointer(void *block, struct bd_key key, uint64_t child, uint64_t generation)
{
	struct bd_disk_header *h = block;
	struct bd_disk_key_ptr *ptrs = (struct bd_disk_key_ptr *)(h + 1);
	uint32_t n = bd_le32(h->nritems);

	ptrs[n].key = bd_key_encode(&key);
	ptrs[n].blockptr = bd_to_le64(child);
	ptrs[n].generation = bd_to_le64(generation);
	h->nritems = bd_to_le32(n + 1);
}

void build_seal_block(void *block, const struct bd_super *super)
{
	struct bd_disk_header *h = block;

	bd_csum(super->csum_type, h->fsid, BUILD_NODESIZE - BD_CSUM_SIZE, h->csum);
}

const char *failed_site(void)
{
	const char *site = bd_err_self()->site;

	return site ? site : "";
}
