/* SPDX-License-Identifier: MIT */
/* tests/unit/check_item.c - give single items to bd_item_check() */
#include "check_item.h"

#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "disk_build.h"

struct bd_super item_super;

static struct bd_item_ctx ctx;
static struct bd_key prev_key;

void items_after(uint64_t owner, const struct bd_key *key, const void *data, uint32_t size)
{
	build_super(&item_super);
	ctx = (struct bd_item_ctx){
		.super = &item_super, .leaf = 1 << 20, .owner = owner, .slot = key ? 1 : 0};
	if (!key)
		return;
	prev_key = *key;
	ctx.prev_key = &prev_key;
	ctx.prev_data = data;
	ctx.prev_size = size;
}

void items_first_in(uint64_t owner)
{
	items_after(owner, NULL, NULL, 0);
}

const char *item_refused(struct bd_key key, const void *data, size_t size)
{
	/* exactly as long as the item, so that a sanitizer sees every byte read beyond it */
	void *copy = malloc(size ? size : 1);
	int err;

	memcpy(copy, data, size);
	bd_err_clear();
	err = bd_item_check(&ctx, &key, copy, (uint32_t)size);
	free(copy);
	CU_ASSERT(err == 0 || err == -EUCLEAN);
	CU_ASSERT_EQUAL(err, bd_err_self()->code);
	return failed_site();
}
