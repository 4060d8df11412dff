/* SPDX-License-Identifier: MIT */
/* chunk/lspace.c - set-up of the logical address space */
#include "chunk/lspace.h"

/* Buffers that are kept for reuse; what is in use at one time is bounded by the queues' depths. */
#define IOBUF_KEEP (8u << 20)

int bd_lspace_init(struct bd_lspace *ls, enum bd_ring_kind kind, unsigned int depth)
{
	ls->ring_kind = kind;
	ls->ring_depth = depth;
	return bd_iobuf_pool_init(&ls->bufs, IOBUF_KEEP);
}

void bd_lspace_fini(struct bd_lspace *ls)
{
	bd_iobuf_pool_fini(&ls->bufs);
	bd_chunk_map_fini(&ls->map);
}

int bd_lspace_ring_new(struct bd_lspace *ls, struct bd_ring **out)
{
	struct bd_ring_opts opts = {.kind = ls->ring_kind, .depth = ls->ring_depth};

	return bd_ring_new(&opts, out);
}

void bd_lspace_ring_free(struct bd_lspace *ls, struct bd_ring *ring)
{
	bd_count(&ls->syscalls, bd_counted(&bd_ring_stats(ring)->syscalls));
	bd_ring_free(ring);
}
