/* SPDX-License-Identifier: MIT */
/* fuzz/mutate.h - fuzz inputs as programs of changes to a base, which know its structure */
#ifndef BD_FUZZ_MUTATE_H
#define BD_FUZZ_MUTATE_H

#include "bases.h"

/*
 * An input is a head and then changes, 16 bytes each; a rest that is shorter is ignored. All
 * values are taken modulo what there is, so every input is a program.
 */
struct head {
	uint8_t base;
	uint8_t flags;	 /* HEAD_* */
	uint8_t missing; /* devices, a bit each; never all of them */
	uint8_t reserved;
};

#define HEAD_DEGRADED	(1u << 0)
#define HEAD_SALVAGE	(1u << 1)
#define HEAD_NO_VERIFY	(1u << 2)
#define HEAD_BACKUP	(1u << 3)
#define HEAD_FLAGS_MASK 7u

enum change_kind {
	CHANGE_HEADER,	/* a field of a tree block's header */
	CHANGE_ENTRY,	/* a field of an item's head or of a pointer */
	CHANGE_DATA,	/* bytes of an item's data */
	CHANGE_LINK,	/* an address in it becomes that of another block or extent */
	CHANGE_COPY,	/* an item's data becomes that of another item */
	CHANGE_RESIZE,	/* an item grows or shrinks; the leaf stays well-formed */
	CHANGE_REMOVE,	/* an item or pointer */
	CHANGE_REPLACE, /* a block's contents become those of another one */
	CHANGE_SUPER,	/* bytes of a superblock */
	CHANGE_RAW,	/* bytes anywhere on a device; never sealed */
	CHANGE_KINDS
};

#define HOW_SET	     0u /* to value */
#define HOW_ADD	     1u
#define HOW_XOR	     2u
#define HOW_NOTABLE  3u		    /* to a number that is often special */
#define HOW_VERB     3u		    /* mask of these */
#define HOW_WIDTH(h) ((h) >> 2 & 3) /* 1, 2, 4, 8 bytes */
#define HOW_ONE_COPY (1u << 6)	    /* the other copies of the block stay as they were */
#define HOW_UNSEALED (1u << 7)	    /* its checksum stays as it was */

struct change {
	uint8_t kind, how;
	uint16_t block, slot, field;
	uint64_t value;
} __attribute__((packed));

#define MAX_CHANGES 32u

/* Apply an input to the overlay. Returns the base; *head is that of the input. */
const struct base *mutate(const uint8_t *data, size_t size, struct head *head);

/* A variation of an input that is a program, too. Returns its size. */
size_t mutate_program(uint8_t *data, size_t size, size_t max, unsigned int seed);

#endif
