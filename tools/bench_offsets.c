/* SPDX-License-Identifier: MIT */
/* tools/bench_offsets.c - the order in which a job reads the blocks of a file */
#include "bench_offsets.h"

#define ROUNDS 4

/* An odd multiplier and a shift: every bit of the result depends on all lower ones. */
static uint64_t mix(uint64_t value)
{
	value *= 0x9e3779b97f4a7c15u;
	value ^= value >> 32;
	value *= 0xd6e8feb86659fd93u;
	return value ^ value >> 32;
}

/* A Feistel network: one-to-one on numbers of twice half_bits bits, and without a table. */
static uint64_t scramble(const struct bench_offsets *offsets, uint64_t value)
{
	uint64_t mask = (1ull << offsets->half_bits) - 1;
	uint64_t left = value >> offsets->half_bits, right = value & mask;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		uint64_t next = left ^ (mix(right + offsets->seed + round) & mask);
		left = right;
		right = next;
	}
	return left << offsets->half_bits | right;
}

void offsets_init(struct bench_offsets *offsets, bool random, uint64_t blocks, unsigned int thread,
		  unsigned int threads)
{
	uint64_t part = blocks / threads;

	*offsets = (struct bench_offsets){.random = random, .count = blocks};
	if (!random) {
		offsets->first = part * thread;
		offsets->count = thread + 1 == threads ? blocks - offsets->first : part;
	}
	offsets->seed = mix(thread + 1);
	offsets->half_bits = 1;
	while (offsets->half_bits < 32 && blocks > 1ull << (2 * offsets->half_bits))
		offsets->half_bits++;
}

uint64_t offsets_next(struct bench_offsets *offsets)
{
	if (offsets->next == offsets->count) {
		offsets->next = 0;
		offsets->seed = mix(offsets->seed);
	}
	uint64_t block = offsets->next++;
	if (!offsets->random)
		return offsets->first + block;
	/* What falls outside is scrambled on until it falls inside: still one-to-one. */
	do {
		block = scramble(offsets, block);
	} while (block >= offsets->count);
	return block;
}
