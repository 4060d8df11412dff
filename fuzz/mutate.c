/* SPDX-License-Identifier: MIT */
/* fuzz/mutate.c - apply a program of changes to the blocks of a base, seal what was changed */
#include "mutate.h"

#include <string.h>
#include "disk/csum.h"
#include "disk/key.h"

#define HEADER sizeof(struct bd_disk_header)

/* Blocks that the current program changes. */
struct touched {
	const struct base_block *place;
	bool sealed, one_copy;
	uint8_t bytes[BD_MAX_BLOCKSIZE];
};

struct editor {
	const struct base *base;
	struct touched blocks[MAX_CHANGES];
	unsigned int num_blocks;
};

static struct editor ed;

static const uint64_t notable[] = {
	0,
	1,
	2,
	3,
	5,
	12,
	108,
	255,
	256,
	257,
	4095,
	4096,
	16384,
	65535,
	65536,
	1u << 20,
	INT32_MAX,
	UINT32_MAX,
	1ULL << 32,
	1ULL << 47,
	1ULL << 48,
	INT64_MAX,
	1ULL << 63,
	UINT64_MAX,
	UINT64_MAX - 255,
	UINT64_MAX - 4095,
	-10ULL,
	22020096,
};
#define NUM_NOTABLE (sizeof(notable) / sizeof(notable[0]))

/* Change up to eight bytes at @p, which has @room. */
static void edit(uint8_t *p, size_t room, const struct change *c, size_t width)
{
	uint64_t value = 0;
	le64 le;

	if (width > room)
		width = room;
	memcpy(&le, p, 0);
	memset(&le, 0, sizeof(le));
	memcpy(&le, p, width);
	value = bd_le64(le);
	switch (c->how & HOW_VERB) {
	case HOW_SET:
		value = c->value;
		break;
	case HOW_ADD:
		value += c->value;
		break;
	case HOW_XOR:
		value ^= c->value;
		break;
	case HOW_NOTABLE:
		value = notable[c->value % NUM_NOTABLE];
		break;
	}
	le = bd_to_le64(value);
	memcpy(p, &le, width);
}

static struct touched *touch(unsigned int nr, uint8_t how)
{
	const struct base_block *place = &ed.base->blocks[nr % ed.base->num_blocks];
	struct touched *t = NULL;

	for (unsigned int i = 0; i < ed.num_blocks && !t; i++) {
		if (ed.blocks[i].place == place)
			t = &ed.blocks[i];
	}
	if (!t) {
		t = &ed.blocks[ed.num_blocks++];
		t->place = place;
		t->sealed = true;
		t->one_copy = false;
		overlay_read(place->copy[0].device, place->copy[0].physical, t->bytes,
			     ed.base->nodesize);
	}
	t->sealed &= !(how & HOW_UNSEALED);
	t->one_copy |= how & HOW_ONE_COPY;
	return t;
}

/* Contents of a block that is only looked at: as it is in the base. */
static const uint8_t *peek(unsigned int nr)
{
	const struct base_block *place = &ed.base->blocks[nr % ed.base->num_blocks];

	return ed.base->device[place->copy[0].device].bytes + place->copy[0].physical;
}

/* Items or pointers that are safe to address, whatever the block says now. */
static uint32_t entries(const uint8_t *block)
{
	const struct bd_disk_header *h = (const void *)block;
	size_t each = h->level ? sizeof(struct bd_disk_key_ptr) : sizeof(struct bd_disk_item);
	uint32_t n = bd_le32(h->nritems);
	uint32_t max = (uint32_t)((ed.base->nodesize - HEADER) / each);

	return n < max ? n : max;
}

/* The data of an item, cut to the block; *size 0: there is none. */
static uint8_t *item_data(uint8_t *block, uint32_t slot, uint32_t *size)
{
	const struct bd_disk_item *item = (const struct bd_disk_item *)(block + HEADER) + slot;
	uint64_t start = HEADER + (uint64_t)bd_le32(item->offset);

	*size = bd_le32(item->size);
	if (((const struct bd_disk_header *)block)->level || start > ed.base->nodesize)
		*size = 0;
	else if (*size > ed.base->nodesize - start)
		*size = (uint32_t)(ed.base->nodesize - start);
	return block + (*size ? start : 0);
}

static void change_header(const struct change *c)
{
	static const struct {
		uint8_t offset, width;
	} fields[] = {{48, 8}, {56, 8}, {80, 8}, {88, 8}, {96, 4}, {100, 1}, {32, 8}, {64, 8}};
	unsigned int f = c->field % 8;
	struct touched *t = touch(c->block, c->how);

	edit(t->bytes + fields[f].offset, 8, c, fields[f].width);
}

