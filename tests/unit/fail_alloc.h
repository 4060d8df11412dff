/* SPDX-License-Identifier: MIT */
/* tests/unit/fail_alloc.h - count the calling thread's allocations and fail one of them */
#ifndef BD_TESTS_FAIL_ALLOC_H
#define BD_TESTS_FAIL_ALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Include it in one file of a test program: it defines malloc() and its kin, which take
 * precedence over those of libc and of the sanitizers for all libraries of the process, and
 * forward to them. Only between alloc_watch() and alloc_unwatch() of a thread something happens.
 */
static _Thread_local bool alloc_watched;
static _Thread_local unsigned long alloc_count;	  /* since alloc_watch() */
static _Thread_local unsigned long alloc_fail_at; /* number of the one that fails; 0: none */

static inline void alloc_watch(unsigned long fail_at)
{
	alloc_count = 0;
	alloc_fail_at = fail_at;
	alloc_watched = true;
}

static inline unsigned long alloc_unwatch(void)
{
	alloc_watched = false;
	return alloc_count;
}

static bool alloc_refused(void)
{
	if (!alloc_watched || ++alloc_count != alloc_fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ALLOC_NEXT(fn) __interceptor_##fn
#else
#define ALLOC_NEXT(fn) __libc_##fn
#endif

void *ALLOC_NEXT(malloc)(size_t size);
void *ALLOC_NEXT(calloc)(size_t n, size_t size);
void *ALLOC_NEXT(realloc)(void *p, size_t size);
void *ALLOC_NEXT(memalign)(size_t align, size_t size);
void ALLOC_NEXT(free)(void *p);

void *malloc(size_t size)
{
	return alloc_refused() ? NULL : ALLOC_NEXT(malloc)(size);
}

void *calloc(size_t n, size_t size)
{
	return alloc_refused() ? NULL : ALLOC_NEXT(calloc)(n, size);
}

void *realloc(void *p, size_t size)
{
	return alloc_refused() ? NULL : ALLOC_NEXT(realloc)(p, size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

void *memalign(size_t align, size_t size)
{
	return alloc_refused() ? NULL : ALLOC_NEXT(memalign)(align, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
	void *p = memalign(align, size);

	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

void free(void *p)
{
	ALLOC_NEXT(free)(p);
}

#endif
