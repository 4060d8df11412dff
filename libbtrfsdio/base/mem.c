/* SPDX-License-Identifier: MIT */
/* base/mem.c - allocation: zeroed, overflow-checked, aligned */
#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include "base/math.h"

#define ARRAY_MIN 8 /* elements of the first allocation: most arrays stay that small */

void *bd_zalloc(size_t size)
{
	return calloc(1, size ? size : 1);
}

void *bd_calloc(size_t n, size_t size)
{
	return n && size ? calloc(n, size) : bd_zalloc(0);
}

int bd_array_grow(void **array, size_t *cap, size_t need, size_t elem_size)
{
	if (need <= *cap)
		return 0;
	size_t want = *cap > SIZE_MAX / 2 ? need : bd_max_u64(need, *cap * 2);
	if (want < ARRAY_MIN)
		want = ARRAY_MIN;

	/* The caller's variable is a pointer of some other type: only a byte copy may touch it. */
	void *old, *grown;
	memcpy(&old, array, sizeof(old));
	grown = reallocarray(old, want, elem_size);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	*cap = want;
	return 0;
}

void *bd_alloc_aligned(size_t align, size_t size)
{
	void *p;
	return posix_memalign(&p, align, size ? size : 1) ? NULL : p;
}
