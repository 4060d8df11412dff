/* SPDX-License-Identifier: MIT */
/* fuzz/fuzz_node.c - any bytes as a tree block, sealed: checked, then printed and taken apart */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "disk/csum.h"
#include "disk/node_check.h"
#include "disk/print.h"

#define NODESIZE 4096u
#define LOGICAL	 (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * The input: owner, level, and items or pointers one after the other, which are packed into a
 * block as they should lie, so that the items' contents are what is tried.
 */
struct entry {
	uint8_t objectid,
		offset; /* numbers of the table, by the low bits; the high ones are added */
	uint8_t type;
	uint8_t size; /* bytes of data that follow in the input; 255: all that there are */
};

/* Numbers that rules are about; others hardly ever pass one. */
static const uint64_t numbers[] = {
	0,     1,     256,   257,   4096,   16384,  1 << 20,	1ULL << 30,
	-4ULL, -5ULL, -7ULL, -9ULL, -10ULL, -11ULL, UINT64_MAX, 1ULL << 48,
};

static uint8_t byte(const uint8_t **data, size_t *size)
{
	if (!*size)
		return 0;
	--*size;
	return *(*data)++;
}

static uint64_t number(uint8_t code)
{
	return numbers[code % 16] + code / 16;
}

static struct bd_disk_key key_of(const struct entry *e)
{
	return (struct bd_disk_key){bd_to_le64(number(e->objectid)), e->type,
				    bd_to_le64(number(e->offset))};
}

static void pack_leaf(struct bd_disk_header *h, const uint8_t *data, size_t size)
{
	struct bd_disk_item *items = (void *)(h + 1);
	uint32_t end = NODESIZE - (uint32_t)sizeof(*h), n = 0;
	struct entry e;

	for (; size >= sizeof(e); n++) {
		uint32_t len;

		memcpy(&e, data, sizeof(e));
		data += sizeof(e);
		size -= sizeof(e);
		len = e.size < size ? e.size : (uint32_t)size;
		if (e.size == 255)
			len = (uint32_t)size;
		if ((n + 1) * sizeof(*items) + len > end)
			break;
		end -= len;
		items[n].key = key_of(&e);
		items[n].offset = bd_to_le32(end);
		items[n].size = bd_to_le32(len);
		memcpy((uint8_t *)items + end, data, len);
		data += len;
		size -= len;
	}
	h->nritems = bd_to_le32(n);
}

static void pack_node(struct bd_disk_header *h, const uint8_t *data, size_t size)
{
	struct bd_disk_key_ptr *ptrs = (void *)(h + 1);
	size_t n = size / sizeof(*ptrs), max = (NODESIZE - sizeof(*h)) / sizeof(*ptrs);

	n = n < max ? n : max;
	memcpy(ptrs, data, n * sizeof(*ptrs));
	h->nritems = bd_to_le32((uint32_t)n);
}

static int ignore(void *priv, const char *text, size_t len)
{
	(void)priv, (void)text, (void)len;
	return 0;
}

static void take_apart(const void *block, const struct bd_super *super)
{
	struct bd_printer out = {.write = ignore};
	struct bd_key before = BD_KEY_MIN;

	if (bd_print_node(&out, super, block))
		abort();
	for (unsigned int i = 0; i < bd_node_nritems(block); i++) {
		struct bd_key key = bd_node_key(block, i);
		uint32_t len;

		if (i && bd_key_cmp(&before, &key) >= 0)
			abort();
		before = key;
		if (bd_node_header(block)->level)
			continue;
		const uint8_t *item = bd_leaf_data(block, i, &len);
		if (item < (const uint8_t *)block || item + len > (const uint8_t *)block + NODESIZE)
			abort();
	}
}

static void check(uint8_t *block, const struct bd_super *super, uint8_t level)
{
	struct bd_node_expect want = {.logical = LOGICAL, .level = level};
	int err = bd_node_check_header(block, super, &want);

	if (!err)
		err = bd_node_check_body(block, super);
	if (err && bd_err_self()->code != err)
		abort();
	if (!err)
		take_apart(block, super);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t owners[] = {
		BD_OBJ_ROOT_TREE,	BD_OBJ_EXTENT_TREE,
		BD_OBJ_CHUNK_TREE,	BD_OBJ_DEV_TREE,
		BD_OBJ_FS_TREE,		BD_OBJ_CSUM_TREE,
		BD_OBJ_QUOTA_TREE,	BD_OBJ_UUID_TREE,
		BD_OBJ_FREE_SPACE_TREE, 256,
		BD_OBJ_TREE_LOG,	BD_OBJ_DATA_RELOC_TREE,
	};
	struct bd_super super = {.sectorsize = 4096,
				 .nodesize = NODESIZE,
				 .generation = 100,
				 .csum_size = 4,
				 .incompat_flags = byte(&data, &size) * 0x101ULL};
	uint8_t owner = byte(&data, &size), level = byte(&data, &size), raw = level & 0x80;
	/* of exactly that size, so that the sanitizer sees the first byte outside */
	uint8_t *block = calloc(1, NODESIZE);
	struct bd_disk_header *h = (void *)block;

	if (!block)
		abort();
	level = level & 0x40 ? level % 9 : 0;
	if (raw)
		memcpy(block, data, size < NODESIZE ? size : NODESIZE);
	h->bytenr = bd_to_le64(LOGICAL);
	memset(h->fsid, 0, BD_FSID_SIZE);
	h->level = level;
	if (!raw) {
		h->flags = bd_to_le64(BD_HEADER_FLAG_WRITTEN | 1ULL << 56);
		h->generation = bd_to_le64(90);
		h->owner = bd_to_le64(owners[owner % (sizeof(owners) / sizeof(owners[0]))]);
		if (level)
			pack_node(h, data, size);
		else
			pack_leaf(h, data, size);
	}
	bd_csum(super.csum_type, h->fsid, NODESIZE - BD_CSUM_SIZE, h->csum);
	check(block, &super, level);
	free(block);
	return 0;
}
