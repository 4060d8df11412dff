/* SPDX-License-Identifier: MIT */
/* dev/iobuf.h - aligned buffers in size classes, kept for reuse up to a limit */
#ifndef BD_DEV_IOBUF_H
#define BD_DEV_IOBUF_H

#include <stddef.h>
#include "base/thread.h"

/* 4 KiB, 16 KiB, 64 KiB, 256 KiB; larger ones are allocated and freed each time. */
#define BD_IOBUF_CLASSES 4

struct bd_iobuf_free;
struct bd_iobuf_pool {
	pthread_mutex_t lock;
	struct bd_iobuf_free *free[BD_IOBUF_CLASSES];
	size_t kept;  /* bytes in the free lists */
	size_t limit; /* bytes that may be kept */
};

int bd_iobuf_pool_init(struct bd_iobuf_pool *pool, size_t limit);
void bd_iobuf_pool_fini(struct bd_iobuf_pool *pool);
/* 4096-aligned, at least @size bytes, contents undefined; NULL: no memory. Thread-safe. */
void *bd_iobuf_get(struct bd_iobuf_pool *pool, size_t size);
/* @size as it was asked for. NULL is fine. */
void bd_iobuf_put(struct bd_iobuf_pool *pool, void *buf, size_t size);

#endif
