/* SPDX-License-Identifier: MIT */
/* base/mem.h - allocation: zeroed, overflow-checked, aligned */
#ifndef BD_BASE_MEM_H
#define BD_BASE_MEM_H

#include <stddef.h>
#include <stdlib.h>

/* All return NULL on failure and report nothing: the caller does, with BD_FAIL(-ENOMEM, ...). */
void *bd_zalloc(size_t size);
void *bd_calloc(size_t n, size_t size);
/* Grow an array to hold @need elements, at least doubling; *cap in elements. 0 or -ENOMEM, array
 * kept. */
int bd_array_grow(void **array, size_t *cap, size_t need, size_t elem_size);
/* @align: power of two >= sizeof(void *); released with free(). Not zeroed. */
void *bd_alloc_aligned(size_t align, size_t size);

#endif