static void change_entry(const struct change *c)
{
	/* key, then offset and size of an item, or address and generation of a pointer */
	static const uint8_t item[][2] = {{0, 8}, {8, 1}, {9, 8}, {17, 4}, {21, 4}};
	static const uint8_t ptr[][2] = {{0, 8}, {8, 1}, {9, 8}, {17, 8}, {25, 8}};
	struct touched *t = touch(c->block, c->how);
	bool node = ((struct bd_disk_header *)t->bytes)->level;
	uint32_t n = entries(t->bytes);
	size_t each = node ? sizeof(struct bd_disk_key_ptr) : sizeof(struct bd_disk_item);
	const uint8_t *field = node ? ptr[c->field % 5] : item[c->field % 5];

	if (n)
		edit(t->bytes + HEADER + c->slot % n * each + field[0], field[1], c, field[1]);
}

static void change_data(const struct change *c)
{
	struct touched *t = touch(c->block, c->how);
	uint32_t n = entries(t->bytes), size = 0;
	uint8_t *p = n ? item_data(t->bytes, c->slot % n, &size) : NULL;

	if (size)
		edit(p + c->field % size, size - c->field % size, c,
		     (size_t)1 << HOW_WIDTH(c->how));
}

/* Where an item of this type keeps an address. */
static uint32_t address_in(uint8_t type)
{
	switch (type) {
	case BD_KEY_ROOT_ITEM:
		return offsetof(struct bd_disk_root_item, bytenr);
	case BD_KEY_EXTENT_DATA:
		return offsetof(struct bd_disk_file_extent, disk_bytenr);
	case BD_KEY_CHUNK_ITEM:
		return sizeof(struct bd_disk_chunk) + offsetof(struct bd_disk_stripe, offset);
	case BD_KEY_DIR_ITEM:
	case BD_KEY_DIR_INDEX:
		return 0; /* the inode: a directory can contain itself */
	default:
		return UINT32_MAX;
	}
}

static void change_link(const struct change *c)
{
	struct touched *t = touch(c->block, c->how);
	uint32_t n = entries(t->bytes), slot = n ? c->slot % n : 0, size = 0, at;
	const struct base_block *to = &ed.base->blocks[c->field % ed.base->num_blocks];
	le64 address = bd_to_le64(to->logical);
	uint8_t *p;

	if (!n)
		return;
	if (((struct bd_disk_header *)t->bytes)->level) {
		((struct bd_disk_key_ptr *)(t->bytes + HEADER))[slot].blockptr = address;
		return;
	}
	p = item_data(t->bytes, slot, &size);
	at = address_in(((struct bd_disk_item *)(t->bytes + HEADER))[slot].key.type);
	if (at == 0)
		address = bd_to_le64(256 + c->value % 64);
	if (at != UINT32_MAX && at + sizeof(address) <= size)
		memcpy(p + at, &address, sizeof(address));
}

static void change_copy(const struct change *c)
{
	struct touched *t = touch(c->block, c->how);
	const uint8_t *other = peek(c->field);
	uint32_t n = entries(t->bytes), m = entries(other), size = 0, from_size = 0;
	uint8_t *p = n ? item_data(t->bytes, c->slot % n, &size) : NULL;
	const uint8_t *from =
		m ? item_data((uint8_t *)(uintptr_t)other, (uint32_t)(c->value % m), &from_size)
		  : NULL;

	if (size && from_size)
		memcpy(p, from, size < from_size ? size : from_size);
}

/* Where the data of the items begins: that of the last one. */
static uint32_t data_start(const uint8_t *block, uint32_t n)
{
	const struct bd_disk_item *items = (const void *)(block + HEADER);

	return bd_le32(items[n - 1].offset);
}

/* Let the data of item @slot begin @by bytes earlier (or later), with all that lies before it. */
static void shift_data(uint8_t *block, uint32_t n, uint32_t slot, int64_t by)
{
	struct bd_disk_item *items = (void *)(block + HEADER);
	uint32_t start = data_start(block, n), end = bd_le32(items[slot].offset);
	int64_t to = (int64_t)start - by;

	if (start > end || HEADER + (uint64_t)end > ed.base->nodesize ||
	    to < (int64_t)(n * sizeof(*items)) ||
	    HEADER + (uint64_t)to + (end - start) > ed.base->nodesize)
		return;
	memmove(block + HEADER + to, block + HEADER + start, end - start);
	for (uint32_t i = slot; i < n; i++)
		items[i].offset = bd_to_le32((uint32_t)(bd_le32(items[i].offset) - by));
	items[slot].size = bd_to_le32((uint32_t)(bd_le32(items[slot].size) + by));
}

