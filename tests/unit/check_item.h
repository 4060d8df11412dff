/* SPDX-License-Identifier: MIT */
/* tests/unit/check_item.h - give single items to bd_item_check() */
#ifndef BD_TESTS_CHECK_ITEM_H
#define BD_TESTS_CHECK_ITEM_H

#include <CUnit/CUnit.h>
#include "disk/item_check.h"

#define KIB(n) ((uint64_t)(n)*1024)

/* The superblock that items are checked against; the two calls below set it anew. */
extern struct bd_super item_super;

/* The next items stand behind this one in a leaf of tree @owner; or first in it. */
void items_after(uint64_t owner, const struct bd_key *key, const void *data, uint32_t size);
void items_first_in(uint64_t owner);

/* Site of the failure; "" when the item passes. */
const char *item_refused(struct bd_key key, const void *data, size_t size);

#define FAILS(key, data, size, site) CU_ASSERT_STRING_EQUAL(item_refused(key, data, size), site)
#define PASSES(key, data, size)	     FAILS(key, data, size, "")

/* Damage one field of a struct, check, undo. */
#define BROKEN(key, object, field, value, site)              \
	do {                                                 \
		__typeof__(object) sound_ = (object);        \
		(object).field = (value);                    \
		FAILS(key, &(object), sizeof(object), site); \
		(object) = sound_;                           \
	} while (0)

#endif
