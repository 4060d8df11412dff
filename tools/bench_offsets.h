/* SPDX-License-Identifier: MIT */
/* tools/bench_offsets.h - the order in which a job reads the blocks of a file */
#ifndef BTRFSDIO_TOOLS_BENCH_OFFSETS_H
#define BTRFSDIO_TOOLS_BENCH_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

struct bench_offsets {
	bool random;
	uint64_t first, count; /* blocks */
	uint64_t next;	       /* position in this pass */
	uint64_t seed;	       /* of this pass */
	unsigned int half_bits;
};

/*
 * The order of thread @thread of @threads. In sequence each has its own part of the @blocks; at
 * random each reads all of them, once in a pass, every pass in another order.
 */
void offsets_init(struct bench_offsets *offsets, bool random, uint64_t blocks, unsigned int thread,
		  unsigned int threads);

/* Number of the next block; at the end of a pass the next one begins. */
uint64_t offsets_next(struct bench_offsets *offsets);

#endif
