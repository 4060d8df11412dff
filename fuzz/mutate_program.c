/* SPDX-License-Identifier: MIT */
/* fuzz/mutate_program.c - variations of fuzz inputs: whole changes come, go and vary */
#include "mutate.h"

#include <string.h>

static uint64_t state;

static uint64_t rnd(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

static uint64_t random_value(void)
{
	switch (rnd(4)) {
	case 0:
		return rnd(64);
	case 1:
		return (uint64_t)0 - rnd(64);
	case 2:
		return 1ULL << rnd(64);
	default:
		return rnd(UINT64_MAX);
	}
}

static void random_change(struct change *c)
{
	static const uint8_t kinds[] = {
		CHANGE_DATA,   CHANGE_DATA,   CHANGE_DATA,    CHANGE_DATA,  CHANGE_ENTRY,
		CHANGE_ENTRY,  CHANGE_HEADER, CHANGE_LINK,    CHANGE_LINK,  CHANGE_COPY,
		CHANGE_RESIZE, CHANGE_REMOVE, CHANGE_REPLACE, CHANGE_SUPER, CHANGE_RAW,
	};

	c->kind = kinds[rnd(sizeof(kinds))];
	/* most blocks keep a good checksum, or nothing behind it is ever reached */
	c->how = (uint8_t)(rnd(16) | (rnd(16) ? 0 : HOW_UNSEALED) | (rnd(8) ? 0 : HOW_ONE_COPY));
	c->block = (uint16_t)rnd(UINT16_MAX);
	c->slot = (uint16_t)rnd(UINT16_MAX);
	c->field = (uint16_t)rnd(rnd(2) ? 64 : UINT16_MAX);
	c->value = random_value();
}

static void vary(struct change *c)
{
	switch (rnd(6)) {
	case 0:
		c->block = (uint16_t)(c->block + rnd(5) - 2);
		break;
	case 1:
		c->slot = (uint16_t)(c->slot + rnd(5) - 2);
		break;
	case 2:
		c->field = (uint16_t)(c->field + rnd(17) - 8);
		break;
	case 3:
		c->how = (uint8_t)rnd(256);
		break;
	case 4:
		c->value += rnd(17) - 8;
		break;
	default:
		c->value = random_value();
	}
}

static void vary_head(struct head *head)
{
	if (rnd(2))
		head->base = (uint8_t)rnd(256);
	else
		head->flags = (uint8_t)rnd(256);
	head->missing = rnd(4) ? 0 : (uint8_t)rnd(16);
}

size_t mutate_program(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	struct change changes[MAX_CHANGES];
	size_t n = size < sizeof(struct head) ? 0 : (size - sizeof(struct head)) / sizeof(*changes);
	size_t room =
		max < sizeof(struct head) ? 0 : (max - sizeof(struct head)) / sizeof(*changes);
	struct head head = {0};
	size_t at;

	if (max < sizeof(head))
		return size;
	state = seed * 0x9E3779B97F4A7C15ULL + 1;
	memcpy(&head, data, size < sizeof(head) ? size : sizeof(head));
	room = room < MAX_CHANGES ? room : MAX_CHANGES;
	n = n < room ? n : room;
	if (n)
		memcpy(changes, data + sizeof(head), n * sizeof(*changes));
	at = n ? rnd(n) : 0;
	switch (rnd(8)) {
	case 0:
		vary_head(&head);
		break;
	case 1:
		if (n)
			changes[at] = changes[--n];
		break;
	case 2:
	case 3:
	case 4:
		if (n < room)
			random_change(&changes[n++]);
		break;
	default:
		if (n)
			vary(&changes[at]);
		else if (room)
			random_change(&changes[n++]);
	}
	memcpy(data, &head, sizeof(head));
	memcpy(data + sizeof(head), changes, n * sizeof(*changes));
	return sizeof(head) + n * sizeof(*changes);
}
