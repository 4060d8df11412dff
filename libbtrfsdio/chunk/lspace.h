/* SPDX-License-Identifier: MIT */
/* chunk/lspace.h - the logical address space: chunks, members, pins, rings, counters */
#ifndef BD_CHUNK_LSPACE_H
#define BD_CHUNK_LSPACE_H

#include "chunk/chunk_map.h"
#include "chunk/pin.h"
#include "dev/iobuf.h"
#include "dev/ring.h"

struct bd_lspace {
	struct bd_chunk_map map;
	struct bd_member **members; /* ascending devid */
	size_t num_members;
	struct bd_pins pins;
	struct bd_iobuf_pool bufs;

	enum bd_ring_kind ring_kind; /* for blocking calls, and for queues by default */
	unsigned int ring_depth;

	bd_counter syscalls; /* of rings that are gone, and of blocking reads */
	bd_counter read_errors, mirror_reads, parity_rebuilds;
};

int bd_lspace_init(struct bd_lspace *ls, enum bd_ring_kind kind, unsigned int depth);
/* Frees the chunks; the members and their devices are the owner's. */
void bd_lspace_fini(struct bd_lspace *ls);

/* A ring for blocking calls, with its owner's options. Return: 0 or -errno, reported. */
int bd_lspace_ring_new(struct bd_lspace *ls, struct bd_ring **out);
/* Keep the ring's counters and free it. */
void bd_lspace_ring_free(struct bd_lspace *ls, struct bd_ring *ring);

/*
 * Ways to read a range: way 0 is copy 0, further copies follow; on parity profiles way 0 reads
 * the data, the others rebuild it: assuming nothing else is bad, that P is bad, that another
 * data stripe is bad. They end at bd_ways(). A way that needs a missing device fails with -ENXIO.
 */
unsigned int bd_ways(const struct bd_chunk *chunk);

/*
 * The way to try first: a copy on a device that is there, not stale and least busy. On parity
 * profiles, and when no copy is there, 0.
 */
unsigned int bd_way_prefer(const struct bd_chunk *chunk, uint64_t logical);

/* Bytes from @logical on, at most @max, that one device I/O can read by a direct way. */
uint32_t bd_way_span(const struct bd_chunk *chunk, uint64_t logical, uint32_t max,
		     unsigned int way);

/*
 * Fill in device and offset of an I/O that reads @logical, +len by a direct way, in one span.
 * Return: 0; -ENXIO the device is missing; -EIO it ends before. Both reported with their place.
 */
int bd_way_io(const struct bd_chunk *chunk, uint64_t logical, uint32_t len, unsigned int way,
	      struct bd_io *io);

/* The same for a place on a member. */
int bd_member_io(const struct bd_member *member, uint64_t physical, uint32_t len, struct bd_io *io);

/* Add the range and its place by @way to the error record; for a rebuild the place it replaces. */
void bd_err_at_way(const struct bd_chunk *chunk, uint64_t logical, uint32_t len, unsigned int way);

/* Columns of a full stripe: data and parity. */
unsigned int bd_way_columns(const struct bd_chunk *chunk);

/*
 * Which columns of a row to read, as data_stripes + 2 factors, to rebuild the one of @at by rebuild
 * way @way. On top of missing devices, way 2 takes P for bad, way 3 + i the i-th other data stripe.
 * Stale devices are read only when it cannot be done without. False: not possible.
 */
bool bd_way_solve(const struct bd_chunk *chunk, const struct bd_full_stripe *at, unsigned int way,
		  uint8_t *coef);

/* False when way @way of [logical, +len) would read a device whose content may be old. */
bool bd_way_is_fresh(const struct bd_chunk *chunk, uint64_t logical, uint32_t len,
		     unsigned int way);

/* One read of a logical range by one way. All fields but the last group are set by the caller. */
struct bd_way_read {
	struct bd_lspace *ls;
	const struct bd_chunk *chunk;
	uint64_t logical; /* the range lies inside the chunk */
	uint32_t len;	  /* a multiple of the sector size */
	unsigned int way;
	void *buf; /* 4096-aligned */
	struct bd_ring *ring;
	void (*done)(struct bd_way_read *wr); /* once, on the thread that drives the ring, or inside
						 bd_way_read() */
	void *priv;

	int res; /* 0 or -errno (reported on the thread that ran done()) */

	_Atomic unsigned int pending;	    /* private from here */
	struct bd_way_part *_Atomic failed; /* the first part that did */
	struct bd_way_part *parts;
	unsigned int num_parts;
	struct bd_way_group *groups; /* rebuilt ranges */
	unsigned int num_groups;
	uint8_t *scratch; /* what the rebuild reads */
	size_t scratch_size;
};
void bd_way_read(struct bd_way_read *wr);

/* The same, blocking. Return: 0 or -errno, reported. */
int bd_way_read_sync(struct bd_lspace *ls, const struct bd_chunk *chunk, uint64_t logical,
		     uint32_t len, unsigned int way, void *buf);

#endif
