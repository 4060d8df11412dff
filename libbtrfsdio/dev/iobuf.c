/* SPDX-License-Identifier: MIT */
/* dev/iobuf.c - aligned buffers in size classes, kept for reuse up to a limit */
#include "dev/iobuf.h"

#include <stdlib.h>
#include "base/err.h"
#include "base/mem.h"

#define IOBUF_ALIGN	     4096 /* satisfies O_DIRECT on every device that is used directly */
#define IOBUF_SMALLEST_SHIFT 12
#define IOBUF_CLASS_STEP     2 /* each class is four times the one before */

/* A free buffer holds the link to the next one. */
struct bd_iobuf_free {
	struct bd_iobuf_free *next;
};

static size_t class_size(int cls)
{
	return (size_t)1 << (IOBUF_SMALLEST_SHIFT + cls * IOBUF_CLASS_STEP);
}

/* The smallest class that holds @size, or BD_IOBUF_CLASSES when none does. */
static int class_of(size_t size)
{
	int cls = 0;
	while (cls < BD_IOBUF_CLASSES && size > class_size(cls))
		cls++;
	return cls;
}

int bd_iobuf_pool_init(struct bd_iobuf_pool *pool, size_t limit)
{
	*pool = (struct bd_iobuf_pool){.limit = limit};
	int err = pthread_mutex_init(&pool->lock, NULL);
	return err ? BD_FAIL(-err, IOBUF_LOCK, "cannot create the lock of a buffer pool") : 0;
}

void bd_iobuf_pool_fini(struct bd_iobuf_pool *pool)
{
	for (int cls = 0; cls < BD_IOBUF_CLASSES; cls++) {
		struct bd_iobuf_free *next, *buf = pool->free[cls];
		for (; buf; buf = next) {
			next = buf->next;
			free(buf);
		}
	}
	pthread_mutex_destroy(&pool->lock);
}

void *bd_iobuf_get(struct bd_iobuf_pool *pool, size_t size)
{
	int cls = class_of(size);
	if (cls == BD_IOBUF_CLASSES)
		return bd_alloc_aligned(IOBUF_ALIGN, size);

	bd_lock(&pool->lock);
	struct bd_iobuf_free *buf = pool->free[cls];
	if (buf) {
		pool->free[cls] = buf->next;
		pool->kept -= class_size(cls);
	}
	bd_unlock(&pool->lock);
	return buf ? (void *)buf : bd_alloc_aligned(IOBUF_ALIGN, class_size(cls));
}

void bd_iobuf_put(struct bd_iobuf_pool *pool, void *buf, size_t size)
{
	int cls = class_of(size);
	bool keep = false;

	if (buf && cls < BD_IOBUF_CLASSES) {
		struct bd_iobuf_free *entry = buf;
		bd_lock(&pool->lock);
		keep = class_size(cls) <= pool->limit - pool->kept;
		if (keep) {
			entry->next = pool->free[cls];
			pool->free[cls] = entry;
			pool->kept += class_size(cls);
		}
		bd_unlock(&pool->lock);
	}
	if (!keep)
		free(buf);
}