static void change_resize(const struct change *c)
{
	struct touched *t = touch(c->block, c->how);
	uint32_t n = entries(t->bytes), size = 0;

	if (!n || ((struct bd_disk_header *)t->bytes)->level)
		return;
	item_data(t->bytes, c->slot % n, &size);
	shift_data(t->bytes, n, c->slot % n,
		   (int64_t)(c->value % (2 * (uint64_t)size + 64)) - size);
}

static void change_remove(const struct change *c)
{
	struct touched *t = touch(c->block, c->how);
	struct bd_disk_header *h = (void *)t->bytes;
	size_t each = h->level ? sizeof(struct bd_disk_key_ptr) : sizeof(struct bd_disk_item);
	uint32_t n = entries(t->bytes), slot, size = 0;
	uint8_t *p;

	if (!n)
		return;
	slot = c->slot % n;
	if (!h->level) {
		item_data(t->bytes, slot, &size);
		shift_data(t->bytes, n, slot, -(int64_t)size);
	}
	p = t->bytes + HEADER + slot * each;
	memmove(p, p + each, (n - slot - 1) * each);
	h->nritems = bd_to_le32(n - 1);
}

/* All but what says where it is; with @field odd also whose it is. */
static void change_replace(const struct change *c)
{
	struct touched *t = touch(c->block, c->how);
	const uint8_t *other = peek((unsigned int)c->value);
	size_t from = c->field & 1 ? offsetof(struct bd_disk_header, nritems)
				   : offsetof(struct bd_disk_header, flags);

	memcpy(t->bytes + from, other + from, ed.base->nodesize - from);
}

static void change_super(const struct change *c)
{
	unsigned int device = c->block % ed.base->num_devices;
	uint64_t at = 65536;
	struct bd_disk_super super;
	uint32_t offset = c->slot % (BD_SUPER_SIZE - 512); /* behind that is padding */
	unsigned int type;

	if (ed.base->device[device].size < at + sizeof(super))
		return;
	overlay_read(device, at, &super, sizeof(super));
	edit((uint8_t *)&super + offset, sizeof(super) - offset, c, (size_t)1 << HOW_WIDTH(c->how));
	type = bd_le16(super.csum_type);
	if (!(c->how & HOW_UNSEALED) && type < BD_CSUM_TYPES)
		bd_csum(type, super.fsid, BD_SUPER_SIZE - BD_CSUM_SIZE, super.csum);
	overlay_write(device, at, &super, sizeof(super));
}

static void change_raw(const struct change *c)
{
	unsigned int device = c->block % ed.base->num_devices;
	uint64_t at = ((uint64_t)c->field << 16 | c->slot) * 512 % ed.base->device[device].size;
	uint8_t bytes[8];

	if (at + sizeof(bytes) > ed.base->device[device].size)
		return;
	overlay_read(device, at, bytes, sizeof(bytes));
	edit(bytes, sizeof(bytes), c, (size_t)1 << HOW_WIDTH(c->how));
	overlay_write(device, at, bytes, sizeof(bytes));
}

static void seal_all(void)
{
	for (unsigned int i = 0; i < ed.num_blocks; i++) {
		struct touched *t = &ed.blocks[i];
		struct bd_disk_header *h = (void *)t->bytes;

		if (t->sealed)
			bd_csum(ed.base->csum_type, h->fsid, ed.base->nodesize - BD_CSUM_SIZE,
				h->csum);
		for (unsigned int copy = 0; copy < t->place->copies; copy++) {
			if (copy == 0 || !t->one_copy)
				overlay_write(t->place->copy[copy].device,
					      t->place->copy[copy].physical, t->bytes,
					      ed.base->nodesize);
		}
	}
}

const struct base *mutate(const uint8_t *data, size_t size, struct head *head)
{
	static void (*const appliers[CHANGE_KINDS])(const struct change *) = {
		[CHANGE_HEADER] = change_header, [CHANGE_ENTRY] = change_entry,
		[CHANGE_DATA] = change_data,	 [CHANGE_LINK] = change_link,
		[CHANGE_COPY] = change_copy,	 [CHANGE_RESIZE] = change_resize,
		[CHANGE_REMOVE] = change_remove, [CHANGE_REPLACE] = change_replace,
		[CHANGE_SUPER] = change_super,	 [CHANGE_RAW] = change_raw,
	};
	struct change c;

	memset(head, 0, sizeof(*head));
	memcpy(head, data, size < sizeof(*head) ? size : sizeof(*head));
	ed.base = base_get(head->base);
	ed.num_blocks = 0;
	overlay_begin(ed.base);
	for (unsigned int i = 0; i < MAX_CHANGES; i++) {
		if (size < sizeof(*head) + (i + 1) * sizeof(c))
			break;
		memcpy(&c, data + sizeof(*head) + i * sizeof(c), sizeof(c));
		appliers[c.kind % CHANGE_KINDS](&c);
	}
	seal_all();
	return ed.base;
}
