/* SPDX-License-Identifier: MIT */
/* base/slab.h - blocks of one size, carved out of large pieces and reused */
#ifndef BD_BASE_SLAB_H
#define BD_BASE_SLAB_H

#include <stddef.h>

#include "base/thread.h"

/*
 * For caches whose blocks come and go for as long as a filesystem is open: malloc() fragments
 * under page-aligned blocks (measured: a third more resident memory). Memory goes back to the
 * system in bd_slab_fini() only, so a slab is as large as it ever was.
 */
struct bd_slab_block;
struct bd_slab_piece;
struct bd_slab {
	pthread_mutex_t lock;
	struct bd_slab_block *free;
	struct bd_slab_piece *pieces;
	size_t size; /* of a block */
};

/* @size: a power of two from 4096 on; blocks are aligned to 4096. */
void bd_slab_init(struct bd_slab *slab, size_t size);
/* All blocks must have been put back. */
void bd_slab_fini(struct bd_slab *slab);
/* NULL: no memory. Contents undefined. Thread-safe, as bd_slab_put(). */
void *bd_slab_get(struct bd_slab *slab);
/* NULL is fine. */
void bd_slab_put(struct bd_slab *slab, void *block);

#endif
