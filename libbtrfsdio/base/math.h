/* SPDX-License-Identifier: MIT */
/* base/math.h - overflow-safe arithmetic and alignment */
#ifndef BD_BASE_MATH_H
#define BD_BASE_MATH_H

#include <stdbool.h>
#include <stdint.h>

/* True and *sum set when a + b fits. */
static inline bool bd_add_u64(uint64_t a, uint64_t b, uint64_t *sum)
{
	return !__builtin_add_overflow(a, b, sum);
}

/* @align: a power of two */
static inline bool bd_is_aligned(uint64_t v, uint64_t align)
{
	return (v & (align - 1)) == 0;
}

static inline uint64_t bd_align_down(uint64_t v, uint64_t align)
{
	return v & ~(align - 1);
}

/* May wrap to 0 for values in the last @align bytes: check the end with bd_add_u64() first. */
static inline uint64_t bd_align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) & ~(align - 1);
}

static inline bool bd_is_pow2(uint64_t v)
{
	return v && !(v & (v - 1));
}

static inline uint64_t bd_min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t bd_max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
