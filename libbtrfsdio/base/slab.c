/* SPDX-License-Identifier: MIT */
/* base/slab.c - blocks of one size, carved out of large pieces and reused */
#include "base/slab.h"

#include <stdint.h>

#include "base/mem.h"

#define SLAB_ALIGN 4096u
#define PIECE_SIZE (1u << 20)

struct bd_slab_block {
	struct bd_slab_block *next;
};

struct bd_slab_piece {
	void *mem;
	struct bd_slab_piece *next;
};

void bd_slab_init(struct bd_slab *slab, size_t size)
{
	bd_lock_init_short(&slab->lock);
	slab->free = NULL;
	slab->pieces = NULL;
	slab->size = size;
}

void bd_slab_fini(struct bd_slab *slab)
{
	while (slab->pieces) {
		struct bd_slab_piece *piece = slab->pieces;

		slab->pieces = piece->next;
		free(piece->mem);
		free(piece);
	}
	pthread_mutex_destroy(&slab->lock);
}

static void put_locked(struct bd_slab *slab, void *mem)
{
	struct bd_slab_block *block = mem;

	block->next = slab->free;
	slab->free = block;
}

static void grow_locked(struct bd_slab *slab)
{
	struct bd_slab_piece *piece = malloc(sizeof(*piece));
	uint8_t *mem = bd_alloc_aligned(SLAB_ALIGN, PIECE_SIZE);

	if (!piece || !mem) {
		free(piece);
		free(mem);
		return;
	}
	piece->mem = mem;
	piece->next = slab->pieces;
	slab->pieces = piece;
	for (size_t at = PIECE_SIZE; at >= slab->size; at -= slab->size)
		put_locked(slab, mem + at - slab->size);
}

void *bd_slab_get(struct bd_slab *slab)
{
	struct bd_slab_block *block;

	bd_lock(&slab->lock);
	if (!slab->free)
		grow_locked(slab);
	block = slab->free;
	if (block)
		slab->free = block->next;
	bd_unlock(&slab->lock);
	return block;
}

void bd_slab_put(struct bd_slab *slab, void *block)
{
	if (!block)
		return;
	bd_lock(&slab->lock);
	put_locked(slab, block);
	bd_unlock(&slab->lock);
}
